import Basics

/// The main loop of the tests: turned on a thread of its own from the first use on.
enum TestLoop {
    static let worker: Worker = {
        let worker = Worker(name: "main loop")
        // The tests of another module may have been first.
        worker.run { if MainLoop.acquire() { MainLoop.run() } }
        return worker
    }()

    /// Runs `body` on the control plane and waits for it.
    static func run<T: Sendable>(_ body: sending @escaping @ControlPlane () async -> T) async -> T {
        _ = worker
        return await ControlPlane.task(body).value
    }
}
