package import VAP

/// Colour where a picture is clear. Players show it as light, or not at all: in either case it is not what was drawn.
package enum StrayColour {
    /// Above what codecs leave behind around edges, in 8-bit levels.
    private static let noise = 24
    /// Samples looked at in one picture, about.
    private static let samples = 20_000

    /// The share (0 ... 1) of the clear part of a frame that holds colour. Clear is what has no alpha around it either:
    /// codecs smear edges. Plain and slow, for inspections. The frame has the layout's size.
    package static func share(of frame: DecodedFrame, _ layout: Layout) -> Double {
        let (area, colour) = (layout.alpha, layout.colour)
        let (width, height) = (Int(area.width), Int(area.height))
        guard frame.size == layout.coded, width > 2, height > 2 else { return 0 }
        let step = max(1, Int((Double(width * height) / Double(samples)).squareRoot()))
        let (left, top) = (Int(area.x.rounded(.up)), Int(area.y.rounded(.up)))
        let floor = Int(frame.colour.black) + (4 * frame.colour.lumaSpan + 254) / 255
        var (clear, stray) = (0, 0)
        for y in stride(from: 1, to: height - 2, by: step) {
            for x in stride(from: 1, to: width - 2, by: step) {
                func isClear(_ x: Int, _ y: Int) -> Bool { frame.sample(0, left + x, top + y) < floor }
                guard isClear(x, y), isClear(x - 1, y), isClear(x + 1, y), isClear(x, y - 1),
                    isClear(x, y + 1)
                else { continue }
                clear += 1
                let at = (
                    Int(colour.x + (Double(x) + 0.5) * colour.width / area.width),
                    Int(colour.y + (Double(y) + 0.5) * colour.height / area.height)
                )
                if isColoured(frame, at.0, at.1) { stray += 1 }
            }
        }
        return clear > 0 ? Double(stray) / Double(clear) : 0
    }

    private static func isColoured(_ frame: DecodedFrame, _ x: Int, _ y: Int) -> Bool {
        if frame.sample(0, x, y) > Int(frame.colour.black) + noise { return true }
        let (across, down) = (x >> frame.chromaShiftX, y >> frame.chromaShiftY)
        return [1, 2].contains { abs(frame.sample($0, across, down) - 128) > noise }
    }
}

extension DecodedFrame {
    /// A sample of luma (0), U (1) or V (2) in 8-bit levels; inside the plane.
    fileprivate func sample(_ plane: Int, _ x: Int, _ y: Int) -> Int {
        let line =
            switch plane {
            case 0: planes.0 + y * strides.0
            case 1: planes.1 + y * strides.1
            default: planes.2 + y * strides.2
            }
        guard bitDepth > 8 else { return Int(line.load(fromByteOffset: x, as: UInt8.self)) }
        return Int(line.load(fromByteOffset: 2 * x, as: UInt16.self)) >> (bitDepth - 8)
    }
}
