internal import Glibc

/// Unix stream sockets by path. All descriptors are close-on-exec and do not block unless said otherwise.
enum UnixSocket {
    /// A listening socket, mode 0660. A file that a crashed process left behind is replaced; a socket that
    /// somebody listens on is left alone.
    static func listen(_ path: String) throws(ControlError) -> Int32 {
        try removeStale(path)
        let descriptor = try make()
        do throws(ControlError) {
            try check("control socket \(path): bind", withAddress(path) { bind(descriptor, $0, $1) })
            // Nobody can connect before `listen`, so there is no moment with a wider mode.
            try check("control socket \(path): chmod", chmod(path, 0o660))
            try check("control socket \(path): listen", Glibc.listen(descriptor, 128))
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// A connected socket that blocks at most `seconds` in connecting.
    static func connect(_ path: String, seconds: Int) throws(ControlError) -> Int32 {
        let descriptor = try make(flags: 0)
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        do throws(ControlError) {
            let result = try withAddress(path) { Glibc.connect(descriptor, $0, $1) }
            try check("\(path): cannot connect (is giftd running?)", result)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func removeStale(_ path: String) throws(ControlError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ControlError(
                "control socket \(path): there is a file that is no socket: choose another path")
        }
        let probe = try make()
        defer { close(probe) }
        let result = try withAddress(path) { Glibc.connect(probe, $0, $1) }
        // Only a refusal means that nobody listens; a full queue (EAGAIN) is a sign of life.
        guard result != 0, errno == ECONNREFUSED else {
            throw ControlError("control socket \(path): another giftd listens on it: stop that one first")
        }
        unlink(path)
    }

    private static func make(flags: Int32 = Int32(SOCK_NONBLOCK.rawValue)) throws(ControlError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue) | flags
        let descriptor = socket(AF_UNIX, type, 0)
        try check("unix socket", descriptor)
        return descriptor
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(ControlError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard !bytes.isEmpty, bytes.count < room, !bytes.contains(0) else {
            throw ControlError("control socket \(path): a path has 1 to \(room - 1) bytes")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func check(_ operation: String, _ result: Int32) throws(ControlError) {
        guard result < 0 else { return }
        throw ControlError(operation, errno: errno)
    }
}
