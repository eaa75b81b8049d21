/// One box at the top level of an MP4 file.
package struct Box: Hashable, Sendable {
    /// The four letters; bytes that do not print are shown as `.`.
    package let type: String
    package let offset: Int64
    /// Bytes from `offset` on, header included.
    package let size: Int64
    /// 8, or 16 with a 64-bit size.
    package let headerSize: Int

    package var payloadOffset: Int64 { offset + Int64(headerSize) }
    package var payloadSize: Int64 { size - Int64(headerSize) }
}

/// Walks the boxes at the top level and nothing deeper: what looks like a box inside another is data.
///
/// Moves on by at least a header with every step, and reads 16 bytes of each box whatever its size says.
/// Fewer than 8 bytes, or zeros, behind the last box are tolerated with a warning.
struct BoxWalk {
    private(set) var boxes: [Box] = []
    private(set) var warnings = Warnings()

    /// What an MP4 or QuickTime file begins with.
    private static let openers: Set<String> = [
        "ftyp", "styp", "moov", "mdat", "free", "skip", "wide", "uuid", "pnot", "moof", "sidx", "meta",
        "udta",
        "junk", "vapc",
    ]

    init(_ source: some ByteSource) throws(AnimationError) {
        let end = source.count
        guard end > 0 else { throw AnimationError(.emptyFile, "The file holds no bytes.") }
        var position: Int64 = 0
        while position < end {
            guard let box = try Self.box(at: position, end: end, in: source, isFirst: boxes.isEmpty) else {
                warnings.add("\(end - position) bytes behind the last box are no box")
                return
            }
            guard boxes.count < Limits.boxes else {
                throw AnimationError(.limitExceeded, "The file holds more than \(Limits.boxes) boxes.")
            }
            boxes.append(box)
            position += box.size
        }
    }

    /// Nil: nothing but a tail follows.
    private static func box(
        at position: Int64, end: Int64, in source: some ByteSource, isFirst: Bool
    ) throws(AnimationError) -> Box? {
        let rest = end - position
        guard rest >= 8 else {
            guard isFirst else { return nil }
            throw AnimationError(.notMP4, "The file holds \(rest) bytes, fewer than a box header.")
        }
        let header = try source.exactly(Int(min(rest, 16)), at: position, of: "A box header")
        let type = text(header[4..<8])
        guard !isFirst || openers.contains(type) else {
            if let name = ForeignFormat.name(of: header) {
                throw AnimationError(.notMP4, "The file is \(name), not an MP4.")
            }
            throw AnimationError(
                .notMP4,
                "The file begins with '\(text(header[0..<8]))' where an MP4 has a box such as 'ftyp'.")
        }
        if header[0..<8].allSatisfy({ $0 == 0 }) { return nil }
        let (size, headerSize) = try size(in: header, type: type, position: position, rest: rest)
        guard size <= rest else {
            throw AnimationError(
                .boxTruncated,
                "Box '\(type)' at byte \(position) says \(size) bytes, but the file ends after \(rest).")
        }
        return Box(type: type, offset: position, size: size, headerSize: headerSize)
    }

    private static func size(
        in header: [UInt8], type: String, position: Int64, rest: Int64
    ) throws(AnimationError) -> (size: Int64, headerSize: Int) {
        let short = number(header[0..<4])
        switch short {
        case 0: return (rest, 8)
        case 8...: return (Int64(short), 8)
        case 1:
            guard header.count == 16 else {
                throw AnimationError(
                    .boxTruncated,
                    "Box '\(type)' at byte \(position) has a 64-bit size, but only \(rest) bytes follow."
                )
            }
            let long = number(header[8..<16])
            guard let size = Int64(exactly: long), size >= 16, size <= .max - position else {
                throw AnimationError(
                    .boxSizeInvalid, "Box '\(type)' at byte \(position) says \(long) bytes, which cannot be.")
            }
            return (size, 16)
        default:
            throw AnimationError(
                .boxSizeInvalid,
                "Box '\(type)' at byte \(position) says \(short) bytes, fewer than its own header of 8.")
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
    }
}
