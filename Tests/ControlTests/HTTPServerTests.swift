import Basics
import Foundation
import Testing

@testable import Control

@Suite("HTTP server", .timeLimit(.minutes(1)))
struct HTTPServerTests {
    @ControlPlane private final class House {
        var isReady = true
        let server: HTTPServer

        init(_ limits: HTTPServer.Limits) throws {
            let metrics = MetricsRegistry()
            metrics.gauge("giftd_feed_up", help: "1 while the feed delivers.").set(1)
            let state = State()
            server = try HTTPServer(
                limits: limits, metrics: { metrics.exposition() },
                health: { .init(isGood: true, reason: "ok") },
                readiness: { state.health })
            self.state = state
        }

        final class State {
            var health = HTTPServer.Health(isGood: true, reason: "ready")
        }
        let state: State
    }

    private func withHouse(
        _ limits: HTTPServer.Limits = .init(), _ body: (House, UInt16) async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(OwnThread()) {
            let (house, port) = try await TestLoop.run {
                Result {
                    let house = try House(limits)
                    return (house, try house.server.listen("127.0.0.1:0"))
                }
            }.get()
            do { try await body(house, port) } catch {
                await TestLoop.run { house.server.stop() }
                throw error
            }
            await TestLoop.run { house.server.stop() }
        }
    }

    /// The whole answer to a request of these lines.
    private func ask(_ port: UInt16, _ lines: String..., body: String = "") throws -> String {
        let client = try RawClient(port: port)
        client.send((lines + ["Host: giftd", "", ""]).joined(separator: "\r\n") + body)
        return client.everything()
    }

    @Test("serves the metrics in Prometheus' format")
    func metrics() async throws {
        try await withHouse { _, port in
            let answer = try ask(port, "GET /metrics HTTP/1.1")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
            #expect(answer.hasSuffix("giftd_feed_up 1.0\n"))
        }
    }

    @Test("tells health and readiness by status and reason")
    func health() async throws {
        try await withHouse { house, port in
            #expect(try ask(port, "GET /healthz HTTP/1.1").hasSuffix("\r\n\r\nok\n"))
            #expect(try ask(port, "GET /readyz HTTP/1.1").hasPrefix("HTTP/1.1 200"))
            await TestLoop.run { house.state.health = .init(isGood: false, reason: "no destination is up") }
            let answer = try ask(port, "GET /readyz HTTP/1.1")
            #expect(answer.hasPrefix("HTTP/1.1 503"))
            #expect(answer.hasSuffix("\r\n\r\nno destination is up\n"))
        }
    }

    @Test("answers HEAD with the headers alone")
    func head() async throws {
        try await withHouse { _, port in
            let answer = try ask(port, "HEAD /metrics HTTP/1.1")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.hasSuffix("\r\n\r\n"))
            #expect(answer.contains("Content-Length: "))
        }
    }

    @Test(
        "knows no other path",
        arguments: ["/", "/metric", "/metrics/x", "/../etc/passwd", "/%00", "/metrics%2f"])
    func otherPaths(path: String) async throws {
        try await withHouse { _, port in
            let answer = try ask(port, "GET \(path) HTTP/1.1")
            #expect(answer.hasPrefix("HTTP/1.1 404") || answer.hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test("refuses other methods", arguments: ["POST", "PUT", "DELETE", "OPTIONS", "BREW"])
    func otherMethods(method: String) async throws {
        try await withHouse { _, port in
            let answer = try ask(port, "\(method) /metrics HTTP/1.1", "Content-Length: 3", body: "abc")
            #expect(answer.hasPrefix("HTTP/1.1 405"))
            #expect(answer.contains("Allow: GET, HEAD\r\n"))
        }
    }

    @Test(
        "survives what is no HTTP",
        arguments: ["\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n", "\r\n\r\n\r\n"])
    func noHTTP(text: String) async throws {
        var limits = HTTPServer.Limits()
        limits.lifetime = .second
        try await withHouse(limits) { _, port in
            let client = try RawClient(port: port)
            client.send(text)
            _ = client.everything()
            #expect(try ask(port, "GET /healthz HTTP/1.1").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("cuts off headers without end")
    func endlessHeaders() async throws {
        try await withHouse { _, port in
            let client = try RawClient(port: port)
            client.send("GET /metrics HTTP/1.1\r\n")
            let line = "X: " + String(repeating: "x", count: 8000) + "\r\n"
            let taken = (0..<1000).count { _ in client.send(line) == line.utf8.count }
            #expect(taken < 1000)
            #expect(try ask(port, "GET /healthz HTTP/1.1").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test(
        "reads no body, whatever it announces",
        arguments: ["Content-Length: 9000000000", "Transfer-Encoding: chunked"])
    func endlessBody(header: String) async throws {
        try await withHouse { _, port in
            for method in ["POST", "GET"] {
                let client = try RawClient(port: port)
                client.send("\(method) /metrics HTTP/1.1\r\nHost: giftd\r\n\(header)\r\n\r\n")
                // What the buffers of both ends hold, and no more.
                let chunk = Array("fffff\r\n".utf8) + [UInt8](repeating: 120, count: 0xFFFFF) + [13, 10]
                let taken = (0..<100).prefix { _ in client.send(chunk) == chunk.count }
                #expect(taken.count < 40)
                #expect(try ask(port, "GET /healthz HTTP/1.1").hasPrefix("HTTP/1.1 200"))
            }
        }
    }

    @Test("tells a GET with a body that it is too large")
    func body() async throws {
        try await withHouse { _, port in
            let answer = try ask(port, "GET /metrics HTTP/1.1", "Content-Length: 3", body: "abc")
            #expect(answer.hasPrefix("HTTP/1.1 413"))
            #expect(try ask(port, "GET /healthz HTTP/1.1", "Content-Length: 0").hasPrefix("HTTP/1.1 200"))
            #expect(try ask(port, "POST /healthz HTTP/1.1").hasPrefix("HTTP/1.1 405"))
        }
    }

    @Test("ends connections that send half a request, or nothing, by time")
    func slowLoris() async throws {
        var limits = HTTPServer.Limits()
        limits.lifetime = .second
        try await withHouse(limits) { house, port in
            let clients = try (0..<20).map { _ in try RawClient(port: port) }
            for client in clients.dropFirst(5) { client.send("GET /metrics HTTP/1.1\r\nX: ") }
            #expect(try ask(port, "GET /healthz HTTP/1.1").hasPrefix("HTTP/1.1 200"))
            let start = Monotonic.now()
            for client in clients { #expect(client.everything().isEmpty) }
            #expect(Monotonic.now() - start < 9 * .second)
            #expect(await TestLoop.run { house.server.connectionCount } == 0)
        }
    }

    @Test("a crowd of half requests does not keep an honest one out")
    func crowd() async throws {
        var limits = HTTPServer.Limits()
        limits.connections = 8
        try await withHouse(limits) { house, port in
            let clients = try (0..<40).map { _ in try RawClient(port: port) }
            for client in clients { client.send("GET /metrics HTTP/1.1\r\n") }
            #expect(try ask(port, "GET /healthz HTTP/1.1").hasPrefix("HTTP/1.1 200"))
            #expect(await TestLoop.run { house.server.connectionCount } <= 8)
        }
    }

    @Test("gives descriptors back")
    func descriptors() async throws {
        try await withHouse { house, port in
            _ = try ask(port, "GET /healthz HTTP/1.1")
            for _ in 0..<200 { #expect(try ask(port, "GET /healthz HTTP/1.1").hasSuffix("ok\n")) }
            #expect(await TestLoop.run { house.server.connectionCount } <= 1)
        }
    }

    @Test("listens on IPv6 too, and says which port is taken")
    func addresses() async throws {
        let result = await TestLoop.run { () -> Result<ControlError?, any Error> in
            Result {
                let first = try House(.init())
                let port = try first.server.listen("[::1]:0")
                defer { first.server.stop() }
                let second = try House(.init())
                do {
                    try second.server.listen("[::1]:\(port)")
                    return nil
                } catch {
                    return error as? ControlError
                }
            }
        }
        #expect(try result.get()?.description.contains("Address already in use") == true)
    }
}

@Suite("Listen address")
struct ListenAddressTests {
    @Test(
        "reads addresses",
        arguments: [
            ("127.0.0.1:9464", 9464), ("0.0.0.0:1", 1), ("[::1]:65535", 65_535), ("localhost:0", 0),
            ("[::]:80", 80),
        ])
    func reads(text: String, port: UInt16) throws {
        #expect(try ListenAddress(text).port == port)
    }

    @Test(
        "refuses what is none, with what to write",
        arguments: [
            "", ":", "9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80", "[::1]",
            "[127.0.0.1]:80", "example.org:80", "127.0.0.1:80\0", ":9464",
        ])
    func refuses(text: String) throws {
        let error = try #require(throws: ControlError.self) { try ListenAddress(text) }
        #expect(error.description.hasPrefix("http.listen"))
    }
}
