import Foundation

@testable import Pictures
@testable import VAP

/// Fusion written the plainest way: one output pixel at a time, double precision, in RGB.
struct FusionReference {
    /// A source's straight colour and alpha, 0...1, at a pixel of its picture.
    typealias Source = (_ x: Int, _ y: Int) -> (red: Double, green: Double, blue: Double, alpha: Double)

    let frame: MadeFrame
    let layout: Layout
    let place: PlacedRectangle
    let program: ProgramFormat
    let blend: Blend
    /// In the order of z.
    let elements: [FusionElement]
    /// By source.
    let pictures: [(size: Size, pixel: Source)]

    typealias Sample = (_ x: Int, _ y: Int) -> [Double]

    /// Triangle filter at a point of the plane, as wide as `step` where that is more than a sample. Samples outside
    /// `bounds` are the nearest inside.
    static func filter(
        _ sample: Sample, at point: (x: Double, y: Double), step: (x: Double, y: Double),
        _ bounds: (x: ClosedRange<Int>, y: ClosedRange<Int>)
    ) -> [Double] {
        func line(_ at: Double, _ step: Double, _ bounds: ClosedRange<Int>) -> [(Int, Double)] {
            let (centre, radius) = (at - 0.5, max(step, 1))
            let around = Int((centre - radius).rounded(.down))...Int((centre + radius).rounded(.up))
            let weights = around.map { (index: Int) -> (Int, Double) in
                let weight = max(0, 1 - abs(Double(index) - centre) / radius)
                return (min(max(index, bounds.lowerBound), bounds.upperBound), weight)
            }
            let sum = weights.reduce(0) { $0 + $1.1 }
            return weights.map { ($0.0, $0.1 / sum) }
        }
        var value: [Double] = []
        for (y, down) in line(point.y, step.y, bounds.y) {
            for (x, across) in line(point.x, step.x, bounds.x) where down * across > 0 {
                let found = sample(x, y).map { $0 * down * across }
                value = value.isEmpty ? found : zip(value, found).map { $0 + $1 }
            }
        }
        return value
    }

    private static func inside(_ area: Rectangle) -> (x: ClosedRange<Int>, y: ClosedRange<Int>) {
        func range(_ start: Double, _ length: Double) -> ClosedRange<Int> {
            let first = Int(start.rounded(.up))
            return first...max(first, Int((start + length).rounded(.down)) - 1)
        }
        return (range(area.x, area.width), range(area.y, area.height))
    }

    /// A plane of the frame over a rectangle given in luma samples, at shares of it.
    private func plane(
        _ plane: Int, _ area: Rectangle, _ share: (x: Double, y: Double), _ outputs: (Double, Double)
    )
        -> Double
    {
        let across = plane == 0 ? 1 : Double(1 << frame.shiftX)
        let down = plane == 0 ? 1 : Double(1 << frame.shiftY)
        let scaled = Rectangle(
            x: area.x / across, y: area.y / down, width: area.width / across, height: area.height / down)
        return Self.filter(
            { [frame.sample(plane, $0, $1)] },
            at: (scaled.x + share.x * scaled.width, scaled.y + share.y * scaled.height),
            step: (scaled.width / outputs.0, scaled.height / outputs.1), Self.inside(scaled))[0]
    }

    /// 0...1; nil where it lies so near a threshold that either side of it is right.
    private func opacity(_ luma: Double) -> Double? {
        let space = ReferenceSpace(frame.space)
        let alpha = min(max((luma - space.black) / space.lumaSpan, 0), 1)
        guard abs(alpha * 255 - 3.5) > 0.2, abs(alpha * 255 - 251.5) > 0.2 else { return nil }
        return alpha * 255 < 3.5 ? 0 : alpha * 255 > 251.5 ? 1 : alpha
    }

    /// Colour (premultiplied) and alpha of the gift alone at a pixel of the placed rectangle.
    private func gift(_ x: Int, _ y: Int) -> (rgb: [Double], alpha: Double)? {
        let share = ((Double(x) + 0.5) / Double(place.width), (Double(y) + 0.5) / Double(place.height))
        let outputs = (Double(place.width), Double(place.height))
        guard let alpha = opacity(plane(0, layout.alpha, share, outputs)) else { return nil }
        guard alpha > 0 else { return ([0, 0, 0], 0) }
        let yuv = (0..<3).map { plane($0, layout.colour, share, outputs) }
        let rgb = ReferenceSpace(frame.space).rgb(yuv[0], yuv[1], yuv[2])
        return switch blend {
        case .premultiplied: (rgb, alpha)
        case .straight: (rgb.map { $0 * alpha }, alpha)
        case .ios: (rgb.map { $0 * alpha }, alpha * alpha)
        }
    }

    /// Colour and alpha with everything drawn into it.
    private func fused(_ x: Int, _ y: Int) -> (rgb: [Double], alpha: Double)? {
        guard var (rgb, alpha) = gift(x, y) else { return nil }
        let across = Double(place.width) / Double(layout.canvas.width)
        let down = Double(place.height) / Double(layout.canvas.height)
        for element in elements {
            let target = Rectangle(
                x: element.target.x * across, y: element.target.y * down,
                width: element.target.width * across,
                height: element.target.height * down)
            let covered = share(x, target.x, target.width) * share(y, target.y, target.height)
            guard covered > 0 else { continue }
            let at = (
                x: (Double(x) + 0.5 - target.x) / target.width,
                y: (Double(y) + 0.5 - target.y) / target.height
            )
            guard let mask = mask(element, at, target) else { return nil }
            let source = source(element, at, target)
            let m = mask * covered
            for channel in 0..<3 { rgb[channel] = source[channel] * m + rgb[channel] * (1 - source[3] * m) }
            alpha = source[3] * m + alpha * (1 - source[3] * m)
        }
        return (rgb, alpha)
    }

    private func share(_ pixel: Int, _ start: Double, _ length: Double) -> Double {
        min(max(min(Double(pixel) + 1, start + length) - max(Double(pixel), start), 0), 1)
    }

    private func mask(_ element: FusionElement, _ at: (x: Double, y: Double), _ target: Rectangle) -> Double?
    {
        guard element.isTurned else {
            return opacity(plane(0, element.mask, at, (target.width, target.height)))
        }
        // The mask is shown a quarter turn clockwise: its lower left corner is the target's upper left one.
        let turned = (x: at.y, y: 1 - at.x)
        return opacity(plane(0, element.mask, turned, (target.height, target.width)))
    }

    private func source(_ element: FusionElement, _ at: (x: Double, y: Double), _ target: Rectangle)
        -> [Double]
    {
        let picture = pictures[element.source]
        let (width, height) = (Double(picture.size.width), Double(picture.size.height))
        return Self.filter(
            { x, y in
                let pixel = picture.pixel(x, y)
                return [pixel.red, pixel.green, pixel.blue].map { $0 * pixel.alpha } + [pixel.alpha]
            }, at: (at.x * width, at.y * height), step: (width / target.width, height / target.height),
            (0...picture.size.width - 1, 0...picture.size.height - 1))
    }

    /// Luma of the program over a grey live picture of luma `live`, at a pixel of the placed rectangle.
    func luma(_ x: Int, _ y: Int, live: Double) -> Double? {
        guard let (rgb, alpha) = fused(x, y) else { return nil }
        let target = ReferenceSpace(program.colour)
        let under = (live - target.black) / target.lumaSpan
        return min(max(target.luma(rgb.map { $0 + (1 - alpha) * under }), 0), 255)
    }

    /// U and V of the program over a grey live picture, where all four pixels of a chroma sample can be told. Not where
    /// the gift is clear in some of them: its colour belongs to all four.
    func chroma(_ x: Int, _ y: Int) -> [Double]? {
        var sum = [0.0, 0.0]
        let four = [(2 * x, 2 * y), (2 * x + 1, 2 * y), (2 * x, 2 * y + 1), (2 * x + 1, 2 * y + 1)]
        guard Set(four.map { gift($0.0, $0.1)?.alpha == 0 }).count == 1 else { return nil }
        for (column, row) in four {
            guard let (rgb, _) = fused(column, row) else { return nil }
            let found = ReferenceSpace(program.colour).chroma(rgb)
            sum = [sum[0] + found[0] / 4, sum[1] + found[1] / 4]
        }
        return sum
    }
}

/// BT.601 and BT.709 by their definitions; RGB is 0...1.
struct ReferenceSpace {
    let red, blue, black, lumaSpan, chromaSpan: Double

    init(_ space: ColourSpace) {
        (red, blue) = space.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        (black, lumaSpan, chromaSpan) = space.range == .limited ? (16, 219, 224) : (0, 255, 255)
    }

    func rgb(_ y: Double, _ u: Double, _ v: Double) -> [Double] {
        let luma = (y - black) / lumaSpan
        let r = luma + (2 - 2 * red) * (v - 128) / chromaSpan
        let b = luma + (2 - 2 * blue) * (u - 128) / chromaSpan
        return [r, (luma - red * r - blue * b) / (1 - red - blue), b]
    }

    func luma(_ rgb: [Double]) -> Double {
        black + lumaSpan * (red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2])
    }

    func chroma(_ rgb: [Double]) -> [Double] {
        let luma = red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2]
        return [
            128 + chromaSpan * (rgb[2] - luma) / (2 - 2 * blue),
            128 + chromaSpan * (rgb[0] - luma) / (2 - 2 * red),
        ]
    }
}
