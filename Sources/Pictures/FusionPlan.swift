internal import CKernels
internal import VAP

/// What all elements of a gift at one place have in common.
struct FusionPlan {
    let coded: Size
    /// The picture's size.
    let width, height: Int
    private let across, down: Double
    private let left, top: Double

    init(layout: Layout, place: PlacedRectangle, program: ProgramFormat) {
        let visible = place.visible(in: program)
        coded = layout.coded
        (width, height) = (visible.columns.count, visible.rows.count)
        across = Double(place.width) / Double(layout.canvas.width)
        down = Double(place.height) / Double(layout.canvas.height)
        (left, top) = (Double(visible.columns.lowerBound), Double(visible.rows.lowerBound))
    }

    /// From canvas pixels to pixels of the picture.
    func target(_ rectangle: Rectangle) -> Rectangle {
        Rectangle(
            x: rectangle.x * across - left, y: rectangle.y * down - top, width: rectangle.width * across,
            height: rectangle.height * down)
    }
}

/// How luma of a mask becomes weights: like alpha, codec noise counts as nothing and almost solid as solid.
struct MaskRange {
    let black, gain, floor, ceiling: Int32

    init(_ colour: ColourSpace) {
        black = Int32(colour.black) << 7
        gain = Int32((32_768.0 * 32_768 / Double(colour.lumaSpan * 128)).rounded())
        func weight(_ level: Double) -> Int32 { Int32((level / 255 * 32_768).rounded()) }
        floor = weight(Double(PicturePreparer.floor) - 0.5)
        ceiling = weight(Double(PicturePreparer.ceiling) + 0.5)
    }
}

/// The rectangle that an element's mask is sampled from, as it is sampled: for a turned mask, in the turned copy.
struct MaskArea {
    let x, y, width, height: Double
    /// Samples that may be read: those wholly inside; the nearest one where there is none.
    let columns, rows: ClosedRange<Int>

    init(_ element: FusionElement, coded: Size) {
        let mask = element.mask
        let across = Self.inside(mask.x, mask.width, coded.width)
        let down = Self.inside(mask.y, mask.height, coded.height)
        guard element.isTurned else {
            (x, y, width, height) = (mask.x, mask.y, mask.width, mask.height)
            (columns, rows) = (across, down)
            return
        }
        // A quarter turn clockwise: what was lowest is leftmost, what was leftmost is uppermost.
        (x, width) = (Double(down.upperBound + 1) - (mask.y + mask.height), mask.height)
        (y, height) = (mask.x - Double(across.lowerBound), mask.width)
        (columns, rows) = (0...down.count - 1, 0...across.count - 1)
    }

    private static func inside(_ start: Double, _ length: Double, _ limit: Int) -> ClosedRange<Int> {
        let lower = min(max(Int(start.rounded(.up)), 0), limit - 1)
        return lower...min(max(Int((start + length).rounded(.down)) - 1, lower), limit - 1)
    }

    /// The samples of a mask, turned.
    static func turned(_ element: FusionElement, _ frame: DecodedFrame) -> [UInt8] {
        let across = inside(element.mask.x, element.mask.width, frame.size.width)
        let down = inside(element.mask.y, element.mask.height, frame.size.height)
        let size = frame.bitDepth == 8 ? 1 : 2
        var bytes: [UInt8] = []
        bytes.reserveCapacity(across.count * down.count * size)
        for column in across {
            for row in down.reversed() {
                let sample = frame.planes.0 + row * frame.strides.0 + column * size
                for byte in 0..<size { bytes.append(sample.load(fromByteOffset: byte, as: UInt8.self)) }
            }
        }
        return bytes
    }
}

/// The lines that elements are drawn in. Made once; one thread.
final class FusionLines {
    /// One row of a picture: weights, and 15-bit values.
    struct Row {
        let weights, luma, u, v, alpha: UnsafeMutablePointer<UInt16>
    }

    let upper, lower: Row
    /// A chroma row.
    let u, v, alpha: UnsafeMutablePointer<UInt16>
    private let storage: UnsafeMutablePointer<UInt16>

    init(width: Int) {
        let stride = max((width + 31) & ~31, 32)
        storage = .allocate(capacity: 13 * stride)
        storage.initialize(repeating: 0, count: 13 * stride)
        let lines = (0..<13).map { [storage] in storage + $0 * stride }
        upper = Row(weights: lines[0], luma: lines[1], u: lines[2], v: lines[3], alpha: lines[4])
        lower = Row(weights: lines[5], luma: lines[6], u: lines[7], v: lines[8], alpha: lines[9])
        (u, v, alpha) = (lines[10], lines[11], lines[12])
    }

    deinit { storage.deallocate() }
}
