internal import Glibc

/// Cuts a stream of bytes into lines, whatever pieces it arrives in. Holds less than one line.
struct LineBuffer {
    enum Piece: Equatable {
        /// Without its end: LF or CR LF.
        case line([UInt8])
        /// A line outgrew the limit. Nothing comes after it.
        case tooLong
    }

    let limit: Int
    private var rest: [UInt8] = []
    private var isClosed = false

    init(limit: Int) { self.limit = limit }

    /// The lines that are complete now, in order. Blank ones are left out, and so is a byte order mark.
    mutating func take(_ bytes: ArraySlice<UInt8>) -> [Piece] {
        var (pieces, bytes) = ([Piece](), bytes)
        while !isClosed, let end = bytes.index(of: UInt8(ascii: "\n")) {
            rest += bytes[..<end]
            bytes = bytes[(end + 1)...]
            if let piece = cut() { pieces.append(piece) }
        }
        if !isClosed {
            rest += bytes
            // One byte more may be the CR of an end that is still on its way.
            if rest.count > limit + 1 { pieces.append(close()) }
        }
        return pieces
    }

    /// What stands behind the last line end when nothing more will come: `printf` sends no line end.
    mutating func takeRest() -> Piece? { isClosed ? nil : cut() }

    private mutating func cut() -> Piece? {
        var line = rest[...]
        rest = []
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        guard line.count <= limit else { return close() }
        return line.allSatisfy(TextGuard.isSpace) ? nil : .line(Array(line))
    }

    private mutating func close() -> Piece {
        isClosed = true
        rest = []
        return .tooLong
    }
}

extension ArraySlice<UInt8> {
    /// Where the byte is first, by memchr: `firstIndex(of:)` is many times slower when nothing is optimised.
    func index(of byte: UInt8) -> Int? {
        withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else {
                return nil
            }
            return startIndex + start.distance(to: found)
        }
    }
}
