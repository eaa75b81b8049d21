internal import Glibc

/// A TCP address to listen on, from `HOST:PORT`. No names are looked up: that would block.
struct ListenAddress: Equatable {
    enum Host: Equatable {
        case v4(in_addr_t)
        case v6([UInt8])
    }

    let host: Host
    let port: UInt16

    init(_ text: String) throws(ControlError) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw ControlError("http.listen \"\(text)\": write it as ADDRESS:PORT, such as 127.0.0.1:9464")
        }
        self.port = port
        let name = String(text[..<colon])
        let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
        var (v4, v6) = (in_addr(), in6_addr())
        if isBracketed, inet_pton(AF_INET6, String(name.dropFirst().dropLast()), &v6) == 1 {
            host = .v6(withUnsafeBytes(of: v6) { Array($0) })
        } else if inet_pton(AF_INET, name == "localhost" ? "127.0.0.1" : name, &v4) == 1 {
            host = .v4(v4.s_addr)
        } else {
            throw ControlError(
                "http.listen \"\(text)\": \"\(name)\" is no address: names are not looked up, "
                    + "and IPv6 stands in brackets")
        }
    }

    /// A listening socket and its port, which the system chooses when this one's is 0.
    func listen() throws(ControlError) -> (descriptor: Int32, port: UInt16) {
        let family = if case .v4 = host { AF_INET } else { AF_INET6 }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw ControlError("http socket", errno: errno) }
        var (yes, size) = (Int32(1), socklen_t(MemoryLayout<Int32>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        guard bound(descriptor) == 0, Glibc.listen(descriptor, 128) == 0 else {
            let code = errno
            close(descriptor)
            throw ControlError("http.listen port \(port): cannot listen", errno: code)
        }
        var address = sockaddr_in6()
        size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        // The port lies at the same place in both families.
        return (descriptor, UInt16(bigEndian: address.sin6_port))
    }

    private func bound(_ descriptor: Int32) -> Int32 {
        switch host {
        case .v4(let number):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = number
            return bind(descriptor, to: &address)
        case .v6(let bytes):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
            return bind(descriptor, to: &address)
        }
    }

    private func bind<Address>(_ descriptor: Int32, to address: inout Address) -> Int32 {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
