internal import Glibc

/// Writes a whole file or nothing: a temporary neighbour takes the name only when it is complete and on the disk.
enum PackFile {
    static func write(_ bytes: [UInt8], to path: String) throws(PackError) {
        let temporary = try Temporary(beside: path)
        guard writeAll(bytes, to: temporary.descriptor) else { throw failure(path) }
        try temporary.publish(as: path)
    }

    /// An empty file beside the place of another. Whoever lets it go unpublished removes it.
    final class Temporary {
        let path: String
        fileprivate let descriptor: Int32
        private var isPublished = false

        init(beside place: String) throws(PackError) {
            var template = Array("\(place).XXXXXX".utf8CString)
            descriptor = mkstemp(&template)
            guard descriptor >= 0 else { throw failure(place) }
            path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        }

        deinit {
            close(descriptor)
            if !isPublished { unlink(path) }
        }

        /// Gives it the name that it was made for, once it is on the disk.
        func publish(as place: String) throws(PackError) {
            guard fchmod(descriptor, mode()) == 0, fsync(descriptor) == 0, rename(path, place) == 0 else {
                throw failure(place)
            }
            isPublished = true
        }
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
