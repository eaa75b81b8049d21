import Foundation

/// Still pictures as no program at hand writes them.
enum StillWriter {
    /// An RGBA PNG of any size, with whatever rows there are.
    static func png(width: Int, height: Int, lines: [UInt8]) -> [UInt8] {
        let header = packBigEndian(UInt32(width)) + packBigEndian(UInt32(height)) + [8, 6, 0, 0, 0]
        let data = Array(packPNG(lines.isEmpty ? [0, 0, 0, 0] : lines, 1, 1, hasAlpha: true))
        // The chunks behind the header of a small picture.
        return Array(data[..<8]) + packChunk("IHDR", header) + Array(data[33...])
    }

    /// A JPEG with an EXIF segment that holds nothing but the orientation.
    static func turned(_ jpeg: [UInt8], orientation: Int) -> [UInt8] {
        let entry: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0]
        let tiff = Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1] + entry + [0, 0, 0, 0]
        let body = Array("Exif".utf8) + [0, 0] + tiff
        let segment = [0xFF, 0xE1, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
        return Array(jpeg[..<2]) + segment + jpeg[2...]
    }

    /// A baseline JPEG of one colour: grey, or four components that are marked as Adobe's CMYK. Sides are multiples of
    /// 8.
    static func jpeg(_ width: Int, _ height: Int, _ levels: [UInt8]) -> [UInt8] {
        let components = 1...levels.count
        var file: [UInt8] = [0xFF, 0xD8]
        func segment(_ marker: UInt8, _ body: [UInt8]) {
            file += [0xFF, marker, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
        }
        if levels.count == 4 { segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]) }
        // Every coefficient is kept in steps of 8: a level is one step of the mean's coefficient.
        segment(0xDB, [0] + [UInt8](repeating: 8, count: 64))
        let sides = [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
        segment(0xC0, [8] + sides + [UInt8(levels.count)] + components.flatMap { [UInt8($0), 0x11, 0] })
        // Means: sixteen codes of four bits for the lengths 0 to 11. Others: the end of a block, in one bit.
        segment(0xC4, [0x00, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] + Array(0...11))
        segment(0xC4, [0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        segment(0xDA, [UInt8(levels.count)] + components.flatMap { [UInt8($0), 0] } + [0, 63, 0])
        var bits = Bits()
        var last = levels.map { _ in 0 }
        for _ in 0..<width / 8 * (height / 8) {
            for component in levels.indices {
                let level = Int(levels[component]) - 128
                bits.put(mean: level - last[component])
                last[component] = level
            }
        }
        return file + bits.bytes + [0xFF, 0xD9]
    }

    private struct Bits {
        private var value = 0, count = 0
        private var done: [UInt8] = []

        /// Length code, the difference, and the end of the block.
        mutating func put(mean difference: Int) {
            let length = Int.bitWidth - difference.magnitude.leadingZeroBitCount
            put(length, 4)
            put(difference < 0 ? difference + (1 << length) - 1 : difference, length)
            put(0, 1)
        }

        private mutating func put(_ bits: Int, _ length: Int) {
            for shift in stride(from: length - 1, through: 0, by: -1) {
                value = value << 1 | (bits >> shift & 1)
                count += 1
                guard count == 8 else { continue }
                done.append(UInt8(value))
                if value == 255 { done.append(0) }
                (value, count) = (0, 0)
            }
        }

        /// Filled up with ones.
        var bytes: [UInt8] {
            var copy = self
            while copy.count != 0 { copy.put(1, 1) }
            return copy.done
        }
    }
}
