internal import CLibAV
internal import VAP

/// How a camera was held: the EXIF orientation of a picture, 1 (as it is) to 8.
struct ImageOrientation {
    let number: Int

    init(_ number: Int) { self.number = (1...8).contains(number) ? number : 1 }

    /// As the decoder found it.
    init(_ frame: UnsafeMutablePointer<AVFrame>) {
        guard let entry = av_dict_get(frame.pointee.metadata, "Orientation", nil, 0) else {
            self.init(1)
            return
        }
        let text = String(cString: entry.pointee.value)
        self.init(Int(text.filter { !$0.isWhitespace }) ?? 1)
    }

    /// Turned and mirrored by a quarter or not: width and height change places.
    private var isTurned: Bool { number >= 5 }

    /// The pixels of a picture of four bytes each, without gaps, the right way up.
    func upright(_ pixels: UnsafeRawPointer, stride: Int, _ size: Size) -> (size: Size, bytes: [UInt8]) {
        let target = isTurned ? Size(size.height, size.width) : size
        let bytes = [UInt8](unsafeUninitializedCapacity: 4 * size.width * size.height) { bytes, filled in
            guard let out = UnsafeMutableRawPointer(bytes.baseAddress) else { return }
            for row in 0..<target.height {
                for column in 0..<target.width {
                    let (x, y) = source(column, row, size)
                    out.storeBytes(
                        of: pixels.loadUnaligned(fromByteOffset: y * stride + 4 * x, as: UInt32.self),
                        toByteOffset: 4 * (row * target.width + column), as: UInt32.self)
                }
            }
            filled = 4 * size.width * size.height
        }
        return (target, bytes)
    }

    /// Where the upright picture's pixel lies in the stored one. By the definition of the tag: which edge of the stored
    /// picture is the upright one's top, and which its left.
    private func source(_ x: Int, _ y: Int, _ size: Size) -> (x: Int, y: Int) {
        let (right, bottom) = (size.width - 1, size.height - 1)
        switch number {
        case 2: return (right - x, y)
        case 3: return (right - x, bottom - y)
        case 4: return (x, bottom - y)
        case 5: return (y, x)
        case 6: return (y, bottom - x)
        case 7: return (right - y, bottom - x)
        case 8: return (right - y, x)
        default: return (x, y)
        }
    }
}
