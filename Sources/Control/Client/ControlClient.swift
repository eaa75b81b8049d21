package import Basics
internal import FoundationEssentials
internal import Glibc

/// The other end of the line door, for commands: it blocks, with a deadline on everything. One thread.
package final class ControlClient {
    /// An event as it came.
    package struct Message: Hashable, Sendable {
        package let name: String
        /// The whole line, JSON.
        package let line: [UInt8]

        /// Its parameters.
        package func event<E: Event>(_ type: E.Type) throws(ControlError) -> E {
            do {
                return try JSONDecoder().decode(Incoming<E>.self, from: Data(line)).params
            } catch {
                throw ControlError("\(name): giftd sent other fields than this command knows")
            }
        }
    }

    private let path: String
    private let descriptor: Int32
    private let timeout: Nanoseconds
    private var buffer = LineBuffer(limit: 16_777_216)
    private var lines: [[UInt8]] = []
    private var messages: [Message] = []
    private var lastID = 0

    /// Connects. `timeout` is for each call from now on.
    package init(path: String, timeout: Nanoseconds = 5 * .second) throws(ControlError) {
        self.path = path
        self.timeout = max(.second, timeout)
        descriptor = try UnixSocket.connect(path, seconds: Int(self.timeout / .second))
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    /// Calls a method and waits for its answer. Throws an `RPCError` when giftd refuses, a `ControlError`
    /// when it cannot be understood or reached. Events that come meanwhile are kept for `nextMessage`.
    package func call<P: Encodable, R: Decodable>(
        _ method: String, _ params: P = NoParams(), as type: R.Type = R.self
    ) throws -> R {
        lastID += 1
        let deadline = Monotonic.now() + timeout
        try send(JSONEncoder().encode(Outgoing(method: method, params: params, id: lastID)), deadline)
        while let line = try nextLine(until: deadline) {
            let head = try head(of: line)
            if let name = head.method {
                messages.append(Message(name: name, line: line))
            } else if let error = head.error, head.id == .number(lastID) || head.id == .null {
                throw error
            } else if head.id == .number(lastID) {
                return try result(of: line, method)
            }
        }
        throw ControlError("\(path): giftd closed the connection before it answered \(method)")
    }

    /// The next event; nil when giftd has closed the connection. Waits for ever without a `timeout`, else
    /// throws when it is over.
    package func nextMessage(timeout: Nanoseconds? = nil) throws -> Message? {
        let deadline = timeout.map { Monotonic.now() + $0 }
        if !messages.isEmpty { return messages.removeFirst() }
        while let line = try nextLine(until: deadline) {
            let head = try head(of: line)
            if let name = head.method { return Message(name: name, line: line) }
            if let error = head.error { throw error }
        }
        return nil
    }

    private struct Head: Decodable {
        var id: RequestID?
        var method: String?
        var error: RPCError?
    }

    private struct Incoming<P: Decodable>: Decodable { var params: P }
    private struct Success<R: Decodable>: Decodable { var result: R }

    private func head(of line: [UInt8]) throws(ControlError) -> Head {
        guard let head = try? JSONDecoder().decode(Head.self, from: Data(line)) else {
            throw ControlError("\(path): this is not giftd: its answer is no JSON-RPC")
        }
        return head
    }

    private func result<R: Decodable>(of line: [UInt8], _ method: String) throws(ControlError) -> R {
        do {
            return try JSONDecoder().decode(Success<R>.self, from: Data(line)).result
        } catch {
            throw ControlError("\(method): giftd answered with other fields than this command knows")
        }
    }

    /// The next line; nil at the end of the stream.
    private func nextLine(until deadline: Nanoseconds?) throws(ControlError) -> [UInt8]? {
        while lines.isEmpty {
            try wait(for: Int16(POLLIN), until: deadline)
            var result = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                result = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                count = max(0, result)
            }
            if result < 0, errno == EAGAIN || errno == EINTR { continue }
            if result <= 0 { return nil }
            for piece in buffer.take(bytes[...]) {
                guard case .line(let line) = piece else {
                    throw ControlError("\(path): an answer is too long")
                }
                lines.append(line)
            }
        }
        return lines.removeFirst()
    }

    private func send(_ text: Data, _ deadline: Nanoseconds) throws(ControlError) {
        var rest = (Array(text) + [UInt8(ascii: "\n")])[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                try wait(for: Int16(POLLOUT), until: deadline)
            } else if errno == EPIPE || errno == ECONNRESET {
                // What it said before it closed is worth reading.
                return
            } else if errno != EINTR {
                throw ControlError("\(path): cannot send", errno: errno)
            }
        }
    }

    private func wait(for events: Int16, until deadline: Nanoseconds?) throws(ControlError) {
        while true {
            let left = deadline.map { max(0, $0 - Monotonic.now()) / .millisecond }
            var entry = pollfd(fd: descriptor, events: events, revents: 0)
            if poll(&entry, 1, left.map { Int32(clamping: $0 + 1) } ?? -1) > 0 { return }
            if let deadline, Monotonic.now() >= deadline {
                throw ControlError("\(path): giftd did not answer in time")
            }
        }
    }
}
