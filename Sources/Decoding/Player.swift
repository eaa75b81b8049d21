package import Basics
package import Pictures
internal import Synchronization
package import VAP

/// Plays one animation for one gift: a worker of its own decodes and prepares ahead of the clock, at most four
/// pictures, and the streaming thread paints what is due. With pictures in the cache there is nothing to decode, and no
/// worker. Whoever lets a player go without `stop` stops it.
package final class Player: Sendable {
    package let animation: Animation
    /// Nil where the animation has none.
    package let sound: Sound?
    private let work: PlayerWork
    let state: PlayerState
    private let metrics: DecodingMetrics
    private let cache: ReelCache?
    private let isStarted = Atomic<Bool>(false)
    private let late = Atomic<Int>(0)

    /// `art` is what the gift's sender has filled in, if anything.
    package init(
        _ animation: Animation, place: PlacedRectangle, program: ProgramFormat, blend: Blend = .premultiplied,
        art: FusionArt? = nil, metrics: DecodingMetrics, cache: ReelCache? = nil
    ) {
        self.animation = animation
        self.metrics = metrics
        // What a sender has filled in is for one gift.
        self.cache = art == nil ? cache : nil
        state = PlayerState(animation, metrics: metrics)
        sound = animation.hasSound ? Sound(animation, state) : nil
        work = PlayerWork(
            key: ReelKey(animation: animation, place: place, program: program, blend: blend), art: art,
            metrics: metrics, state: state)
    }

    deinit { stop() }

    /// Starts decoding; only the first call does anything. One of the two is called, once: when the first picture is
    /// prepared, or when there will be none. On the player's worker, or at once on the caller's thread when everything
    /// is in the cache. After `stop` perhaps neither.
    package func start(
        onReady: @escaping @Sendable () -> Void, onFailed: @escaping @Sendable (AnimationError) -> Void
    ) {
        guard !isStarted.exchange(true, ordering: .relaxed) else { return }
        sound?.load()
        switch cache?.reel(for: work.key) {
        case .reel(let lease):
            state.guarded.change { $0.lease = lease }
            state.isReady.store(true, ordering: .releasing)
            onReady()
        case .record: decode(recordingIn: cache, onReady, onFailed)
        case .nothing, nil: decode(recordingIn: nil, onReady, onFailed)
        }
    }

    private func decode(
        recordingIn cache: ReelCache?, _ onReady: @escaping @Sendable () -> Void,
        _ onFailed: @escaping @Sendable (AnimationError) -> Void
    ) {
        let worker = Worker(name: "gift-player")
        worker.run { [work] in
            work.run(recordingIn: cache, onReady: onReady, onFailed: onFailed)
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

    /// Waits until the picture that is due at `mediaTime`, or the last before it that there is, is prepared: for playing
    /// without a clock. After `start`, with media times that do not fall; not on a streaming thread.
    package func awaitPicture(at mediaTime: Nanoseconds) {
        let index = animation.layout.index(at: mediaTime)
        while true {
            let (isSettled, filled) = state.guarded.change { guarded in
                // Gives free what lies before, so that the worker can go on.
                _ = guarded.window.advance(to: index)
                return (guarded.isSettled(at: index), guarded.window.filled)
            }
            if isSettled { return }
            state.guarded.wait { guarded -> Void? in
                guarded.isSettled(at: index) || guarded.window.filled != filled ? () : nil
            }
        }
    }

    /// Draws the picture that is due, or holds the last one while it is not ready. Streaming thread, one call at a
    /// time: waits for nothing but a short lock, allocates nothing.
    package func paint(on frame: LiveFrame, mediaTime: Nanoseconds) {
        let index = animation.layout.index(at: mediaTime)
        if let lease = state.guarded.withLock({ $0.lease }) { return lease.reel.paint(index, on: frame) }
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
