internal import CKernels
package import VAP

/// The picture of one fusion source, ready to be drawn: luma, chroma and alpha of every pixel in the program's colours,
/// the colour multiplied by alpha. Immutable; any thread.
package final class FusionBitmap: Sendable {
    /// Pixels more than which are never kept.
    package static let pixelLimit = 2 << 20

    /// The size that the rules for fitting it count with: the picture's own, or the source's for a text.
    let natural: Size
    /// The size of the planes; smaller than `natural` where nothing is drawn so large.
    let size: Size
    /// Y, U, V and A, one plane behind the other.
    private let planes: [UInt8]

    /// What it holds, in bytes.
    package var byteCount: Int { planes.count }

    /// Takes `image` over. With `reduced`, planes of at most that size are made, and of at most `pixelLimit` pixels
    /// in any case. `natural` is the image's size unless it is said.
    package init(
        _ image: PixelImage, colour: ColourSpace, natural: Size? = nil, reduced: Size? = nil
    ) {
        self.natural = natural ?? image.size
        let full = Self.planes(image, colour)
        let size = Self.limited(
            Size(
                min(image.size.width, max(reduced?.width ?? .max, 1)),
                min(image.size.height, max(reduced?.height ?? .max, 1))))
        self.size = size
        planes = size == image.size ? full : Self.scaled(full, image.size, to: size)
    }

    /// Lends the four planes, without gaps between rows.
    func withPlanes(_ body: (_ y: UnsafeRawPointer, _ planeBytes: Int) -> Void) {
        planes.withUnsafeBytes { bytes in
            guard let first = bytes.baseAddress else { return }
            body(first, size.width * size.height)
        }
    }

    /// The largest size of the same shape that is allowed.
    private static func limited(_ size: Size) -> Size {
        var size = size
        while size.width * size.height > pixelLimit {
            if size.width >= size.height {
                size.width = (size.width + 1) / 2
            } else {
                size.height = (size.height + 1) / 2
            }
        }
        return size
    }

    /// The definition of BT.601 and BT.709: Y from R, G and B, then U and V from their distance to Y.
    private static func planes(_ image: PixelImage, _ space: ColourSpace) -> [UInt8] {
        let count = image.size.width * image.size.height
        let map = SourceColours(space)
        return [UInt8](unsafeUninitializedCapacity: 4 * count) { planes, filled in
            image.bytes.withUnsafeBufferPointer { bytes in
                for index in 0..<count {
                    let alpha = Int(bytes[4 * index + 3])
                    let factor = image.isPremultiplied ? 255 : alpha
                    let (y, u, v) = map.convert(
                        Int(bytes[4 * index]) * factor, Int(bytes[4 * index + 1]) * factor,
                        Int(bytes[4 * index + 2]) * factor)
                    planes[index] = y
                    planes[count + index] = u
                    planes[2 * count + index] = v
                    planes[3 * count + index] = UInt8(alpha)
                }
            }
            filled = 4 * count
        }
    }

    private static func scaled(_ planes: [UInt8], _ from: Size, to size: Size) -> [UInt8] {
        func table(_ length: Int, _ count: Int, inFours: Bool) -> ScaleTable {
            ScaleTable(
                start: 0, length: Double(length), bounds: 0...length - 1, total: count, outputs: 0..<count,
                inFours: inFours)
        }
        let scaler = PlaneScaler(
            columns: table(from.width, size.width, inFours: true),
            rows: table(from.height, size.height, inFours: false))
        let count = size.width * size.height
        return [UInt8](unsafeUninitializedCapacity: 4 * count) { out, filled in
            guard let target = out.baseAddress else { return }
            withUnsafeTemporaryAllocation(of: UInt16.self, capacity: size.width) { line in
                guard let line = line.baseAddress else { return }
                planes.withUnsafeBytes { bytes in
                    guard let source = bytes.baseAddress else { return }
                    for plane in 0..<4 {
                        scaler.begin()
                        for row in 0..<size.height {
                            scaler.scale(
                                source + plane * from.width * from.height, stride: from.width, bitDepth: 8,
                                row: row, into: line)
                            ck_narrow(target + plane * count + row * size.width, line, size.width)
                        }
                    }
                }
            }
            filled = 4 * count
        }
    }
}

/// From RGB times 255 to a colour space's bytes, multiplied as the RGB is.
private struct SourceColours {
    /// Factors of 1/2^24 for red, green and blue.
    private let luma, u, v: (red: Int, green: Int, blue: Int)
    private let zero: Int

    init(_ space: ColourSpace) {
        let (red, blue) = space.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let green = 1 - red - blue
        let lumaSpan = Double(space.lumaSpan) / 65_025
        let chromaSpan = (space.range == .limited ? 224.0 : 255.0) / 65_025
        func fixed(_ value: Double) -> Int { Int((value * 16_777_216).rounded()) }
        luma = (fixed(red * lumaSpan), fixed(green * lumaSpan), fixed(blue * lumaSpan))
        let (uSpan, vSpan) = (chromaSpan / (2 - 2 * blue), chromaSpan / (2 - 2 * red))
        u = (fixed(-red * uSpan), fixed(-green * uSpan), fixed((1 - blue) * uSpan))
        v = (fixed((1 - red) * vSpan), fixed(-green * vSpan), fixed(-blue * vSpan))
        zero = Int(space.black)
    }

    func convert(_ red: Int, _ green: Int, _ blue: Int) -> (UInt8, UInt8, UInt8) {
        func byte(_ factors: (red: Int, green: Int, blue: Int), _ zero: Int) -> UInt8 {
            let sum = red * factors.red + green * factors.green + blue * factors.blue
            return UInt8(clamping: zero + (sum + 8_388_608) >> 24)
        }
        return (byte(luma, zero), byte(u, 128), byte(v, 128))
    }
}
