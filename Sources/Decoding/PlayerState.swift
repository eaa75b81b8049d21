internal import Basics
internal import Pictures
internal import Synchronization
internal import VAP

/// What a player's worker, the streaming thread and the control plane share.
final class PlayerState: Sendable {
    struct Guarded: Sendable {
        var window: PictureWindow
        /// Made when a slot is first filled, then refilled. The window says which thread a picture is for.
        var pictures = InlineArray<4, Picture?>(repeating: nil)
        /// Plays instead of the window when it is there.
        var lease: ReelLease?
        var isStopped = false
        /// Why the play will not end well.
        private(set) var failure: AnimationError?

        /// Whether no picture is to come that would be shown at `index` instead of what is there.
        func isSettled(at index: Int) -> Bool {
            lease != nil || isStopped || window.isSettled(at: index) || (failure != nil && !window.isReady)
        }

        /// Keeps the first failure; false when there was one.
        mutating func fail(_ error: AnimationError) -> Bool {
            guard failure == nil else { return false }
            failure = error
            return true
        }
    }

    let guarded: Locked<Guarded>
    /// Whether the first picture is prepared.
    let isReady = Atomic<Bool>(false)
    /// The media time at which the play is over.
    let end: Atomic<Nanoseconds>
    private let metrics: DecodingMetrics

    init(_ animation: Animation, metrics: DecodingMetrics) {
        self.metrics = metrics
        let last = min(animation.codedFrameCount, animation.layout.frameCount) - 1
        guarded = Locked(Guarded(window: PictureWindow(last: last)))
        end = Atomic(animation.layout.duration)
    }

    // Nobody else is left that could hold the lock.
    deinit {
        let held = guarded.withLock { guarded in
            (0..<PictureWindow.capacity).count { guarded.pictures[$0] != nil }
        }
        metrics.picturesHeld.add(-Double(held))
    }
}
