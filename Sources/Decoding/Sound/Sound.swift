internal import Basics
internal import Synchronization
package import VAP

/// The sound of one gift: a worker of its own decodes the animation's sound ahead of the clock, at most 0.68 s, and a
/// `SoundMix` adds it to the program. What is wrong with it concerns nobody else: the gift plays on in silence.
package final class Sound: Sendable {
    enum Outcome: String, CaseIterable {
        /// Heard to its end, or to the gift's.
        case finished
        /// Ended with its gift, before that.
        case cut
        /// Heard with holes where it was damaged.
        case damaged
        /// Not heard at all: nothing could be decoded.
        case failed
    }

    private let animation: Animation
    private let player: PlayerState
    let state = SoundState()
    private let isBegun = Atomic<Bool>(false)
    private let origin = Atomic<Int64>(.min)
    private let hasPlayed = Atomic<Bool>(false)
    private let isPlayedOut = Atomic<Bool>(false)
    private let isCut = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)
    private let volume = Atomic<UInt32>(Float(1).bitPattern)
    private let duck = Atomic<UInt32>(Float(1).bitPattern)
    /// The mixing thread's alone.
    private let voice = Locked(Voice())

    init(_ animation: Animation, _ player: PlayerState) {
        self.animation = animation
        self.player = player
    }

    // MARK: Control plane

    /// Starts decoding; only the first call does anything.
    func load() {
        guard !isBegun.exchange(true, ordering: .relaxed) else { return }
        let work = SoundWork(animation: animation, state: state)
        let worker = Worker(name: "gift-sound")
        worker.run {
            work.run()
            worker.stop()
        }
    }

    /// Fades it out from the mix's next sample on. Any thread. Not where the picture has come to its end: what the
    /// program has not heard of it by then is still heard.
    func cut() {
        guard !isPlayedOut.load(ordering: .acquiring) else { return }
        isCut.store(true, ordering: .releasing)
        // What there is by now is enough to fade out.
        stop()
    }

    /// Ends decoding. Any thread but the mixing one.
    func stop() { state.guarded.change { $0.isStopped = true } }

    deinit { stop() }

    /// How loud: a factor, 0 ... 4. Moves there within 50 ms.
    package func set(volume: Double) {
        self.volume.store(Float(min(max(volume, 0), 4)).bitPattern, ordering: .relaxed)
    }

    /// By how many decibels, 0 ... 60, the host is quieter while it sounds.
    package func set(duck: Double) {
        self.duck.store(SoundMix.factor(decibels: -min(max(duck, 0), 60)).bitPattern, ordering: .relaxed)
    }

    /// What went wrong so far, in words.
    package var failure: AnimationError? { state.guarded.withLock { $0.failure } }

    /// What became of it, once it is over. Nil when its gift was never shown.
    var outcome: Outcome? {
        guard hasPlayed.load(ordering: .acquiring) else { return nil }
        guard failure == nil else { return state.ring.end == 0 ? .failed : .damaged }
        return isCut.load(ordering: .acquiring) ? .cut : .finished
    }

    // MARK: The picture's streaming thread

    /// From now on media time 0 is, or would have been, at `time` in the program.
    func play(from time: Nanoseconds) {
        origin.store(SampleClock.place(of: time), ordering: .releasing)
        hasPlayed.store(true, ordering: .releasing)
    }

    /// The media time stands still: fades out until `play` is called again.
    func hold() { origin.store(.min, ordering: .releasing) }

    /// The picture has come to its end.
    func playedOut() { isPlayedOut.store(true, ordering: .releasing) }

    /// Waits until the program's samples before `place` are decoded, or there will be none: for playing without a
    /// clock. Not on a streaming thread.
    func awaitSamples(before place: Int64) {
        let origin = origin.load(ordering: .acquiring)
        guard origin != .min, !hasEnded else { return }
        // Beyond a fade: whether there is more must not depend on when the worker gets to it.
        state.awaitSamples(before: place - origin + Int64(2 * Voice.fade))
    }

    // MARK: Mixing thread

    /// Whether it has nothing more to add. Any thread.
    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    /// As `hasEnded`, also when it was never started. Any thread.
    var isDone: Bool {
        hasEnded || isCut.load(ordering: .acquiring) && !hasPlayed.load(ordering: .acquiring)
    }

    /// The factor for the host while `count` samples from `place` on are mixed: 1 where it does not sound.
    func duckFactor(at place: Int64, count: Int) -> Float {
        let orders = orders()
        guard !hasEnded, !orders.isCut, let origin = orders.origin, place + Int64(count) > origin else {
            return 1
        }
        guard place - origin < min(orders.end, orders.length ?? orders.end) else { return 1 }
        return Float(bitPattern: duck.load(ordering: .relaxed))
    }

    /// Adds its part.
    func mix(into out: LiveSound, at place: Int64) -> Voice.Report {
        guard !hasEnded else { return Voice.Report(isOver: true) }
        let orders = orders()
        let report = voice.withLock { [state] in $0.mix(into: out, at: place, orders, from: state.ring) }
        if report.isOver { isOver.store(true, ordering: .releasing) }
        state.wakeWorker()
        return report
    }

    private func orders() -> Voice.Orders {
        let origin = origin.load(ordering: .acquiring)
        return Voice.Orders(
            origin: origin == .min ? nil : origin,
            end: SampleClock.place(of: player.end.load(ordering: .acquiring)),
            length: state.length, isCut: isCut.load(ordering: .acquiring),
            gain: Float(bitPattern: volume.load(ordering: .relaxed)))
    }
}
