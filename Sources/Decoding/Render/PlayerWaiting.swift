internal import Basics
internal import VAP

extension Player {
    /// Waits until the picture that is due at `mediaTime`, or the last before it that there is, is prepared: for playing
    /// without a clock. After `start`, with media times that do not fall; not on a streaming thread.
    func awaitPicture(at mediaTime: Nanoseconds) {
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
}

extension PlayerState.Guarded {
    /// Whether no picture is to come that would be shown at `index` instead of what is there.
    fileprivate func isSettled(at index: Int) -> Bool {
        isStopped || window.isAtEnd || window.filled ?? -1 >= index
    }
}
