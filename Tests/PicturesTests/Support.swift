import Pictures
import VAP

@testable import Pictures

/// A decoded frame made by a function of the luma position: Y, U, V in 0...255, at the bit depth and chroma
/// resolution wanted. A chroma sample takes the value at the first luma sample that it covers.
final class MadeFrame {
    let size: Size
    let space: ColourSpace
    let bitDepth, shiftX, shiftY: Int
    private let planes: [UnsafeMutablePointer<UInt16>]
    /// The same as bytes, for a bit depth of 8.
    private let bytes: [UnsafeMutablePointer<UInt8>]
    private let widths: [Int]

    init(
        _ size: Size, _ space: ColourSpace, bitDepth: Int = 8, chromaShift: (Int, Int) = (1, 1),
        _ value: (_ x: Int, _ y: Int) -> (Double, Double, Double)
    ) {
        (self.size, self.space, self.bitDepth, (shiftX, shiftY)) = (size, space, bitDepth, chromaShift)
        let chromaWidth = (size.width + (1 << shiftX) - 1) >> shiftX
        let chromaHeight = (size.height + (1 << shiftY) - 1) >> shiftY
        widths = [size.width, chromaWidth, chromaWidth]
        let counts = [size.width * size.height, chromaWidth * chromaHeight, chromaWidth * chromaHeight]
        planes = counts.map { .allocate(capacity: $0) }
        bytes = counts.map { .allocate(capacity: $0) }
        let one = Double(1 << (bitDepth - 8))
        for plane in 0..<3 {
            let (across, down) = plane == 0 ? (0, 0) : (shiftX, shiftY)
            for index in 0..<counts[plane] {
                let (y, u, v) = value((index % widths[plane]) << across, (index / widths[plane]) << down)
                let scaled = ([y, u, v][plane] * one).rounded()
                let sample = UInt16(min(max(scaled, 0), Double((1 << bitDepth) - 1)))
                (planes[plane] + index).initialize(to: sample)
                (bytes[plane] + index).initialize(to: UInt8(truncatingIfNeeded: sample))
            }
        }
    }

    deinit {
        for plane in planes { plane.deallocate() }
        for plane in bytes { plane.deallocate() }
    }

    var decoded: DecodedFrame {
        let pointers =
            bitDepth == 8 ? bytes.map { UnsafeRawPointer($0) } : planes.map { UnsafeRawPointer($0) }
        let strides = widths.map { bitDepth == 8 ? $0 : 2 * $0 }
        return DecodedFrame(
            planes: (pointers[0], pointers[1], pointers[2]), strides: (strides[0], strides[1], strides[2]),
            size: size, chromaShiftX: shiftX, chromaShiftY: shiftY, bitDepth: bitDepth, colour: space)
    }

    /// A sample in 8-bit units: plane 0 is luma, 1 U, 2 V.
    func sample(_ plane: Int, _ x: Int, _ y: Int) -> Double {
        Double(planes[plane][y * widths[plane] + x]) / Double(1 << (bitDepth - 8))
    }
}

/// A live frame with a value for every plane and 24 bytes of padding behind every row.
final class LiveCanvas {
    static let padding = 24
    static let paddingByte: UInt8 = 0x5A

    let width, height: Int
    private let bytes: UnsafeMutablePointer<UInt8>
    private let count: Int
    private let stride, chromaStride: Int

    init(_ width: Int, _ height: Int, y: UInt8, u: UInt8, v: UInt8) {
        (self.width, self.height) = (width, height)
        (stride, chromaStride) = (width + Self.padding, width / 2 + Self.padding)
        count = stride * height + chromaStride * height
        bytes = .allocate(capacity: count)
        bytes.initialize(repeating: Self.paddingByte, count: count)
        let frame = frame
        for row in 0..<height { (frame.luma + row * stride).update(repeating: y, count: width) }
        for row in 0..<height / 2 {
            (frame.chromaU + row * chromaStride).update(repeating: u, count: width / 2)
            (frame.chromaV + row * chromaStride).update(repeating: v, count: width / 2)
        }
    }

    deinit { bytes.deallocate() }

    var frame: LiveFrame {
        let chroma = bytes + stride * height
        return LiveFrame(
            luma: bytes, chromaU: chroma, chromaV: chroma + chromaStride * (height / 2),
            lumaStride: stride, chromaStride: chromaStride, width: width, height: height)
    }

    /// Fills the planes, 0 luma, 1 U and 2 V, by their own coordinates.
    func paint(_ value: (_ plane: Int, _ x: Int, _ y: Int) -> UInt8) {
        let frame = frame
        for row in 0..<height {
            for x in 0..<width { frame.luma[row * stride + x] = value(0, x, row) }
        }
        for row in 0..<height / 2 {
            for x in 0..<width / 2 {
                frame.chromaU[row * chromaStride + x] = value(1, x, row)
                frame.chromaV[row * chromaStride + x] = value(2, x, row)
            }
        }
    }

    /// Everything, padding included.
    var contents: [UInt8] { Array(UnsafeBufferPointer(start: bytes, count: count)) }

    var isPaddingIntact: Bool {
        let luma = (0..<height).map { $0 * stride + width }
        let chroma = (0..<height).map { stride * height + $0 * chromaStride + width / 2 }
        return (luma + chroma).allSatisfy { end in
            (end..<end + Self.padding).allSatisfy { bytes[$0] == Self.paddingByte }
        }
    }

    func luma(_ x: Int, _ y: Int) -> Int { Int(frame.luma[y * stride + x]) }
    func u(_ x: Int, _ y: Int) -> Int { Int(frame.chromaU[y * chromaStride + x]) }
    func v(_ x: Int, _ y: Int) -> Int { Int(frame.chromaV[y * chromaStride + x]) }
}

extension PicturePreparer {
    /// Prepares a made frame, which stays as long as it is read.
    func prepare(
        _ frame: MadeFrame, index: Int = 0, into picture: Picture
    ) throws(AnimationError) {
        defer { withExtendedLifetime(frame) {} }
        try prepare(frame.decoded, index: index, into: picture)
    }
}
