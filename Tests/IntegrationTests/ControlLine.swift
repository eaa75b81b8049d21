import Foundation
import Testing

/// A client of the control socket, written apart from the daemon's own code. One thread.
final class ControlLine {
    typealias Object = [String: Any]

    private let descriptor: Int32
    private var buffer = Data()
    private var nextID = 1
    /// Notifications that came in, in order.
    private(set) var events: [Object] = []

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            close(descriptor)
            throw Trouble("\(path) is too long for a socket")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else {
            let words = String(cString: strerror(errno))
            close(descriptor)
            throw Trouble("\(path): \(words)")
        }
    }

    deinit { close(descriptor) }

    /// Calls a method. A refusal is answered as the object in `error`.
    func call(_ method: String, _ params: Object = [:]) throws -> (result: Object?, error: Object?) {
        let id = nextID
        nextID += 1
        let request: Object = ["jsonrpc": "2.0", "id": id, "method": method, "params": params]
        let line = try JSONSerialization.data(withJSONObject: request) + Data("\n".utf8)
        let sent = line.withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == line.count else { throw Trouble("\(method): the daemon does not read") }
        while true {
            let answer = try next(within: 5, "the answer to \(method)")
            if answer["id"] as? Int == id { return (answer["result"] as? Object, answer["error"] as? Object) }
            events.append(answer)
        }
    }

    /// Calls a method that must not be refused.
    @discardableResult
    func must(_ method: String, _ params: Object = [:]) throws -> Object {
        let (result, error) = try call(method, params)
        guard let result else { throw Trouble("\(method) \(params): \(error ?? [:])") }
        return result
    }

    /// The parameters of the next event with this name that `matches`; those that came before count too, once.
    func event(_ name: String, within seconds: Double, _ matches: (Object) -> Bool = { _ in true }) throws
        -> Object
    {
        let deadline = Date(timeIntervalSinceNow: seconds)
        var from = 0
        while true {
            for index in events.indices[from...] {
                guard events[index]["method"] as? String == name else { continue }
                let params = events[index]["params"] as? Object ?? [:]
                guard matches(params) else { continue }
                events.remove(at: index)
                return params
            }
            from = events.count
            events.append(try next(within: deadline.timeIntervalSinceNow, "event \(name)"))
        }
    }

    private func next(within seconds: Double, _ what: String) throws -> Object {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while true {
            if let end = buffer.firstIndex(of: 10) {
                let line = buffer[buffer.startIndex..<end]
                buffer = Data(buffer[buffer.index(after: end)...])
                guard let object = try JSONSerialization.jsonObject(with: line) as? Object else {
                    throw Trouble("no object: \(String(decoding: line, as: UTF8.self))")
                }
                return object
            }
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let wait = Int32(max(0, deadline.timeIntervalSinceNow * 1000))
            guard Glibc.poll(&poll, 1, wait) == 1 else { throw Trouble("not within \(seconds) s: \(what)") }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { throw Trouble("the daemon hung up; expected \(what)") }
            buffer += bytes[..<count]
        }
    }
}
