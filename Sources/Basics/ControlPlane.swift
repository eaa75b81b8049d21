internal import CGLib
internal import Synchronization

/// Where everything happens that is not per frame: one thread, the one that turns the GLib main context
/// (`MainLoop`). Nothing on it may block; what blocks has a `Worker`.
@globalActor
package actor ControlPlane {
    package static let shared = ControlPlane()
    package static let executor = MainContextExecutor()

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        Self.executor.asUnownedSerialExecutor()
    }

    /// Starts a task whose every part runs on the main loop: continuations and functions without isolation
    /// too, so the cooperative pool is never involved and a hop costs less than a microsecond. Any thread.
    @discardableResult
    package nonisolated static func task<T: Sendable>(
        _ body: sending @escaping @ControlPlane () async -> T
    ) -> Task<T, Never> {
        Task(executorPreference: executor, operation: body)
    }

    /// Runs `body` at once on behalf of a C callback that the main loop made. Stops the process when it is
    /// called on another thread: that is a mistake in the program.
    package nonisolated static func assumeIsolated<T, E: Error>(
        _ body: @ControlPlane () throws(E) -> T
    ) throws(E) -> T {
        shared.preconditionIsolated()
        // What MainActor.assumeIsolated of the standard library does: the global actor is no part of the
        // closure's representation.
        return try withoutActuallyEscaping(body) { (body) throws(E) -> T in
            try unsafeBitCast(body, to: (() throws(E) -> T).self)()
        }
    }

    /// The same with one value handed over: C pointers may be passed, but not captured.
    package nonisolated static func assumeIsolated<A, T, E: Error>(
        _ value: A, body: @ControlPlane (A) throws(E) -> T
    ) throws(E) -> T {
        shared.preconditionIsolated()
        return try withoutActuallyEscaping(body) { (body) throws(E) -> T in
            try unsafeBitCast(body, to: ((A) throws(E) -> T).self)(value)
        }
    }
}

/// Runs jobs on the default GLib main context in the order they came, a batch per turn of the loop: jobs that
/// jobs add wait for the next turn, so that sockets and timers get theirs in between.
// Unchecked: the one pointer inside is immutable, and GLib's functions on a context may be called anywhere.
package final class MainContextExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
    private let context: OpaquePointer
    private let jobs = Locked<[UnownedJob]>([])
    private let pending = Atomic<Bool>(false)

    fileprivate init() {
        context = g_main_context_default()
        // GLib keeps the table of functions for as long as the source lives: for ever.
        let functions = UnsafeMutablePointer<GSourceFuncs>.allocate(capacity: 1)
        functions.initialize(to: GSourceFuncs())
        functions.pointee.prepare = { _, timeout in
            timeout?.pointee = -1
            return ControlPlane.executor.hasJobs ? 1 : 0
        }
        functions.pointee.check = { _ in ControlPlane.executor.hasJobs ? 1 : 0 }
        functions.pointee.dispatch = { _, _, _ in
            ControlPlane.executor.runBatch()
            return 1
        }
        let source = g_source_new(functions, guint(MemoryLayout<GSource>.size))
        g_source_attach(source, context)
        g_source_unref(source)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = jobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        guard isFirst else { return }
        pending.store(true, ordering: .releasing)
        if g_main_context_is_owner(context) == 0 { g_main_context_wakeup(context) }
    }

    package func isIsolatingCurrentContext() -> Bool? { g_main_context_is_owner(context) != 0 }

    package func checkIsolated() {
        precondition(g_main_context_is_owner(context) != 0, "not on the control plane")
    }

    private var hasJobs: Bool { pending.load(ordering: .acquiring) }

    private func runBatch() {
        pending.store(false, ordering: .relaxed)
        let batch = jobs.withLock { jobs in
            let batch = jobs
            jobs = []
            return batch
        }
        let (serial, task) = (asUnownedSerialExecutor(), asUnownedTaskExecutor())
        for job in batch { job.runSynchronously(isolatedTo: serial, taskExecutor: task) }
    }
}
