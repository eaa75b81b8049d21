package import Basics
internal import Synchronization

/// The room's live input: one connection after the other, for ever. Whatever happens to it concerns the feed alone;
/// the program runs on.
///
/// Pipelines are built and taken down on a worker of the feed's own, in order, so that a successor never meets the
/// port or the connection of its predecessor.
@ControlPlane package final class Feed {
    package enum Event: Sendable, Equatable {
        case up
        case down(reason: String)
    }

    package struct Status: Sendable, Equatable {
        package var isUp: Bool
        /// Seconds since the feed came up or went down.
        package var since: Double
        /// Why it is down; nil while it is up, and before the first attempt has failed.
        package var reason: String?
    }

    /// Nothing for so long counts as down.
    private static let silence: Nanoseconds = 2 * .second
    /// Nothing for so long is answered with a new connection, where waiting cannot help.
    private static let patience: Nanoseconds = 5 * .second

    private let settings: FeedSettings
    private let program: Program
    private let programSettings: ProgramSettings
    private let clock: LiveClock
    private let metrics: LiveMetrics
    private let onEvent: @ControlPlane (Event) -> Void
    private let worker = Worker(name: "feed")
    /// The port of an SRT listener, opened with the first connection and kept.
    private let listener = Locked<SRTListener?>(nil)
    private var pipeline: FeedPipeline?
    private var generation = 0
    private var openedAt: Nanoseconds = 0
    private var isUp = false
    private var changedAt: Nanoseconds
    private var reason: String?
    private var backoff = Backoff(first: 0.25, cap: 2)
    private var isStopped = false
    private var retry: LoopSource?
    private var watch: LoopSource?

    package init(
        _ settings: FeedSettings, program: Program, programSettings: ProgramSettings, clock: LiveClock,
        metrics: LiveMetrics, onEvent: @escaping @ControlPlane (Event) -> Void
    ) {
        self.settings = settings
        self.program = program
        self.programSettings = programSettings
        self.clock = clock
        self.metrics = metrics
        self.onEvent = onEvent
        changedAt = clock.now
    }

    /// How often it was connected again.
    package var reconnects: Int { metrics.feedReconnects.value }

    package var status: Status {
        Status(isUp: isUp, since: (clock.now - changedAt).seconds, reason: isUp ? nil : reason)
    }

    package func start() {
        watch = .every(100 * .millisecond) { [weak self] in self?.look() }
        open()
    }

    /// Ends the feed; returns when nothing of it is left.
    package func stop() async {
        isStopped = true
        retry?.cancel()
        watch?.cancel()
        close()
        worker.run { [listener] in listener.withLock { $0.take() }?.stop() }
        await worker.drain()
    }

    // MARK: - Connections

    private func open() {
        guard !isStopped else { return }
        generation += 1
        openedAt = clock.now
        let mine = generation
        let (settings, programSettings, clock, listener) = (settings, programSettings, clock, listener)
        let (program, metrics) = (program, metrics)
        worker.run {
            let made = Result { () throws(LiveError) in
                program.feedConnected()
                let pipeline = try FeedPipeline(
                    settings: settings, format: programSettings.format, frameRate: programSettings.frameRate,
                    clock: clock, outlet: program, metrics: metrics
                ) { event in
                    ControlPlane.task { [weak self] in self?.happened(event, generation: mine) }
                }
                try pipeline.play()
                if settings.kind == .srtListener {
                    let port = try Self.port(in: listener, settings)
                    port.deliver { [weak pipeline] in pipeline?.receive($0, isFirst: $1) }
                }
                return pipeline
            }
            ControlPlane.task { [weak self] in self?.opened(made, generation: mine) }
        }
    }

    /// The open port, opened when it is not yet. On the worker, which alone opens it.
    private nonisolated static func port(
        in listener: Locked<SRTListener?>, _ settings: FeedSettings
    ) throws(LiveError) -> SRTListener {
        if let open = listener.withLock({ $0 }) { return open }
        let port = try SRTListener(uri: settings.uri)
        listener.withLock { $0 = port }
        return port
    }

    private func opened(_ made: Result<FeedPipeline, LiveError>, generation mine: Int) {
        switch made {
        case .success(let opened):
            // An event may have been quicker than this, or the feed was stopped meanwhile.
            guard mine == generation, !isStopped else { return takeDown(opened) }
            pipeline = opened
        case .failure(let error): fail(error.description, generation: mine)
        }
    }

    private func happened(_ event: Pipeline.Event, generation mine: Int) {
        switch event {
        case .ended where settings.kind == .file: rewind(generation: mine)
        case .ended: fail("the publisher is gone", generation: mine)
        case .failed(let error): fail(Self.explain(error, settings), generation: mine)
        case .warned(let warning): Log.debug("feed: \(warning)")
        }
    }

    private func fail(_ reason: String, generation mine: Int) {
        guard mine == generation, !isStopped else { return }
        // From here on this connection is not listened to any more.
        generation += 1
        if isUp { turn(up: false, reason) } else { note(reason) }
        close()
        metrics.feedReconnects.add()
        let pause = backoff.failed(served: 0, jitter: .random(in: 0..<1))
        retry = .after(Nanoseconds(seconds: pause)) { [weak self] in self?.open() }
    }

    /// A file is played in a loop; its end is no trouble, unless it comes at once.
    private func rewind(generation mine: Int) {
        guard isUp, clock.now - openedAt >= .second else {
            return fail("the file ends within a second", generation: mine)
        }
        guard mine == generation, !isStopped else { return }
        close()
        open()
    }

    private func close() {
        guard let pipeline else { return }
        self.pipeline = nil
        takeDown(pipeline)
    }

    private func takeDown(_ pipeline: FeedPipeline) { worker.run { pipeline.stop() } }

    // MARK: - Up and down

    private func look() {
        guard let pipeline else { return }
        let now = clock.now
        // A file that begins anew stays up meanwhile.
        let lastSeen = isUp ? max(pipeline.lastOutput, openedAt) : pipeline.lastOutput
        let isFlowing = lastSeen > 0 && now - lastSeen < Self.silence
        if isFlowing != isUp {
            turn(up: isFlowing, isFlowing ? nil : "nothing came for \(Self.silence / .second) s")
        }
        // A listener waits for its publisher; a caller has to call again.
        let quiet = now - max(pipeline.lastPacket, openedAt)
        if settings.kind == .srtCaller, quiet >= Self.patience {
            fail("nothing came for \(quiet / .second) s", generation: generation)
        }
    }

    private func turn(up: Bool, _ reason: String?) {
        isUp = up
        changedAt = clock.now
        self.reason = reason
        metrics.feedUp.set(up ? 1 : 0)
        if up {
            backoff = Backoff(first: 0.25, cap: 2)
            Log.info("feed: up")
            onEvent(.up)
        } else {
            Log.warning(
                "feed: down: \(reason ?? "unknown"); the program runs on with the last frame and silence")
            onEvent(.down(reason: reason ?? "unknown"))
        }
    }

    /// The same reason every few seconds (no publisher yet) is said once.
    private func note(_ reason: String) {
        if reason != self.reason { Log.warning("feed: not there yet: \(reason); trying for ever") }
        self.reason = reason
    }

    private static func explain(_ error: LiveError, _ settings: FeedSettings) -> String {
        if settings.kind == .rtmp, error.description.lowercased().contains("unsupported video codec") {
            return "RTMP brings a codec that RTMP does not carry here (HEVC?): send H.264, or HEVC by SRT"
        }
        return error.description
    }
}

extension Worker {
    /// Returns when all jobs given so far are done, then ends the worker.
    @ControlPlane func drain() async {
        await withCheckedContinuation { continuation in
            run { continuation.resume() }
        }
        stop()
    }
}
