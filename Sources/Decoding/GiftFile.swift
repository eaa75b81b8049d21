internal import Glibc
internal import VAP

/// A gift file, held open for as long as somebody may play it: all readers see the same bytes, even after another
/// file has taken its name. Any thread; readers keep their own positions.
final class GiftFile: ByteSource, Sendable {
    /// Bytes that a gift file may hold; real ones hold 0.2 to 20 million.
    static let limit: Int64 = 512 << 20

    let count: Int64
    private let descriptor: Int32

    private init(adopting descriptor: Int32, count: Int64) {
        self.descriptor = descriptor
        self.count = count
    }

    deinit { close(descriptor) }

    /// Opens a regular file and nothing else. Does not wait: not for a pipe's writer, not for a device.
    static func open(_ path: String, limit: Int64 = limit) throws(AnimationError) -> GiftFile {
        // Swift hands C the text up to the first NUL: another name than the one that was checked.
        guard !path.utf8.contains(0) else {
            throw AnimationError(.notFound, "The file name holds a NUL character.")
        }
        let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            throw AnimationError(.notFound, "\(path) cannot be opened: \(String(cString: strerror(errno))).")
        }
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        let file = GiftFile(adopting: descriptor, count: isKnown ? Int64(status.st_size) : 0)
        guard isKnown, status.st_mode & S_IFMT == S_IFREG else {
            throw AnimationError(.notMP4, "\(path) is \(what(status.st_mode)), not a regular file.")
        }
        guard file.count <= limit else {
            throw AnimationError(.limitExceeded, "\(path) holds \(file.count) bytes, more than \(limit).")
        }
        return file
    }

    /// All bytes of a regular file.
    static func whole(_ path: String, limit: Int64) throws(AnimationError) -> [UInt8] {
        let file = try open(path, limit: limit)
        do {
            return try file.read(at: 0, count: Int(file.count))
        } catch {
            throw AnimationError(.notFound, "\(path) cannot be read: \(error).")
        }
    }

    func read(at offset: Int64, count: Int) throws -> [UInt8] {
        guard count > 0 else { return [] }
        return try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(buffer)[filled...]
                let result = read(at: offset + Int64(filled), into: .init(rebasing: rest))
                guard result >= 0 else { throw ReadFailure(code: -result) }
                if result == 0 { return }
                filled += Int(result)
            }
        }
    }

    /// Bytes read, 0 at the end, or a negative `errno`.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        while true {
            let result = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if result >= 0 { return Int32(clamping: result) }
            if errno != EINTR { return -errno }
        }
    }

    private struct ReadFailure: Error, CustomStringConvertible {
        let code: Int32

        var description: String { String(cString: strerror(code)) }
    }

    private static func what(_ mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFDIR: "a directory"
        case S_IFIFO: "a pipe"
        case S_IFSOCK: "a socket"
        case S_IFCHR, S_IFBLK: "a device"
        default: "something else"
        }
    }
}
