internal import Basics
internal import CGStreamer

/// `giftaudio`: the element that lets a `Mixer` add to the program's sound, in place. The twin of `giftoverlay`:
/// passthrough while nothing sounds, decided on the streaming thread before the output buffer is prepared.
final class MixElement: Sendable {
    static let name = "giftaudio"

    private let mixer: any Mixer

    private init(mixer: any Mixer) { self.mixer = mixer }

    /// Makes the element usable by name in a pipeline description.
    static func register() { gst_element_register(nil, name, 0, type) }

    /// Gives a `giftaudio` element its mixer. Before the pipeline starts, once.
    static func attach(_ mixer: any Mixer, to element: UnsafeMutablePointer<GstElement>) {
        let box = Unmanaged.passRetained(MixElement(mixer: mixer)).toOpaque()
        g_object_set_qdata_full(cgst_object(element), key, box) { box in
            if let box { Unmanaged<MixElement>.fromOpaque(box).release() }
        }
    }

    private static let key = g_quark_from_string("giftd-mixer")

    private static let type: GType = g_type_register_static_simple(
        gst_audio_filter_get_type(), "GiftAudio",
        guint(MemoryLayout<GstAudioFilterClass>.size), initializeClass,
        guint(MemoryLayout<GstAudioFilter>.size), initializeInstance, GTypeFlags(rawValue: 0)
    )

    private static let initializeInstance: GInstanceInitFunc = { instance, _ in
        guard let instance else { return }
        let transform = UnsafeMutableRawPointer(instance).assumingMemoryBound(to: GstBaseTransform.self)
        gst_base_transform_set_in_place(transform, 1)
        gst_base_transform_set_qos_enabled(transform, 0)
        gst_base_transform_set_passthrough(transform, 1)
    }

    private static let initializeClass: GClassInitFunc = { raw, _ in
        guard let raw else { return }
        gst_element_class_set_metadata(
            raw.assumingMemoryBound(to: GstElementClass.self), "Gift audio", "Filter/Effect/Audio",
            "Adds what the mixer plays to the sound", "giftd")
        let caps = gst_caps_from_string(AudioFormat.caps)
        gst_audio_filter_class_add_pad_templates(
            raw.assumingMemoryBound(to: GstAudioFilterClass.self), caps)
        gst_caps_unref(caps)
        let transform = raw.assumingMemoryBound(to: GstBaseTransformClass.self)
        // Otherwise transform_ip is called in passthrough too, on memory that others read.
        transform.pointee.transform_ip_on_passthrough = 0
        transform.pointee.before_transform = { transform, _ in
            guard let transform, let element = MixElement.of(transform) else { return }
            gst_base_transform_set_passthrough(transform, element.mixer.isSounding ? 0 : 1)
        }
        transform.pointee.transform_ip = { transform, buffer in
            guard let transform, let buffer else { return GST_FLOW_ERROR }
            return MixElement.of(transform)?.mix(into: buffer) ?? GST_FLOW_OK
        }
    }

    private static func of(_ instance: UnsafeMutableRawPointer) -> MixElement? {
        guard let box = g_object_get_qdata(instance.assumingMemoryBound(to: GObject.self), key) else {
            return nil
        }
        return Unmanaged<MixElement>.fromOpaque(box).takeUnretainedValue()
    }

    private func mix(into buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        var map = GstMapInfo()
        let access = GstMapFlags(rawValue: GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
        guard gst_buffer_map(buffer, &map, access) != 0 else { return GST_FLOW_ERROR }
        defer { gst_buffer_unmap(buffer, &map) }
        let count = Int(map.size) / AudioFormat.bytesPerSample
        map.data.withMemoryRebound(to: Float.self, capacity: count * AudioFormat.channels) { samples in
            mixer.mix(
                into: LiveSound(samples: samples, count: count),
                at: Nanoseconds(clamping: buffer.pointee.pts))
        }
        return GST_FLOW_OK
    }
}
