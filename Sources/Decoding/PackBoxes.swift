/// Rebuilds an MP4 file in the official tool's order: `ftyp free moov vapc mdat`. Pure bytes.
///
/// The input is what libavformat writes to a seekable file: `ftyp free mdat moov`, 32-bit sizes.
enum PackBoxes {
    struct Box {
        let type: String
        let range: Range<Int>
    }

    /// The file with the `vapc` box in its place and every chunk offset moved along. Nil when `file` is not of the
    /// shape above, so that nothing is ever written that might not play.
    static func insert(json: String, into file: [UInt8]) -> [UInt8]? {
        let boxes = walk(file, 0..<file.count)
        guard let boxes, let media = boxes.first(where: { $0.type == "mdat" }),
            let index = boxes.first(where: { $0.type == "moov" }),
            media.range.upperBound <= index.range.lowerBound
        else { return nil }
        let head = boxes.prefix { $0.type != "mdat" }
        guard head.allSatisfy({ ["ftyp", "free"].contains($0.type) }) else { return nil }

        let vapc = bigEndian(UInt32(8 + json.utf8.count)) + Array("vapc".utf8) + Array(json.utf8)
        var moov = Array(file[index.range])
        let shift = moov.count + vapc.count
        guard file.count + vapc.count <= Int(UInt32.max), move(chunksOf: &moov, by: shift) else { return nil }
        return Array(file[..<media.range.lowerBound]) + moov + vapc + Array(file[media.range])
    }

    /// The boxes that fill `range`, or nil when they do not fill it exactly.
    static func walk(_ bytes: [UInt8], _ range: Range<Int>) -> [Box]? {
        var boxes: [Box] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard range.upperBound - offset >= 8 else { return nil }
            let size = Int(number(bytes, offset))
            guard size >= 8, size <= range.upperBound - offset else { return nil }
            let type = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
            boxes.append(Box(type: type, range: offset..<offset + size))
            offset += size
        }
        return boxes
    }

    /// Adds `shift` to every entry of every `stco` in a `moov` box. False when a table is not as it should be.
    private static func move(chunksOf moov: inout [UInt8], by shift: Int) -> Bool {
        var pending = [8..<moov.count]
        var tables = 0
        while let range = pending.popLast() {
            guard let boxes = walk(moov, range) else { return false }
            for box in boxes {
                switch box.type {
                case "trak", "mdia", "minf", "stbl":
                    pending.append(box.range.lowerBound + 8..<box.range.upperBound)
                case "stco":
                    guard move(table: box.range, in: &moov, by: shift) else { return false }
                    tables += 1
                case "co64": return false
                default: break
                }
            }
        }
        return tables > 0
    }

    private static func move(table: Range<Int>, in moov: inout [UInt8], by shift: Int) -> Bool {
        guard table.count >= 16 else { return false }
        let count = Int(number(moov, table.lowerBound + 12))
        guard 16 + 4 * count == table.count else { return false }
        for entry in 0..<count {
            let at = table.lowerBound + 16 + 4 * entry
            guard let moved = UInt32(exactly: Int(number(moov, at)) + shift) else { return false }
            moov.replaceSubrange(at..<at + 4, with: bigEndian(moved))
        }
        return true
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
}
