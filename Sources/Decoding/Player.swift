package import Basics
package import Pictures
internal import Synchronization
package import VAP

/// Plays one animation for one gift: a worker of its own decodes and prepares ahead of the clock, at most four
/// pictures, and the streaming thread paints what is due. Whoever lets a player go without `stop` stops it.
package final class Player: Sendable {
    package let animation: Animation
    /// Nil where the animation has none.
    package let sound: Sound?
    private let work: PlayerWork
    let state: PlayerState
    private let metrics: DecodingMetrics
    private let isStarted = Atomic<Bool>(false)
    private let late = Atomic<Int>(0)

    /// `art` is what the gift's sender has filled in, if anything.
    package init(
        _ animation: Animation, place: PlacedRectangle, program: ProgramFormat, blend: Blend = .premultiplied,
        art: FusionArt? = nil, metrics: DecodingMetrics
    ) {
        self.animation = animation
        self.metrics = metrics
        state = PlayerState(animation)
        sound = animation.hasSound ? Sound(animation, state) : nil
        work = PlayerWork(
            animation: animation, place: place, program: program, blend: blend, art: art, metrics: metrics,
            state: state)
    }

    deinit { stop() }

    /// Starts decoding; only the first call does anything. One of the two is called, once, on the player's worker:
    /// when the first picture is prepared, or when there will be none. After `stop` perhaps neither.
    package func start(
        onReady: @escaping @Sendable () -> Void, onFailed: @escaping @Sendable (AnimationError) -> Void
    ) {
        guard !isStarted.exchange(true, ordering: .relaxed) else { return }
        sound?.load()
        let worker = Worker(name: "gift-player")
        worker.run { [work] in
            work.run(onReady: onReady, onFailed: onFailed)
            // From inside: the thread ends by itself, and nobody waits for a decoder to come back.
            worker.stop()
        }
    }

    /// Ends decoding at the next picture. Does not wait; any thread. What was prepared stays paintable until the
    /// player is let go.
    package func stop() {
        state.guarded.change { $0.isStopped = true }
        sound?.cut()
    }

    /// Whether there is a picture to show. Any thread, the frame path included.
    package var isReady: Bool { state.isReady.load(ordering: .acquiring) }

    /// The media time at which the play is over: f / fps, or earlier where the track cannot be played on. Any
    /// thread, the frame path included.
    package var end: Nanoseconds { state.end.load(ordering: .acquiring) }

    /// How many of its pictures were due and not ready. Any thread.
    package var picturesLate: Int { late.load(ordering: .relaxed) }

    /// What went wrong so far, damage that was passed over included.
    package var failure: AnimationError? { state.guarded.withLock { $0.failure } }

    /// Draws the picture that is due, or holds the last one while it is not ready. Streaming thread, one call at a
    /// time: waits for nothing but a short lock, allocates nothing.
    package func paint(on frame: LiveFrame, mediaTime: Nanoseconds) {
        let index = animation.layout.index(at: mediaTime)
        let (picture, isLate) = state.guarded.change { guarded in
            let answer = guarded.window.advance(to: index)
            return (answer.slot.flatMap { guarded.pictures[$0] }, answer.isLate)
        }
        if isLate {
            metrics.picturesLate.add()
            late.add(1, ordering: .relaxed)
        }
        picture?.blend(onto: frame)
    }
}
