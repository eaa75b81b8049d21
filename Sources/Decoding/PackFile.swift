internal import Glibc

/// Writes a whole file or nothing: a temporary neighbour takes the name only when it is complete and on the disk.
enum PackFile {
    static func write(_ bytes: [UInt8], to path: String) throws(PackError) {
        var template = Array("\(path).XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw failure(path) }
        let temporary = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        var isComplete = false
        defer { if !isComplete { unlink(temporary) } }
        let isWritten =
            writeAll(bytes, to: descriptor) && fchmod(descriptor, mode()) == 0 && fsync(descriptor) == 0
        let code = errno
        guard close(descriptor) == 0, isWritten else { throw failure(path, isWritten ? errno : code) }
        guard rename(temporary, path) == 0 else { throw failure(path) }
        isComplete = true
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// What a file made by `open` would get. mkstemp gives 0600.
    private static func mode() -> mode_t {
        let mask = umask(0o077)
        umask(mask)
        return 0o666 & ~mask
    }

    private static func failure(_ path: String, _ code: Int32 = errno) -> PackError {
        PackError(.outputUnwritable, "\(path): \(String(cString: strerror(code)))")
    }
}
