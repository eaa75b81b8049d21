internal import Basics
internal import Glibc
internal import Synchronization

/// A thread that does the same small thing at a fixed period. Turns that were missed are not made up.
final class PeriodicThread: Sendable {
    private let period: Nanoseconds
    private let worker: Worker
    private let isRunning = Atomic<Bool>(false)

    init(name: String, period: Nanoseconds) {
        self.period = period
        worker = Worker(name: name)
    }

    /// Starts once.
    func start(_ turn: @escaping @Sendable () -> Void) {
        isRunning.store(true, ordering: .releasing)
        worker.run { [self] in
            while isRunning.load(ordering: .acquiring) {
                turn()
                sleep()
            }
        }
    }

    /// Blocks until the running turn is over. Any number of times.
    func stop() {
        isRunning.store(false, ordering: .releasing)
        worker.stop()
    }

    private func sleep() {
        let now = Monotonic.now()
        let next = now - now % period + period
        var time = timespec(tv_sec: Int(next / .second), tv_nsec: Int(next % .second))
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
    }
}
