import Foundation

/// TCP and UDP on 127.0.0.1.
enum Loopback {
    /// A port that nobody uses at this moment.
    static func freePort(_ kind: __socket_type = SOCK_STREAM) throws -> Int {
        let descriptor = socket(AF_INET, Int32(kind.rawValue), 0)
        defer { close(descriptor) }
        var bound = address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else { throw Trouble("no free port: \(String(cString: strerror(errno)))") }
        return Int(UInt16(bigEndian: bound.sin_port))
    }

    /// Whether somebody takes connections.
    static func isListening(_ port: Int) -> Bool {
        guard let descriptor = connected(port) else { return false }
        close(descriptor)
        return true
    }

    /// One HTTP request without keep-alive.
    static func get(_ path: String, port: Int) throws -> (status: Int, body: String) {
        guard let descriptor = connected(port) else { throw Trouble("nobody serves HTTP at \(port)") }
        defer { close(descriptor) }
        let request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        guard
            send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count
        else {
            throw Trouble("\(path): not sent")
        }
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var answer: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(descriptor, &bytes, bytes.count, 0), count > 0 {
            answer += bytes[..<count]
        }
        let text = String(decoding: answer, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n"), let status = Int(text.dropFirst(9).prefix(3)) else {
            throw Trouble("\(path): no HTTP answer: \(text.prefix(200))")
        }
        return (status, String(text[end.upperBound...]))
    }

    private static func connected(_ port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var peer = address(port)
        let isConnected = withUnsafePointer(to: &peer) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return descriptor }
        close(descriptor)
        return nil
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }
}
