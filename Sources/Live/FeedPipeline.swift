internal import Basics
internal import CGStreamer
internal import Pictures
internal import Synchronization

/// Where decoded frames and sound of a feed go. Called on the feed's streaming threads.
protocol FeedOutlet: Sendable {
    /// A decoded I420 frame in the program's size, lent for the call. `time` is feed time, `arrived` the running
    /// time at which its packet came.
    func videoArrived(_ buffer: UnsafeMutablePointer<GstBuffer>, time: Nanoseconds, arrived: Nanoseconds)
    /// Interleaved 32-bit float stereo at the program's rate, lent for the call.
    func audioArrived(_ buffer: UnsafeMutablePointer<GstBuffer>, time: Nanoseconds)
}

/// One connection to the feed: source, demuxer, and a branch of parser, decoder and converter for each track as it
/// appears. It lives as long as the connection.
final class FeedPipeline: Sendable {
    private struct State: ~Copyable {
        var continuity = Continuity()
        var hasBranch = [false, false]
    }

    private static let inputLimit = 8_000_000

    private let pipeline: Pipeline
    private let clock: LiveClock
    private let settings: FeedSettings
    private let format: ProgramFormat
    private let frameRate: FrameRate
    private let outlet: any FeedOutlet
    private let metrics: LiveMetrics
    private let state = Locked(State())
    private let decoding = StampTable()
    /// Takes what an SRT listener received; no other feed has one.
    private let input: AppSource?
    private let lastPacketTime = Atomic<Nanoseconds>(0)
    private let lastOutputTime = Atomic<Nanoseconds>(0)

    init(
        settings: FeedSettings, format: ProgramFormat, frameRate: FrameRate, clock: LiveClock,
        outlet: any FeedOutlet, metrics: LiveMetrics, onEvent: @escaping @Sendable (Pipeline.Event) -> Void
    ) throws(LiveError) {
        self.settings = settings
        self.format = format
        self.frameRate = frameRate
        self.clock = clock
        self.outlet = outlet
        self.metrics = metrics
        let source = FeedSource(settings, format: format, frameRate: frameRate)
        pipeline = try Pipeline(
            name: "feed", description: source.description, clock: clock, onEvent: onEvent)
        for (property, value) in source.properties { try pipeline.set(property, of: "source", to: value) }
        input = settings.kind == .srtListener ? AppSource(try pipeline.element("source")) : nil
        if settings.kind == .test {
            try receive(.video)
            try receive(.audio)
        } else {
            try watchDemuxer()
        }
    }

    // The streaming threads use everything above: they are gone before it goes.
    deinit { pipeline.stop() }

    /// Running time of the last packet; 0 before the first.
    var lastPacket: Nanoseconds { lastPacketTime.load(ordering: .relaxed) }

    /// Running time of the last decoded frame or sound; 0 before the first.
    var lastOutput: Nanoseconds { lastOutputTime.load(ordering: .relaxed) }

    func play() throws(LiveError) { try pipeline.play() }

    /// Blocks; see `Pipeline.stop`.
    func stop() { pipeline.stop() }

    /// Takes bytes of a transport stream; the listener's thread. More than can be demuxed is dropped.
    func receive(_ bytes: UnsafeRawBufferPointer, isFirst: Bool) {
        guard let queued = input?.queuedBytes, queued < Self.inputLimit, let base = bytes.baseAddress,
            let buffer = gst_buffer_new_memdup(base, gsize(bytes.count))
        else { return }
        if isFirst { gst_buffer_set_flags(buffer, GST_BUFFER_FLAG_DISCONT) }
        buffer.pointee.pts = GstClockTime(clamping: clock.now)
        input?.push(buffer)
    }

    // MARK: - Tracks as they come

    private typealias PadAdded =
        @convention(c) (UnsafeMutablePointer<GstElement>?, UnsafeMutablePointer<GstPad>?, gpointer?) -> Void

    private func watchDemuxer() throws(LiveError) {
        let demuxer = try pipeline.element("demuxer")
        let callback: PadAdded = { _, pad, context in
            guard let pad, let context else { return }
            Unmanaged<FeedPipeline>.fromOpaque(context).takeUnretainedValue().padAdded(pad)
        }
        // The pipeline is ours and is stopped before we go, so the demuxer never outlives us.
        g_signal_connect_data(
            demuxer.raw, "pad-added", unsafeBitCast(callback, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
    }

    private func padAdded(_ pad: UnsafeMutablePointer<GstPad>) {
        guard let caps = gst_pad_get_current_caps(pad) ?? gst_pad_query_caps(pad, nil) else { return }
        defer { gst_caps_unref(caps) }
        guard let codec = FeedCodec(caps) else {
            let text = gst_caps_to_string(caps)
            defer { g_free(text) }
            let name = text.map { String(cString: $0).prefix(80) } ?? "?"
            Log.warning("feed: a track of \(name) is left out: H.264 or HEVC video and AAC sound are played")
            return
        }
        let isSecond = state.withLock { state in
            defer { state.hasBranch[codec.track.rawValue] = true }
            return state.hasBranch[codec.track.rawValue]
        }
        guard !isSecond else {
            return pipeline.fail(LiveError("feed", "its tracks changed; it is opened again"))
        }
        do { try addBranch(codec, to: pad) } catch { pipeline.fail(error) }
    }

    private func addBranch(_ codec: FeedCodec, to pad: UnsafeMutablePointer<GstPad>) throws(LiveError) {
        var error: UnsafeMutablePointer<GError>?
        let pacing = settings.kind == .file ? "clocksync ! " : ""
        let description = codec.branch(pacing: pacing, format: format)
        guard let bin = gst_parse_bin_from_description(description, 1, &error) else {
            throw LiveError("feed", "cannot decode \(codec.name): \(takeMessage(error))")
        }
        let element = UnsafeMutableRawPointer(bin).assumingMemoryBound(to: GstElement.self)
        gst_bin_add(cgst_bin(pipeline.raw), element)
        try receive(codec.track)
        probe(pad, codec.track)
        gst_element_sync_state_with_parent(element)
        guard let entry = gst_element_get_static_pad(element, "sink") else { return }
        defer { gst_object_unref(UnsafeMutableRawPointer(entry)) }
        guard gst_pad_link(pad, entry) == GST_PAD_LINK_OK else {
            throw LiveError("feed", "cannot link the \(codec.name) track")
        }
    }

    // MARK: - In front of the decoders

    private final class PadContext: Sendable {
        let owner: Unmanaged<FeedPipeline>
        let track: Track

        init(_ owner: FeedPipeline, _ track: Track) {
            self.owner = Unmanaged.passUnretained(owner)
            self.track = track
        }
    }

    private func probe(_ pad: UnsafeMutablePointer<GstPad>, _ track: Track) {
        let mask = GstPadProbeType(
            rawValue: GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue)
        gst_pad_add_probe(
            pad, mask,
            { _, info, context in
                guard let info, let context else { return GST_PAD_PROBE_OK }
                let pad = Unmanaged<PadContext>.fromOpaque(context).takeUnretainedValue()
                return pad.owner.takeUnretainedValue().repair(info, pad.track)
            },
            Unmanaged.passRetained(PadContext(self, track)).toOpaque(),
            { context in if let context { Unmanaged<PadContext>.fromOpaque(context).release() } })
    }

    private func repair(
        _ info: UnsafeMutablePointer<GstPadProbeInfo>, _ track: Track
    ) -> GstPadProbeReturn {
        if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
            restamp(info, track)
            return GST_PAD_PROBE_OK
        }
        guard let event = cgst_probe_event(info) else { return GST_PAD_PROBE_OK }
        if event.pointee.type == GST_EVENT_GAP { return GST_PAD_PROBE_DROP }
        guard event.pointee.type == GST_EVENT_SEGMENT else { return GST_PAD_PROBE_OK }
        // Running time must have one source of truth: our stamps.
        var plain = GstSegment()
        gst_segment_init(&plain, GST_FORMAT_TIME)
        guard let replacement = gst_event_new_segment(&plain) else { return GST_PAD_PROBE_OK }
        gst_event_set_seqnum(replacement, gst_event_get_seqnum(event))
        gst_event_unref(event)
        cgst_probe_set_data(info, replacement)
        return GST_PAD_PROBE_OK
    }

    private func restamp(_ info: UnsafeMutablePointer<GstPadProbeInfo>, _ track: Track) {
        let now = clock.now
        lastPacketTime.store(now, ordering: .relaxed)
        guard let buffer = cgst_probe_buffer(info) else { return }
        let (pts, dts) = (buffer.pointee.pts, buffer.pointee.dts)
        let raw = dts != .max ? dts : pts
        guard raw != .max, let writable = cgst_make_writable(buffer) else { return }
        cgst_probe_set_data(info, writable)
        let stamped = state.withLock {
            $0.continuity.arrived(track, raw: Nanoseconds(clamping: raw), arrival: now)
        }
        metrics.count(stamped.repair)
        let reorder =
            pts == .max ? 0 : min(max(Nanoseconds(clamping: pts) - Nanoseconds(clamping: raw), 0), .second)
        writable.pointee.dts = GstClockTime(clamping: stamped.dts)
        writable.pointee.pts = GstClockTime(clamping: stamped.dts + reorder)
        // A file is read ahead and then paced: how long its packets lie there says nothing.
        if track == .video, settings.kind != .file {
            decoding.note(stamped.dts + reorder, entered: now, arrived: now)
        }
    }

    // MARK: - Behind them

    private func receive(_ track: Track) throws(LiveError) {
        let sink = try pipeline.element(track == .video ? "video" : "audio")
        let owner = Unmanaged.passUnretained(self)
        switch track {
        case .video: AppSinkReceiver.attach(to: sink) { owner.takeUnretainedValue().decoded($0) }
        case .audio:
            AppSinkReceiver.attach(to: sink) {
                let me = owner.takeUnretainedValue()
                me.lastOutputTime.store(me.clock.now, ordering: .relaxed)
                me.outlet.audioArrived($0.buffer, time: $0.pts)
            }
        }
    }

    private func decoded(_ arrival: Arrival) {
        let now = clock.now
        metrics.framesFromFeed.add()
        lastOutputTime.store(now, ordering: .relaxed)
        let came = decoding.take(arrival.pts)?.arrived ?? now
        metrics.decodeLatency.observe(seconds: (now - came).seconds)
        outlet.videoArrived(arrival.buffer, time: arrival.pts, arrived: came)
    }
}
