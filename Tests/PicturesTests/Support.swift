import Pictures
import VAP

@testable import Pictures

/// A decoded frame made by a function of the luma position: Y, U, V in 0...255.
final class MadeFrame {
    let size: Size
    let space: ColourSpace
    private let planes: [UnsafeMutablePointer<UInt8>]
    private let chromaWidth: Int

    init(_ size: Size, _ space: ColourSpace, _ value: (_ x: Int, _ y: Int) -> (Double, Double, Double)) {
        self.size = size
        self.space = space
        chromaWidth = (size.width + 1) / 2
        let chromaHeight = (size.height + 1) / 2
        let counts = [size.width * size.height, chromaWidth * chromaHeight, chromaWidth * chromaHeight]
        planes = counts.map { count in
            let plane = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
            plane.initialize(repeating: 0, count: count)
            return plane
        }
        func byte(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
        for y in 0..<size.height {
            for x in 0..<size.width {
                let (luma, u, v) = value(x, y)
                planes[0][y * size.width + x] = byte(luma)
                planes[1][y / 2 * chromaWidth + x / 2] = byte(u)
                planes[2][y / 2 * chromaWidth + x / 2] = byte(v)
            }
        }
    }

    deinit { for plane in planes { plane.deallocate() } }

    var decoded: DecodedFrame {
        DecodedFrame(
            planes: (UnsafeRawPointer(planes[0]), UnsafeRawPointer(planes[1]), UnsafeRawPointer(planes[2])),
            strides: (size.width, chromaWidth, chromaWidth), size: size, chromaShiftX: 1, chromaShiftY: 1,
            bitDepth: 8, colour: space)
    }

    func luma(_ x: Int, _ y: Int) -> Double { Double(planes[0][y * size.width + x]) }

    func chroma(_ plane: Int, _ x: Int, _ y: Int) -> Double { Double(planes[plane][y * chromaWidth + x]) }
}

/// A live frame with a value for every plane.
final class LiveCanvas {
    let width, height: Int
    private let bytes: UnsafeMutablePointer<UInt8>
    private let count: Int

    init(_ width: Int, _ height: Int, y: UInt8, u: UInt8, v: UInt8) {
        self.width = width
        self.height = height
        count = width * height * 3 / 2
        bytes = .allocate(capacity: count)
        bytes.initialize(repeating: y, count: width * height)
        (bytes + width * height).initialize(repeating: u, count: width * height / 4)
        (bytes + width * height * 5 / 4).initialize(repeating: v, count: width * height / 4)
    }

    deinit { bytes.deallocate() }

    var frame: LiveFrame {
        LiveFrame(
            luma: bytes, chromaU: bytes + width * height, chromaV: bytes + width * height * 5 / 4,
            lumaStride: width, chromaStride: width / 2, width: width, height: height)
    }

    var contents: [UInt8] { Array(UnsafeBufferPointer(start: bytes, count: count)) }

    func luma(_ x: Int, _ y: Int) -> Int { Int(bytes[y * width + x]) }
    func u(_ x: Int, _ y: Int) -> Int { Int((bytes + width * height)[y * width / 2 + x]) }
    func v(_ x: Int, _ y: Int) -> Int { Int((bytes + width * height * 5 / 4)[y * width / 2 + x]) }
}
