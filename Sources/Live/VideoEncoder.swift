internal import CGStreamer

/// The description of an H.264 encoder: no hidden frames, no B-frames, a key frame every so often and none by itself.
struct VideoEncoder {
    let description: String

    /// Fails when the encoder is not installed or is not an H.264 encoder.
    init(_ settings: ProgramSettings) throws(LiveError) {
        let element = settings.encoder == "x264" ? "x264enc" : settings.encoder
        guard let factory = gst_element_factory_find(element) else {
            throw LiveError("program.video.encoder", "\(settings.encoder) is not installed")
        }
        defer { gst_object_unref(UnsafeMutableRawPointer(factory)) }
        guard Self.isH264Encoder(factory) else {
            throw LiveError("program.video.encoder", "\(settings.encoder) does not encode H.264")
        }
        let keyDistance = max(
            Int(
                settings.keyInterval * Double(settings.frameRate.numerator)
                    / Double(settings.frameRate.denominator)),
            1)
        let text = Self.settings(of: element, settings, keyDistance: keyDistance)
        description = "\(element) name=encoder qos=false \(text)"
    }

    private static func isH264Encoder(_ factory: OpaquePointer) -> Bool {
        guard let caps = gst_caps_from_string("video/x-h264") else { return false }
        defer { gst_caps_unref(caps) }
        return gst_element_factory_can_src_any_caps(factory, caps) != 0
            && gst_element_factory_list_is_type(factory, GstElementFactoryListType(1 << 1)) != 0
    }

    /// Names and units differ per encoder; an encoder that is not listed runs with its own defaults.
    private static func settings(of element: String, _ settings: ProgramSettings, keyDistance: Int) -> String
    {
        let kilobits = settings.videoBitrate / 1000
        switch element {
        case "x264enc":
            return """
                tune=zerolatency speed-preset=\(settings.preset) bitrate=\(kilobits) \
                vbv-buf-capacity=\(Int(settings.rateBuffer * 1000)) key-int-max=\(keyDistance) bframes=0 threads=2 \
                option-string="scenecut=0:sps-id=1"
                """
        case "openh264enc":
            return
                "bitrate=\(settings.videoBitrate) rate-control=bitrate gop-size=\(keyDistance) complexity=low"
        case "vah264enc", "vah264lpenc":
            return "rate-control=cbr bitrate=\(kilobits) key-int-max=\(keyDistance) b-frames=0"
        case "vaapih264enc":
            return "rate-control=cbr bitrate=\(kilobits) keyframe-period=\(keyDistance) max-bframes=0"
        case "nvh264enc":
            return "rc-mode=cbr bitrate=\(kilobits) gop-size=\(keyDistance) bframes=0 zerolatency=true"
        default: return ""
        }
    }
}
