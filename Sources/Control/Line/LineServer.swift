package import Basics
internal import Glibc

/// The main door: JSON-RPC on a unix socket, one object per line. It stays open until `stop`.
@ControlPlane package final class LineServer {
    let router: Router
    let limits: LineLimits
    let counters: LineCounters
    private let path: String
    private var listener: Listener?
    private var clients: [ObjectIdentifier: LineClient] = [:]
    private var timer: LoopSource?
    private var isStopping = false
    private var stopped: CheckedContinuation<Void, Never>?

    package init(path: String, router: Router, limits: LineLimits = LineLimits(), metrics: MetricsRegistry) {
        self.path = path
        self.router = router
        self.limits = limits
        counters = LineCounters(metrics)
    }

    package var clientCount: Int { clients.count }

    /// Opens the door. Throws when another process listens on the path.
    package func start() throws(ControlError) {
        let descriptor = try UnixSocket.listen(path)
        listener = Listener(adopting: descriptor, name: "control socket \(path)") { [weak self] client in
            if let self { admit(client) } else { close(client) }
        }
        timer = .every(.second / 2) { [weak self] in
            for client in self?.clients.values.map({ $0 }) ?? [] { client.update() }
        }
    }

    /// Closes the door, serves what has been asked, and returns when all clients have their answers or
    /// `grace` is over.
    package func stop(grace: Nanoseconds = .second) async {
        guard listener != nil, !isStopping else { return }
        isStopping = true
        listener = nil
        unlink(path)
        for client in clients.values.map({ $0 }) { client.finish() }
        if !clients.isEmpty {
            let deadline = LoopSource.after(grace) { [weak self] in
                for client in self?.clients.values.map({ $0 }) ?? [] { client.end() }
            }
            await withCheckedContinuation { stopped = $0 }
            deadline.cancel()
        }
        timer = nil
    }

    private func admit(_ descriptor: Int32) {
        guard clients.count < limits.clients else {
            counters.refused(.tooManyClients)
            return turnAway(descriptor)
        }
        let client = LineClient(adopting: descriptor, server: self)
        clients[ObjectIdentifier(client)] = client
        counters.clients.set(Double(clients.count))
        client.update()
    }

    /// Tells a client why it cannot come in. A fresh socket has room for one line.
    private func turnAway(_ descriptor: Int32) {
        let text = "\(limits.clients) clients are connected already: try again later"
        let line = (router.refusal(RPCError(.tooManyClients, text)) ?? []) + [UInt8(ascii: "\n")]
        _ = line.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        close(descriptor)
    }

    func remove(_ client: LineClient) {
        clients[ObjectIdentifier(client)] = nil
        counters.clients.set(Double(clients.count))
        guard isStopping, clients.isEmpty else { return }
        stopped.take()?.resume()
    }
}

/// What the line door counts.
struct LineCounters {
    let metrics: MetricsRegistry
    let clients: Gauge
    let requests: Counter

    init(_ metrics: MetricsRegistry) {
        self.metrics = metrics
        clients = metrics.gauge("giftd_control_clients", help: "Clients on the control socket.")
        requests = metrics.counter(
            "giftd_control_requests_total", help: "Requests read from the control socket.")
        for kind in [ErrorKind.rateLimited, .tooLong, .tooManyClients] { refused(kind, 0) }
        dropped(0)
    }

    /// Requests and clients refused by the door itself.
    func refused(_ kind: ErrorKind, _ count: Int = 1) {
        metrics.counter(
            "giftd_control_refused_total", help: "Requests and clients that the control socket refused.",
            labels: [("reason", kind.name)]
        ).add(count)
    }

    func dropped(_ count: Int = 1) {
        metrics.counter(
            "giftd_control_clients_dropped_total", help: "Clients dropped because they did not read."
        ).add(count)
    }
}
