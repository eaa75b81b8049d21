internal import Basics
internal import CGStreamer
internal import Pictures

/// `giftoverlay`: the element that lets a `Painter` draw on the program's frames, in place.
///
/// It is passthrough while nothing is shown: `before_transform` asks the painter on the streaming thread, before the
/// output buffer is prepared, so that a frame is copied only when it will be drawn on. A frame that it does not draw
/// on leaves as it came, bit for bit.
final class OverlayElement: Sendable {
    static let name = "giftoverlay"

    private let painter: any Painter
    private let paintTime: Histogram

    private init(painter: any Painter, paintTime: Histogram) {
        self.painter = painter
        self.paintTime = paintTime
    }

    /// Makes the element usable by name in a pipeline description.
    static func register() { gst_element_register(nil, name, 0, type) }

    /// Gives a `giftoverlay` element its painter. Before the pipeline starts, once.
    static func attach(
        _ painter: any Painter, to element: UnsafeMutablePointer<GstElement>, paintTime: Histogram
    ) {
        let box = Unmanaged.passRetained(OverlayElement(painter: painter, paintTime: paintTime)).toOpaque()
        g_object_set_qdata_full(cgst_object(element), key, box) { box in
            if let box { Unmanaged<OverlayElement>.fromOpaque(box).release() }
        }
    }

    // Not the _static_ forms: they keep the pointer, and Swift lends a C string for the call only.
    private static let key = g_quark_from_string("giftd-painter")

    private static let type: GType = g_type_register_static_simple(
        gst_video_filter_get_type(), "GiftOverlay",
        guint(MemoryLayout<GstVideoFilterClass>.size), initializeClass,
        guint(MemoryLayout<GstVideoFilter>.size), initializeInstance, GTypeFlags(rawValue: 0)
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
        let element = raw.assumingMemoryBound(to: GstElementClass.self)
        gst_element_class_set_metadata(
            element, "Gift overlay", "Filter/Editor/Video", "Draws what the painter shows over the frames",
            "giftd")
        let caps = gst_caps_from_string("video/x-raw,format=I420")
        for (name, direction) in [("sink", GST_PAD_SINK), ("src", GST_PAD_SRC)] {
            gst_element_class_add_pad_template(
                element, gst_pad_template_new(name, direction, GST_PAD_ALWAYS, caps))
        }
        gst_caps_unref(caps)
        let transform = raw.assumingMemoryBound(to: GstBaseTransformClass.self)
        // Otherwise transform_frame_ip is called in passthrough too, on memory that others read.
        transform.pointee.transform_ip_on_passthrough = 0
        transform.pointee.before_transform = { transform, _ in
            guard let transform, let overlay = OverlayElement.of(transform) else { return }
            gst_base_transform_set_passthrough(transform, overlay.painter.isShowing ? 0 : 1)
        }
        raw.assumingMemoryBound(to: GstVideoFilterClass.self).pointee.transform_frame_ip = { filter, frame in
            guard let filter, let frame else { return GST_FLOW_ERROR }
            OverlayElement.of(filter)?.paint(frame)
            return GST_FLOW_OK
        }
    }

    private static func of(_ instance: UnsafeMutableRawPointer) -> OverlayElement? {
        guard let box = g_object_get_qdata(instance.assumingMemoryBound(to: GObject.self), key) else {
            return nil
        }
        return Unmanaged<OverlayElement>.fromOpaque(box).takeUnretainedValue()
    }

    private func paint(_ frame: UnsafeMutablePointer<GstVideoFrame>) {
        let began = Monotonic.now()
        let live = LiveFrame(
            luma: cgst_plane(frame, 0), chromaU: cgst_plane(frame, 1), chromaV: cgst_plane(frame, 2),
            lumaStride: Int(cgst_stride(frame, 0)), chromaStride: Int(cgst_stride(frame, 1)),
            width: Int(frame.pointee.info.width), height: Int(frame.pointee.info.height))
        painter.paint(on: live, at: Nanoseconds(clamping: frame.pointee.buffer.pointee.pts))
        paintTime.observe(seconds: (Monotonic.now() - began).seconds)
    }
}
