internal import Glibc

/// The directory of the control socket. systemd makes it for a unit; for a giftd started by hand it is made here,
/// so that a configuration that says nothing about the socket runs.
enum SocketDirectory {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Makes what is missing of the path to `socket`: the last directory for its owner and group alone, those
    /// above it readable for all. What is there already stays as it is.
    static func make(for socket: String) throws(Failure) {
        let names = socket.split(separator: "/").dropLast()
        var path = socket.hasPrefix("/") ? "" : "."
        for (number, name) in names.enumerated() {
            path += "/\(name)"
            let mode: mode_t = number == names.count - 1 ? 0o750 : 0o755
            guard mkdir(path, mode) != 0, errno != EEXIST else { continue }
            // Directories that may be passed but not written (EROFS, EACCES) are no fault when they are there.
            let reason = String(cString: strerror(errno))
            guard access(path, F_OK) != 0 else { continue }
            throw Failure(
                description: "control socket \(socket): \(path) cannot be made: \(reason); "
                    + "make it, or choose another path with control.socket")
        }
    }
}
