internal import CGLib
internal import Glibc

/// A thread of its own that runs what it is given, in order. For whatever blocks or computes long.
/// Its list of jobs is not bounded: who gives work bounds it.
package final class Worker: Sendable {
    package typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var isStopping = false
        var thread: pthread_t?
    }

    private let state: Locked<State>

    /// Starts the thread. Of the name the system shows the first 15 bytes.
    package init(name: String) {
        let state = Locked(State())
        self.state = state
        let start = Start(state: state, name: name)
        let context = Unmanaged.passRetained(start).toOpaque()
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Start>.fromOpaque(context).takeRetainedValue().main()
                return nil
            }, context)
        guard result == 0 else { fatalError("worker \(name): out of memory or threads") }
        state.withLock { $0.thread = thread }
    }

    deinit { stop() }

    /// Adds a job behind the others. Ignored after `stop`. Any thread.
    package func run(_ job: @escaping Job) {
        state.change { state in
            if !state.isStopping { state.jobs.append(job) }
        }
    }

    /// Waits until the jobs given so far are done, then ends the thread. On the thread itself it does not
    /// wait. The second call does nothing.
    package func stop() {
        let thread = state.change { state -> pthread_t? in
            state.isStopping = true
            return state.thread.take()
        }
        guard let thread else { return }
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    /// What the thread knows: not the worker itself, so that letting that go ends the thread.
    private final class Start: Sendable {
        let state: Locked<State>
        let name: String

        init(state: Locked<State>, name: String) {
            self.state = state
            self.name = name
        }

        func main() {
            cglib_name_thread(name)
            while let jobs = next() {
                for job in jobs { job() }
            }
        }

        /// Everything that waits, or nil when the thread shall end.
        private func next() -> [Job]? {
            state.wait { state -> [Job]?? in
                guard state.jobs.isEmpty else {
                    let jobs = state.jobs
                    state.jobs = []
                    return jobs
                }
                return state.isStopping ? .some(nil) : nil
            }
        }
    }
}
