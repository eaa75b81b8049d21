package import Basics
internal import CGStreamer
package import Pictures
internal import Synchronization

/// The composited stream: one pipeline that runs as long as the process, on a timeline of its own that never stops.
///
/// Frames and sound of the feed come in on its streaming threads; what is missing when it is due is made up by the
/// timer thread: the last frame again, silence. Coded units leave on the encoders' streaming threads. Pushing happens
/// under one short lock around {what was last, push}; the appsrcs never block.
package final class Program: Sendable {
    /// Time that compositing, encoding and sending need; nothing may be missing this long before it is due.
    static let margin: Nanoseconds = 50 * .millisecond
    /// Time that frames may wait for the encoder before some are left out. Feeds come in bursts of a third of a second.
    private static let longestBacklog: Nanoseconds = 650 * .millisecond
    /// avenc_aac puts this many samples in front of the first one and says so nowhere that FLV or TS could carry.
    private static let priming = 1024

    private struct State: ~Copyable {
        var anchor: Anchor
        var video: VideoTimeline
        var audio: AudioTimeline
        var lastFrame: Frame
        /// Repeats that filled a hole and may still wait for the encoder: they share one picture and cost no memory.
        var filled = 0
    }

    private let settings: ProgramSettings
    private let clock: LiveClock
    private let metrics: LiveMetrics
    private let pipeline: Pipeline
    private let videoSource: AppSource
    private let audioSource: AppSource
    private let state: Locked<State>
    private let encoding = StampTable()
    private let outlets = Locked<[any ProgramOutlet]>([])
    private let codedCaps = Locked<[String?]>([nil, nil])
    private let lastCoded = Atomic<Nanoseconds>(0)
    private let lastKeyRequest = Atomic<Nanoseconds>(0)
    private let timer: PeriodicThread
    private let backlogLimit: Int

    /// Builds the pipeline; `start` starts it. `onFailure` is called at most once, on a streaming thread: the program
    /// has ended, which no feed, gift or destination can cause.
    package init(
        settings: ProgramSettings, latency: Nanoseconds, painter: any Painter, mixer: any Mixer,
        clock: LiveClock,
        metrics: LiveMetrics, onFailure: @escaping @Sendable (LiveError) -> Void
    ) throws(LiveError) {
        self.settings = settings
        self.clock = clock
        self.metrics = metrics
        let encoder = try VideoEncoder(settings)
        pipeline = try Pipeline(
            name: "program", description: Self.description(settings, encoder), clock: clock
        ) { event in
            switch event {
            case .failed(let error): onFailure(error)
            case .ended: onFailure(LiveError("program", "ended by itself"))
            case .warned(let warning): Log.warning("program: \(warning)")
            }
        }
        videoSource = AppSource(try pipeline.element("video"))
        audioSource = AppSource(try pipeline.element("audio"))
        let start = clock.now + latency
        state = Locked(
            State(
                anchor: Anchor(latency: latency, margin: Self.margin),
                video: VideoTimeline(frameDuration: settings.frameRate.duration, start: start),
                audio: AudioTimeline(rate: AudioFormat.rate, start: start),
                lastFrame: try Frame(standby: settings.format)))
        backlogLimit = max(Int(Self.longestBacklog / settings.frameRate.duration), 2)
        timer = PeriodicThread(name: "timeline", period: 5 * .millisecond)
        let overlay = try pipeline.element("overlay")
        OverlayElement.attach(painter, to: overlay.raw, paintTime: metrics.compositeLatency)
        MixElement.attach(mixer, to: try pipeline.element("mix").raw)
        try receiveCoded()
    }

    // The streaming threads use everything above: they are gone before it goes.
    deinit { stop() }

    package func start() throws(LiveError) {
        try pipeline.play()
        let owner = Unmanaged.passUnretained(self)
        timer.start { owner.takeUnretainedValue().tick() }
    }

    /// Blocks until all threads of the program are gone. The timer first: it pushes.
    package func stop() {
        timer.stop()
        pipeline.stop()
        metrics.programRunning.set(0)
    }

    /// Running time at which the last coded video frame left; 0 before the first. Any thread.
    package var lastFrameTime: Nanoseconds { lastCoded.load(ordering: .relaxed) }

    /// Coded frames, and frames left out on the way to them, since the start. Any thread.
    package var framesEncoded: Int { metrics.framesEncoded.value }
    package var framesDropped: Int {
        metrics.lateFrames.value + metrics.surplusFrames.value + metrics.overloadFrames.value
    }

    // MARK: - Out

    func add(_ outlet: any ProgramOutlet) { outlets.withLock { $0.append(outlet) } }

    func remove(_ outlet: any ProgramOutlet) { outlets.withLock { $0.removeAll { $0 === outlet } } }

    /// Caps of the coded tracks, once both are known.
    var caps: (video: String, audio: String)? {
        codedCaps.withLock { caps in
            guard let video = caps[0], let audio = caps[1] else { return nil }
            return (video, audio)
        }
    }

    /// Asks the encoder for a key frame, at most one a second: several that connect at once share it, and one that
    /// comes and goes does not spend the bitrate of all.
    func requestKeyFrame() {
        let (now, last) = (clock.now, lastKeyRequest.load(ordering: .relaxed))
        guard now - last >= .second || last == 0,
            lastKeyRequest.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged,
            let encoder = try? pipeline.element("encoder"),
            let pad = gst_element_get_static_pad(encoder.raw, "src")
        else { return }
        defer { gst_object_unref(UnsafeMutableRawPointer(pad)) }
        gst_pad_send_event(pad, gst_video_event_new_upstream_force_key_unit(.max, 1, 0))
    }

    private static func description(_ settings: ProgramSettings, _ encoder: VideoEncoder) -> String {
        """
        appsrc name=video \(AppSource.settings) caps="\(settings.format.caps),framerate=\(settings.frameRate),\
        interlace-mode=progressive" \
        ! \(OverlayElement.name) name=overlay ! \(encoder.description) \
        ! h264parse ! video/x-h264,stream-format=avc,alignment=au \
        ! appsink name=codedVideo max-buffers=8 \(AppSinkReceiver.settings) \
        appsrc name=audio \(AppSource.settings) caps="\(AudioFormat.caps)" \
        ! \(MixElement.name) name=mix ! avenc_aac bitrate=\(settings.audioBitrate) ! appsink name=codedAudio max-buffers=16 \(AppSinkReceiver.settings)
        """
    }

    private func receiveCoded() throws(LiveError) {
        let owner = Unmanaged.passUnretained(self)
        AppSinkReceiver.attach(to: try pipeline.element("codedVideo")) {
            owner.takeUnretainedValue().coded(.video, $0, shift: 0)
        }
        let shift = Nanoseconds(Self.priming) * .second / Nanoseconds(AudioFormat.rate)
        AppSinkReceiver.attach(to: try pipeline.element("codedAudio")) {
            owner.takeUnretainedValue().coded(.audio, $0, shift: shift)
        }
    }

    private func coded(_ track: Track, _ arrival: Arrival, shift: Nanoseconds) {
        let now = clock.now
        if track == .video { measure(arrival.pts, now) }
        noteCaps(track, arrival)
        let unit = CodedUnit(
            track: track, buffer: arrival.buffer, pts: arrival.pts - shift, dts: arrival.dts - shift,
            isKey: arrival.buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_DELTA_UNIT.rawValue == 0)
        for outlet in outlets.withLock({ $0 }) { outlet.offer(unit) }
    }

    private func measure(_ stamp: Nanoseconds, _ now: Nanoseconds) {
        metrics.framesEncoded.add()
        if lastCoded.exchange(now, ordering: .relaxed) == 0 { metrics.programRunning.set(1) }
        guard let times = encoding.take(stamp) else { return }
        metrics.encodeLatency.observe(seconds: (now - times.entered).seconds)
        metrics.totalLatency.observe(seconds: (now - times.arrived).seconds)
    }

    /// The encoders set their caps once, with the parameter sets in them; later units only compare a flag.
    private func noteCaps(_ track: Track, _ arrival: Arrival) {
        guard codedCaps.withLock({ $0[track.rawValue] == nil }), let text = gst_caps_to_string(arrival.caps)
        else { return }
        defer { g_free(text) }
        let caps = String(cString: text)
        codedCaps.withLock { $0[track.rawValue] = caps }
    }
}

// MARK: - In

extension Program: FeedOutlet {
    /// A new connection: the next frame or sound sets the mapping of feed time anew.
    func feedConnected() { state.withLock { $0.anchor.reset() } }

    func videoArrived(_ buffer: UnsafeMutablePointer<GstBuffer>, time: Nanoseconds, arrived: Nanoseconds) {
        let now = clock.now
        state.withLock { state in
            let placed = state.anchor.place(.video, time, now: now)
            if placed.moved != 0 { metrics.anchorMoves.add() }
            switch state.video.arrived(placed.time) {
            case .drop(.late): metrics.lateFrames.add()
            case .drop(.surplus): metrics.surplusFrames.add()
            case .push(let repeats, let previous, let stamp):
                state.filled = videoSource.queuedBuffers > backlogLimit / 2 ? state.filled + repeats : repeats
                for number in 0..<repeats {
                    repeatLast(&state, at: previous + Nanoseconds(number + 1) * state.video.frameDuration)
                }
                state.lastFrame = Frame(keeping: buffer)
                encoding.note(stamp, entered: now, arrived: arrived)
                pushLast(&state, at: stamp)
            }
        }
    }

    func audioArrived(_ buffer: UnsafeMutablePointer<GstBuffer>, time: Nanoseconds) {
        let now = clock.now
        let count = Int(gst_buffer_get_size(buffer)) / AudioFormat.bytesPerSample
        state.withLock { state in
            let placed = state.anchor.place(.audio, time, now: now)
            if placed.moved != 0 { metrics.anchorMoves.add() }
            let begin = state.audio.position
            let verdict = state.audio.arrived(placed.time, count: count)
            pushSilence(verdict.silence, from: begin, state.audio)
            metrics.lateSamples.add(verdict.skip)
            guard verdict.take > 0 else { return }
            let first = begin + Int64(verdict.silence)
            let due = placed.time + state.audio.time(of: Int64(verdict.skip))
            metrics.avOffset.set((state.audio.time(of: first) - due).seconds)
            push(buffer, skip: verdict.skip, take: verdict.take, from: first, state.audio)
        }
    }

    private func tick() {
        let now = clock.now
        state.withLock { state in
            while let stamp = state.video.tick(now: now, margin: Self.margin) {
                repeatLast(&state, at: stamp)
            }
            let begin = state.audio.position
            pushSilence(state.audio.tick(now: now, margin: Self.margin), from: begin, state.audio)
        }
    }

    private func repeatLast(_ state: inout State, at stamp: Nanoseconds) {
        metrics.framesRepeated.add()
        pushLast(&state, at: stamp)
    }

    private func pushLast(_ state: inout State, at stamp: Nanoseconds) {
        guard videoSource.queuedBuffers < backlogLimit + state.filled else {
            return metrics.overloadFrames.add()
        }
        guard let buffer = state.lastFrame.buffer(at: stamp, duration: settings.frameRate.duration) else {
            return
        }
        metrics.framesIntoEncoder.add()
        videoSource.push(buffer)
    }

    private func push(
        _ buffer: UnsafeMutablePointer<GstBuffer>, skip: Int, take: Int, from first: Int64,
        _ audio: AudioTimeline
    ) {
        let flags = GstBufferCopyFlags(rawValue: GST_BUFFER_COPY_MEMORY.rawValue)
        guard
            let part = gst_buffer_copy_region(
                buffer, flags, gsize(skip * AudioFormat.bytesPerSample),
                gsize(take * AudioFormat.bytesPerSample))
        else { return }
        push(part, count: take, from: first, audio)
    }

    private func pushSilence(_ count: Int, from first: Int64, _ audio: AudioTimeline) {
        guard count > 0 else { return }
        metrics.silentSamples.add(count)
        let size = gsize(count * AudioFormat.bytesPerSample)
        guard let buffer = gst_buffer_new_allocate(nil, size, nil) else { return }
        gst_buffer_memset(buffer, 0, 0, size)
        push(buffer, count: count, from: first, audio)
    }

    private func push(
        _ buffer: UnsafeMutablePointer<GstBuffer>, count: Int, from first: Int64, _ audio: AudioTimeline
    ) {
        let begin = audio.time(of: first)
        buffer.pointee.pts = GstClockTime(clamping: begin)
        buffer.pointee.dts = .max
        buffer.pointee.duration = GstClockTime(clamping: audio.time(of: first + Int64(count)) - begin)
        audioSource.push(buffer)
    }
}
