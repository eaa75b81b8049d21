import Basics
import Foundation
import Testing

@testable import Control

/// The main loop of the tests: turned on a thread of its own from the first use on.
enum TestLoop {
    static let worker: Worker = {
        let worker = Worker(name: "main loop")
        // The tests of another module may have been first.
        worker.run { if MainLoop.acquire() { MainLoop.run() } }
        return worker
    }()

    static func run<T: Sendable>(_ body: sending @escaping @ControlPlane () async -> T) async -> T {
        _ = worker
        return await ControlPlane.task(body).value
    }
}

/// A thread of its own for a test that blocks, so that it takes none from the other tests.
final class OwnThread: TaskExecutor {
    private let worker = Worker(name: "test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        worker.run { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// Opens a door, lets `body` talk to it on a thread of its own, and closes it.
func withDoor(_ limits: LineLimits = LineLimits(), _ body: (Door) async throws -> Void) async throws {
    try await withTaskExecutorPreference(OwnThread()) {
        let door = try await TestLoop.run { Result { try Door.opened(limits) } }.get()
        do {
            try await body(door)
        } catch {
            await TestLoop.run { await door.server.stop() }
            throw error
        }
        await TestLoop.run { await door.server.stop() }
    }
}

/// The parameters of the methods that tests call.
struct Echo: Params {
    enum CodingKeys: String, CodingKey, CaseIterable { case text, size, seconds, number }
    var text: String?
    var size: Int?
    var seconds: Double?
    var number: Double?
}

/// A door on a temporary socket with a room behind it that only remembers.
@ControlPlane final class Door {
    nonisolated let path: String
    let metrics = MetricsRegistry()
    let router = Router()
    let hub: EventHub
    let server: LineServer
    var gifts: [GiftSend] = []
    var calls = 0
    /// While set, calls of `hold` are not answered.
    var isHolding = true

    init(limits: LineLimits = LineLimits(), path: String? = nil) {
        self.path = path ?? Door.newPath()
        hub = EventHub(router: router)
        server = LineServer(path: self.path, router: router, limits: limits, metrics: metrics)
        addMethods()
    }

    nonisolated static func newPath() -> String { "/tmp/giftd-test-\(UUID().uuidString.prefix(8)).sock" }

    static func opened(_ limits: LineLimits = LineLimits()) throws -> Door {
        let door = Door(limits: limits)
        try door.server.start()
        return door
    }

    private func addMethods() {
        router.on("echo") { [weak self] (params: Echo, _) in
            self?.calls += 1
            if let seconds = params.seconds { try await Task.sleep(for: .seconds(seconds)) }
            if let size = params.size { return Echo(text: String(repeating: "x", count: size)) }
            return params
        }
        router.on("hold") { [weak self] (params: Echo, _) in
            self?.calls += 1
            while self?.isHolding == true { await ControlPlane.sleep(for: 2 * .millisecond) }
            return params
        }
        router.on("fail") { (_: NoParams, _) -> Echo in throw CocoaError(.fileNoSuchFile) }
        router.on("publish") { [weak self] (params: Echo, _) in
            for number in 0..<(params.size ?? 1) {
                self?.hub.publish(
                    GiftStarted(id: "\(number)", gift: params.text ?? "", lane: "main", pts: 1, latency: 0.04)
                )
            }
            return params
        }
        router.on("gift.send") { [weak self] (params: GiftSend, _) in
            let position = self?.gifts.count ?? 0
            self?.gifts.append(params)
            return GiftAnswer(
                id: params.id ?? "\(position)", state: .waiting, lane: params.lane ?? "main",
                position: position)
        }
    }
}

/// A client that writes bytes as it likes.
final class RawClient {
    let descriptor: Int32
    private var rest: [UInt8] = []

    init(adopting descriptor: Int32) { self.descriptor = descriptor.withTimeout() }

    init(_ path: String) throws { descriptor = try UnixSocket.connect(path, seconds: 5).withTimeout() }

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
        _ = descriptor.withTimeout()
    }

    deinit { close(descriptor) }

    /// The number of bytes taken; less than all when the other end has closed.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { break }
            done += count
        }
        return done
    }

    @discardableResult
    func send(_ text: String) -> Int { send(Array(text.utf8)) }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// The next line; nil at the end of the stream or after ten seconds of silence.
    func line() -> String? {
        while true {
            if let end = rest[...].index(of: 10) {
                let line = String(validating: rest[..<end], as: UTF8.self)
                rest.removeFirst(end + 1)
                return line
            }
            guard let bytes = receive(), !bytes.isEmpty else { return nil }
            rest += bytes
        }
    }

    /// Some bytes; empty at the end, nil after an error or a silence.
    func receive() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : Array(bytes[..<count])
    }

    func everything() -> String {
        var all = rest
        while let bytes = receive(), !bytes.isEmpty { all += bytes }
        return String(decoding: all, as: UTF8.self)
    }

    /// Sends a call and takes the next line as its answer.
    func ask(_ line: String) throws -> Reply {
        send(line + "\n")
        return try reply()
    }

    func reply() throws -> Reply { try Reply(try #require(line())) }
}

extension Int32 {
    fileprivate func withTimeout() -> Int32 {
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(self, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return self
    }
}

/// An answer, taken apart.
struct Reply: Decodable {
    struct Result: Decodable {
        var text: String?
        var id: String?
        var events: [String]?
        var position: Int?
    }

    var jsonrpc: String
    var id: RequestID?
    var method: String?
    var result: Result?
    var error: RPCError?
    private(set) var text = ""

    private enum CodingKeys: String, CodingKey { case jsonrpc, id, method, result, error }

    init(_ line: String) throws {
        self = try JSONDecoder().decode(Reply.self, from: Data(line.utf8))
        text = line
    }
}

func call(_ method: String, _ params: String = "{}", id: String? = "1") -> String {
    let id = id.map { #","id":\#($0)"# } ?? ""
    return #"{"jsonrpc":"2.0"\#(id),"method":"\#(method)","params":\#(params)}"#
}
