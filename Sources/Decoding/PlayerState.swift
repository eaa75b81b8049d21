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
        var isStopped = false
        /// Why the play will not end well.
        private(set) var failure: AnimationError?

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

    init(_ animation: Animation) {
        let last = min(animation.codedFrameCount, animation.layout.frameCount) - 1
        guarded = Locked(Guarded(window: PictureWindow(last: last)))
        end = Atomic(animation.layout.duration)
    }
}
