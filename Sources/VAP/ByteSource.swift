/// Bytes at positions: a file, or memory. Used by one thread at a time.
package protocol ByteSource {
    /// How many bytes there are.
    var count: Int64 { get }

    /// The bytes from `offset` on, fewer than `count` only at the end. The caller keeps `count` small.
    func read(at offset: Int64, count: Int) throws -> [UInt8]
}

/// A whole file in memory.
package struct MemorySource: ByteSource {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var count: Int64 { Int64(bytes.count) }

    package func read(at offset: Int64, count: Int) -> [UInt8] {
        let start = Int(min(max(offset, 0), Int64(bytes.count)))
        return Array(bytes[start...].prefix(max(count, 0)))
    }
}

extension ByteSource {
    /// Reads all of `count` bytes, or says that the file ends before them.
    func exactly(_ count: Int, at offset: Int64, of what: String) throws(AnimationError) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try read(at: offset, count: count)
        } catch let error as AnimationError {
            throw error
        } catch {
            throw AnimationError(.notFound, "The file cannot be read at byte \(offset): \(error).")
        }
        guard bytes.count >= count else {
            throw AnimationError(
                .boxTruncated, "\(what) needs \(count) bytes at \(offset), and only \(bytes.count) are there."
            )
        }
        return bytes
    }
}
