package import Basics

/// One destination: a connection after the other, for ever. Whatever happens to it concerns this destination alone.
///
/// Decided by `DestinationLife` on the control plane; pipelines are built and taken down on a worker of its own.
@ControlPlane package final class Destination {
    package enum Event: Sendable, Equatable {
        case up
        case down(reason: String)
    }

    package struct Status: Sendable, Equatable {
        package var isUp: Bool
        package var reason: String?
        package var bytes: Int
        package var reconnects: Int
    }

    package let settings: DestinationSettings
    private let program: Program
    private let capacity: Int
    private let clock: LiveClock
    private let metrics: DestinationMetrics
    private let onEvent: @ControlPlane (Event) -> Void
    private let worker: Worker
    private var life: DestinationLife
    private var pipeline: DestinationPipeline?
    private var generation = 0
    private var reason: String?
    private var watch: LoopSource?

    /// `capacity`: bytes of the destination's queue.
    package init(
        _ settings: DestinationSettings, program: Program, capacity: Int, clock: LiveClock,
        metrics: LiveMetrics, onEvent: @escaping @ControlPlane (Event) -> Void
    ) {
        self.settings = settings
        self.program = program
        self.capacity = capacity
        self.clock = clock
        self.metrics = DestinationMetrics(metrics, destination: settings.name)
        self.onEvent = onEvent
        worker = Worker(name: "to \(settings.name)")
        life = DestinationLife(now: clock.now)
    }

    package var status: Status {
        Status(
            isUp: life.isUp, reason: life.isUp ? nil : reason, bytes: metrics.bytes.value,
            reconnects: metrics.reconnects.value)
    }

    package func start() {
        watch = .every(100 * .millisecond) { [weak self] in self?.look() }
    }

    /// Ends the stream properly (files become complete); returns when nothing of it is left.
    package func stop() async {
        watch?.cancel()
        generation += 1
        if let pipeline {
            program.remove(pipeline)
            worker.run { pipeline.finish() }
        }
        pipeline = nil
        metrics.up.set(0)
        await worker.drain()
    }

    private func look() {
        // The muxer needs the caps of both tracks; they are known a moment after the start.
        guard program.caps != nil else { return }
        let jitter = Double.random(in: 0..<1)
        perform(
            life.timePassed(
                clock.now, progress: pipeline?.progress ?? 0, isWaiting: (pipeline?.queuedBytes ?? 0) > 0,
                jitter: jitter))
    }

    private func perform(_ action: DestinationLife.Action) {
        switch action {
        case .none: break
        case .open: open()
        case .announceUp:
            reason = nil
            metrics.up.set(1)
            Log.info("destination \(settings.name): up")
            onEvent(.up)
        case .close(let why): close(why)
        }
    }

    private func open() {
        guard let caps = program.caps else { return }
        generation += 1
        let mine = generation
        let (settings, capacity, clock, metrics) = (settings, capacity, clock, metrics)
        let program = program
        worker.run {
            let made = Result { () throws(LiveError) in
                let pipeline = try DestinationPipeline(
                    settings, caps: caps, capacity: capacity, clock: clock, metrics: metrics
                ) { event in
                    ControlPlane.task { [weak self] in self?.happened(event, generation: mine) }
                }
                // Only what plays takes units; the key frame it asks for is its first.
                try pipeline.play()
                program.add(pipeline)
                program.requestKeyFrame()
                return pipeline
            }
            ControlPlane.task { [weak self] in self?.opened(made, generation: mine) }
        }
    }

    private func opened(_ made: Result<DestinationPipeline, LiveError>, generation mine: Int) {
        switch made {
        case .success(let opened):
            guard mine == generation else { return takeDown(opened) }
            pipeline = opened
        case .failure(let error): fail(error.description, generation: mine)
        }
    }

    private func happened(_ event: Pipeline.Event, generation mine: Int) {
        switch event {
        case .failed(let error): fail(error.description, generation: mine)
        case .ended: fail("the stream ended", generation: mine)
        // srtsink would come back by itself in the middle of a group of pictures.
        case .warned(let warning) where settings.kind == .srt: fail(warning.description, generation: mine)
        case .warned(let warning): Log.debug("destination \(settings.name): \(warning)")
        }
    }

    private func fail(_ why: String, generation mine: Int) {
        guard mine == generation else { return }
        perform(life.failed(clock.now, why, jitter: .random(in: 0..<1)))
    }

    private func close(_ why: String) {
        let wasUp = metrics.up.value > 0
        if wasUp || why != reason {
            Log.warning("destination \(settings.name): down: \(why); trying again for ever")
        }
        reason = why
        generation += 1
        metrics.up.set(0)
        metrics.reconnects.add()
        if wasUp { onEvent(.down(reason: why)) }
        if let pipeline { takeDown(pipeline) }
        pipeline = nil
        worker.run { ControlPlane.task { [weak self] in self?.life.closed() } }
    }

    private func takeDown(_ pipeline: DestinationPipeline) {
        program.remove(pipeline)
        worker.run { pipeline.stop() }
    }
}
