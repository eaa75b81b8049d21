extension ControlPlane {
    /// Sleeps on the main loop, to the millisecond; returns at once when the task is cancelled. Not
    /// `Task.sleep`: that needs a descriptor, and stops the process when there is none left.
    @ControlPlane package static func sleep(for duration: Nanoseconds) async {
        let sleeper = Sleeper()
        await withTaskCancellationHandler {
            await withCheckedContinuation { sleeper.start($0, duration) }
        } onCancel: {
            task { sleeper.wake() }
        }
    }
}

/// One sleep: wakes once, by time or by cancellation, whichever comes first.
@ControlPlane private final class Sleeper {
    private var continuation: CheckedContinuation<Void, Never>?
    private var timer: LoopSource?
    private var isAwake = false

    func start(_ continuation: CheckedContinuation<Void, Never>, _ duration: Nanoseconds) {
        guard !isAwake else { return continuation.resume() }
        self.continuation = continuation
        timer = .after(duration) { [self] in wake() }
    }

    func wake() {
        isAwake = true
        timer = nil
        continuation.take()?.resume()
    }
}
