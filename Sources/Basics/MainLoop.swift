internal import CGLib
internal import Synchronization

/// The loop that drives the control plane.
package enum MainLoop {
    private static let stopped = Atomic<Bool>(false)

    /// Makes the calling thread the control plane's, so that `ControlPlane.assumeIsolated` works before the
    /// loop runs. First thing in `main`. False when another thread has it already.
    package static func acquire() -> Bool { g_main_context_acquire(nil) != 0 }

    /// Turns the loop until `quit`. Tasks that are suspended when it returns stay suspended: first stop what
    /// is going on, then quit.
    package static func run() {
        guard acquire() else { return Log.error("main loop: another thread runs it already") }
        defer { g_main_context_release(nil) }
        while !stopped.exchange(false, ordering: .acquiringAndReleasing) {
            g_main_context_iteration(nil, 1)
        }
    }

    /// Ends `run`, or the next one when none is under way. Any thread.
    package static func quit() {
        stopped.store(true, ordering: .releasing)
        g_main_context_wakeup(nil)
    }
}
