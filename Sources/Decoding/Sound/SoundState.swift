internal import Basics
internal import Synchronization
internal import VAP

/// What a sound's worker and the mixing thread share.
final class SoundState: Sendable {
    struct Guarded: Sendable {
        var isStopped = false
        /// The first thing that went wrong.
        var failure: AnimationError?
    }

    let ring = SampleRing()
    private let rawLength = Atomic<Int64>(.max)
    let guarded = Locked(Guarded())
    private let isWaiting = Atomic<Bool>(false)
    private let isAwaited = Atomic<Bool>(false)
    /// The worker is woken when this much is free, so that it is not woken for every buffer.
    static let portion = SampleRing.capacity / 4

    /// How many samples there are in all. Nil while that is not known. Any thread.
    var length: Int64? {
        let length = rawLength.load(ordering: .acquiring)
        return length == .max ? nil : length
    }

    /// What is in the ring is all there is. Worker.
    func finish() {
        rawLength.store(ring.end, ordering: .sequentiallyConsistent)
        announce()
    }

    /// Tells that there are more samples, when somebody waits for them. Worker.
    func announce() {
        if isAwaited.load(ordering: .sequentiallyConsistent) { guarded.change { _ in } }
    }

    /// Waits until the samples before `end` are there, or there will be none. `end` is less than a portion ahead of what
    /// has been released. Any thread but the streaming ones; one at a time.
    func awaitSamples(before end: Int64) {
        isAwaited.store(true, ordering: .sequentiallyConsistent)
        defer { isAwaited.store(false, ordering: .relaxed) }
        guarded.wait { [self] guarded -> Void? in
            let isFinished = rawLength.load(ordering: .sequentiallyConsistent) != .max
            return guarded.isStopped || isFinished || ring.end >= end ? () : nil
        }
    }

    /// Waits until `count` samples, at most a portion, fit into the ring; false when the decoding shall end. Worker.
    func waitForRoom(_ count: Int) -> Bool {
        isWaiting.store(true, ordering: .sequentiallyConsistent)
        defer { isWaiting.store(false, ordering: .relaxed) }
        return guarded.wait { [ring] guarded in
            if guarded.isStopped { return false }
            return ring.room >= count ? true : nil
        }
    }

    /// Wakes a worker that waits for room when there is some. Mixing thread; no lock is taken when nobody waits.
    func wakeWorker() {
        guard isWaiting.load(ordering: .sequentiallyConsistent), ring.room >= Self.portion else { return }
        guarded.change { _ in }
    }

    /// Keeps the first thing that goes wrong. Worker.
    func note(_ error: AnimationError) {
        guarded.withLock { $0.failure = $0.failure ?? error }
    }
}
