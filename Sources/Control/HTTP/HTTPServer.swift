package import Basics
internal import CGLib
internal import CSoup
internal import Glibc

/// Metrics and health for machines that look after rooms. Nothing here changes anything, so it asks for no
/// token; it answers GET and HEAD, and one request per connection.
@ControlPlane package final class HTTPServer {
    /// Whether all is well, and in one line why.
    package struct Health: Sendable {
        package var isGood: Bool
        package var reason: String

        package init(isGood: Bool, reason: String) {
            self.isGood = isGood
            self.reason = reason
        }
    }

    package struct Limits: Sendable {
        package var connections = 64
        /// From the connection's first moment to its last.
        package var lifetime: Nanoseconds = 10 * .second

        package init() {}
    }

    package typealias Text = @ControlPlane () -> String
    package typealias Probe = @ControlPlane () -> Health

    fileprivate struct Reply {
        var status: guint
        var body: String
        var type = "text/plain; charset=utf-8"
    }

    private let metrics: Text
    private let health: Probe
    private let readiness: Probe
    private let connections: HTTPConnections
    private let server: OwnedServer
    private var listener: Listener?
    private var timer: LoopSource?

    /// `metrics` gives the text of `/metrics`; `health` and `readiness` decide `/healthz` and `/readyz`.
    package init(
        limits: Limits = Limits(), metrics: @escaping Text, health: @escaping Probe,
        readiness: @escaping Probe
    ) throws(ControlError) {
        self.metrics = metrics
        self.health = health
        self.readiness = readiness
        connections = HTTPConnections(limit: limits.connections, lifetime: limits.lifetime)
        server = try OwnedServer()
        server.serve(Relay(self))
    }

    /// Opens the door at `ADDRESS:PORT`; tells the port, which the system chooses when it is 0.
    @discardableResult
    package func listen(_ address: String) throws(ControlError) -> UInt16 {
        let (descriptor, port) = try ListenAddress(address).listen()
        listener = Listener(adopting: descriptor, name: "http \(address)") { [weak self] client in
            if let self { admit(client) } else { close(client) }
        }
        timer = .every(.second / 2) { [weak self] in self?.connections.sweep(at: Monotonic.now()) }
        return port
    }

    /// Open connections.
    package var connectionCount: Int {
        connections.sweep(at: Monotonic.now())
        return connections.count
    }

    /// Closes the door and all connections.
    package func stop() {
        (listener, timer) = (nil, nil)
        connections.dropAll()
        soup_server_disconnect(server.raw)
    }

    private func admit(_ descriptor: Int32) {
        guard let socket = g_socket_new_from_fd(descriptor, nil) else {
            close(descriptor)
            return
        }
        defer { g_object_unref(socket) }
        // libsoup wants both addresses. Who has left already has none.
        guard let here = g_socket_get_local_address(socket, nil) else { return }
        defer { g_object_unref(here) }
        guard let there = g_socket_get_remote_address(socket, nil) else { return }
        defer { g_object_unref(there) }
        guard let connection = g_socket_connection_factory_create_connection(socket) else { return }
        defer { g_object_unref(connection) }
        connections.add(socket, at: Monotonic.now())
        let stream = UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GIOStream.self)
        _ = soup_server_accept_iostream(server.raw, stream, here, there, nil)
    }

    fileprivate func end(_ stream: UnsafeMutablePointer<GIOStream>, _ text: String) {
        connections.end(stream, text, at: Monotonic.now())
    }

    fileprivate func reply(to path: String) -> Reply {
        switch path {
        case "/metrics":
            Reply(status: 200, body: metrics(), type: "text/plain; version=0.0.4; charset=utf-8")
        case "/healthz": Reply(health())
        case "/readyz": Reply(readiness())
        default: Reply(status: 404, body: "nothing is here: there are /metrics, /healthz and /readyz\n")
        }
    }
}

extension HTTPServer.Reply {
    fileprivate init(_ health: HTTPServer.Health) {
        self.init(status: health.isGood ? 200 : 503, body: health.reason + "\n")
    }
}

/// What libsoup's handlers hold: the server, weakly.
@ControlPlane private final class Relay {
    private weak var server: HTTPServer?

    init(_ server: HTTPServer) { self.server = server }

    /// When the headers are in. libsoup would read any body to its end, for as long as the sender keeps pace
    /// without ever coming back to the main loop: so a request that announces one is ended here.
    func check(_ message: OpaquePointer) {
        let method = soup_server_message_get_method(message).map { String(cString: $0) } ?? ""
        let isKnown = method == "GET" || method == "HEAD"
        if announcesBody(message), let stream = soup_server_message_steal_connection(message) {
            let status = isKnown ? "413 Content Too Large" : "405 Method Not Allowed\r\nAllow: GET, HEAD"
            server?.end(stream, "HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        } else if !isKnown {
            let headers = soup_server_message_get_response_headers(message)
            soup_message_headers_replace(headers, "Allow", "GET, HEAD")
            respond(message, .init(status: 405, body: "only GET and HEAD are answered here\n"))
        }
    }

    private func announcesBody(_ message: OpaquePointer) -> Bool {
        let headers = soup_server_message_get_request_headers(message)
        return switch soup_message_headers_get_encoding(headers) {
        case SOUP_ENCODING_NONE: false
        case SOUP_ENCODING_CONTENT_LENGTH: soup_message_headers_get_content_length(headers) != 0
        default: true
        }
    }

    func serve(_ message: OpaquePointer, _ path: String) {
        guard soup_server_message_get_status(message) == 0 else { return }
        respond(message, server?.reply(to: path) ?? .init(status: 503, body: "stopping\n"))
    }
}

/// A SoupServer of our own.
@ControlPlane private final class OwnedServer {
    let raw: UnsafeMutablePointer<SoupServer>

    init() throws(ControlError) {
        guard let raw = csoup_server_new() else { throw ControlError("http: no server") }
        self.raw = raw
    }

    /// Hands all requests to the relay, and keeps it. The handlers are called on the control plane, which is
    /// checked; the relay goes with the server, which `deinit` lets go there too.
    func serve(_ relay: Relay) {
        soup_server_add_early_handler(
            raw, nil,
            { _, message, _, _, data in
                guard let message, let data else { return }
                Unmanaged<Relay>.fromOpaque(data).takeUnretainedValue().check(message)
            }, Unmanaged.passUnretained(relay).toOpaque(), nil)
        soup_server_add_handler(
            raw, nil,
            { _, message, path, _, data in
                guard let message, let path, let data else { return }
                let relay = Unmanaged<Relay>.fromOpaque(data).takeUnretainedValue()
                relay.serve(message, String(cString: path))
            }, Unmanaged.passRetained(relay).toOpaque(),
            { if let data = $0 { Unmanaged<Relay>.fromOpaque(data).release() } })
    }

    isolated deinit { g_object_unref(raw) }
}

@ControlPlane private func respond(_ message: OpaquePointer, _ reply: HTTPServer.Reply) {
    let headers = soup_server_message_get_response_headers(message)
    soup_message_headers_replace(headers, "Connection", "close")
    soup_message_headers_replace(headers, "Cache-Control", "no-store")
    soup_server_message_set_status(message, reply.status, nil)
    soup_server_message_set_response(
        message, reply.type, SOUP_MEMORY_COPY, reply.body, gsize(reply.body.utf8.count))
}
