internal import CGStreamer
internal import Pictures

/// The front of a feed pipeline: how a URI is read, as a gst-launch description and properties that are set by value
/// so that nothing in a URI is taken for syntax.
struct FeedSource {
    let description: String
    /// Of the element named `source`.
    let properties: [(String, String)]

    init(_ settings: FeedSettings, format: ProgramFormat, frameRate: FrameRate) {
        switch settings.kind {
        case .rtmp:
            // No data for idle-timeout seconds ends in EOS; so does waiting for a publisher.
            description = "rtmp2src name=source timeout=5 idle-timeout=3 ! flvdemux name=demuxer"
            properties = [("location", settings.uri)]
        case .srtCaller:
            description = "srtsrc name=source ! tsdemux name=demuxer ignore-pcr=true"
            properties = [("uri", settings.uri)]
        case .srtListener:
            // The port is not the pipeline's: it stays open while pipelines and publishers come and go.
            description = """
                appsrc name=source \(AppSource.settings) caps="video/mpegts,systemstream=true" \
                ! tsdemux name=demuxer ignore-pcr=true
                """
            properties = []
        case .file:
            description = "filesrc name=source ! parsebin name=demuxer"
            properties = [("location", Self.path(of: settings.uri))]
        case .test:
            description = Self.test(format: format, frameRate: frameRate)
            properties = []
        }
    }

    /// The path in `file:relative`, `file:/absolute` or `file:///absolute`.
    static func path(of uri: String) -> String {
        let rest = uri.dropFirst("file:".count)
        return rest.hasPrefix("//") ? String(rest.dropFirst(2)) : String(rest)
    }

    /// A moving picture with a running clock, and a tone. The picture is drawn at half the size and scaled up: a
    /// test costs little of the machine that it tests.
    private static func test(format: ProgramFormat, frameRate: FrameRate) -> String {
        let hasClock = GStreamer.has("clockoverlay")
        let clock =
            hasClock
            ? """
             ! clockoverlay time-format="%H:%M:%S" valignment=top font-desc="Sans Bold 30" \
            ! timeoverlay valignment=bottom font-desc="Sans Bold 30"
            """ : ""
        return """
            videotestsrc name=source is-live=true pattern=smpte horizontal-speed=2 \
            ! video/x-raw,format=I420,width=\(format.width),height=\(format.height),framerate=\(frameRate),\
            colorimetry=\(format.colorimetry) \(clock) ! appsink name=video max-buffers=4 \(AppSinkReceiver.settings) \
            audiotestsrc is-live=true wave=sine freq=440 volume=0.1 ! audioconvert \
            ! \(AudioFormat.caps) ! appsink name=audio max-buffers=8 \(AppSinkReceiver.settings)
            """
    }
}

/// A codec that a feed may carry.
struct FeedCodec {
    let track: Track
    let name: String
    private let decoder: String

    init?(_ caps: UnsafeMutablePointer<GstCaps>) {
        guard let structure = gst_caps_get_structure(caps, 0), let name = gst_structure_get_name(structure)
        else { return nil }
        // One thread and no hidden frames: the live path has its latency, not the decoder.
        let settings = "max-threads=1 output-corrupt=false qos=false"
        switch String(cString: name) {
        case "video/x-h264":
            self.init(
                .video, "H.264", "h264parse ! avdec_h264 thread-type=slice std-compliance=normal \(settings)")
        case "video/x-h265":
            self.init(
                .video, "HEVC", "h265parse ! avdec_h265 thread-type=slice std-compliance=normal \(settings)")
        case "audio/mpeg":
            // What is not negotiated yet may still be a list of versions.
            guard let aac = gst_caps_from_string("audio/mpeg,mpegversion={2,4}") else { return nil }
            defer { gst_caps_unref(aac) }
            guard gst_caps_can_intersect(caps, aac) != 0 else { return nil }
            self.init(.audio, "AAC", "aacparse ! avdec_aac")
        default: return nil
        }
    }

    private init(_ track: Track, _ name: String, _ decoder: String) {
        self.track = track
        self.name = name
        self.decoder = decoder
    }

    /// From the demuxer's pad to the appsink named after the track.
    func branch(pacing: String, format: ProgramFormat) -> String {
        let queue = "queue max-size-buffers=0 max-size-time=0 max-size-bytes=4000000"
        let sink = "appsink name=\(track) max-buffers=4 \(AppSinkReceiver.settings)"
        switch track {
        case .video:
            return """
                \(queue) ! \(pacing)\(decoder) ! videoconvertscale add-borders=true \
                ! \(format.caps) ! \(sink)
                """
        case .audio:
            return
                "\(queue) ! \(pacing)\(decoder) ! audioconvert ! audioresample ! \(AudioFormat.caps) ! \(sink)"
        }
    }
}
