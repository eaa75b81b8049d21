import Foundation
import Testing
import VAP

@testable import Pictures

/// The blend written the plainest way: one output pixel at a time, double precision, in RGB.
private struct Reference {
    let frame: MadeFrame
    let layout: Layout
    let place: PlacedRectangle
    let program: ProgramFormat
    let blend: Blend

    private typealias Sample = (Int, Int) -> Double

    /// Triangle filter over the samples that lie wholly inside; `start` and `length` in samples of the plane.
    private func filter(
        _ sample: Sample, _ start: (Double, Double), _ length: (Double, Double), at point: (Double, Double),
        of total: (Int, Int)
    ) -> Double {
        func line(_ start: Double, _ length: Double, _ share: Double, _ total: Double) -> [(Int, Double)] {
            let centre = start + share * length - 0.5
            let radius = max(length / total, 1)
            let (lower, upper) = (Int(start.rounded(.up)), Int((start + length).rounded(.down)) - 1)
            let around = Int((centre - radius).rounded(.down))...Int((centre + radius).rounded(.up))
            let weights = around.map {
                (min(max($0, lower), upper), max(0, 1 - abs(Double($0) - centre) / radius))
            }
            let sum = weights.reduce(0) { $0 + $1.1 }
            return weights.map { ($0.0, $0.1 / sum) }
        }
        var value = 0.0
        for (y, wy) in line(start.1, length.1, point.1, Double(total.1)) {
            for (x, wx) in line(start.0, length.0, point.0, Double(total.0)) where wx * wy > 0 {
                value += sample(x, y) * wx * wy
            }
        }
        return value
    }

    /// Alpha at a pixel of the placed rectangle; nil where it lies so near a threshold that either side of it is right.
    private func alpha(_ x: Int, _ y: Int) -> Double? {
        let a = layout.alpha
        let luma = filter(
            { frame.sample(0, $0, $1) }, (a.x, a.y), (a.width, a.height),
            at: share(x, y, of: (place.width, place.height)), of: (place.width, place.height))
        let source = Space(frame.space)
        let alpha = min(max((luma - source.black) / source.lumaSpan, 0), 1)
        guard abs(alpha * 255 - 3.5) > 0.2, abs(alpha * 255 - 251.5) > 0.2 else { return nil }
        return alpha * 255 < 3.5 ? 0 : alpha * 255 > 251.5 ? 1 : alpha
    }

    /// The gift's own colour at one of `total` samples, in red, green and blue.
    private func colour(_ x: Int, _ y: Int, of total: (Int, Int)) -> [Double] {
        let c = layout.colour
        let samples = (0..<3).map { plane in
            let across = plane == 0 ? 1 : Double(1 << frame.shiftX)
            let down = plane == 0 ? 1 : Double(1 << frame.shiftY)
            return filter(
                { frame.sample(plane, $0, $1) }, (c.x / across, c.y / down),
                (c.width / across, c.height / down), at: share(x, y, of: total), of: total)
        }
        return Space(frame.space).rgb(samples[0], samples[1], samples[2])
    }

    private func share(_ x: Int, _ y: Int, of total: (Int, Int)) -> (Double, Double) {
        ((Double(x) + 0.5) / Double(total.0), (Double(y) + 0.5) / Double(total.1))
    }

    /// Weights of the gift's and of the live colour.
    private func weights(_ alpha: Double) -> (gift: Double, live: Double) {
        guard alpha > 0 else { return (0, 1) }
        return switch blend {
        case .premultiplied: (1, 1 - alpha)
        case .straight: (alpha, 1 - alpha)
        case .ios: (alpha, 1 - alpha * alpha)
        }
    }

    /// Luma of the program over a live picture whose luma is `live` here, at a pixel of the placed rectangle.
    func luma(x: Int, y: Int, live: Double) -> Double? {
        guard let alpha = alpha(x, y) else { return nil }
        let target = Space(program.colour)
        let under = (live - target.black) / target.lumaSpan
        let weights = weights(alpha)
        let rgb = colour(x, y, of: (place.width, place.height)).map {
            weights.gift * $0 + weights.live * under
        }
        return min(max(target.luma(rgb), 0), 255)
    }

    /// U and V of the program at a chroma sample of the placed rectangle, over live samples: each weighs what the
    /// four pixels that it covers do on average.
    func chroma(x: Int, y: Int, live: (Double, Double)) -> (u: Double, v: Double)? {
        let four = (0..<4).map { alpha(2 * x + $0 % 2, 2 * y + $0 / 2) }
        let known = four.compactMap(\.self)
        guard known.count == 4 else { return nil }
        let under = known.map { weights($0).live }.reduce(0, +) / 4
        let mean = known.reduce(0, +) / 4
        guard mean * 255 > 0.7 || mean == 0 else { return nil }
        let over = mean == 0 ? 0 : blend == .premultiplied ? 1 : mean
        let target = Space(program.colour)
        let own = target.chroma(colour(x, y, of: (place.width / 2, place.height / 2)))
        func mixed(_ gift: Double, _ live: Double) -> Double {
            min(max(128 + over * (gift - 128) + under * (live - 128), 0), 255)
        }
        return (mixed(own.u, live.0), mixed(own.v, live.1))
    }

    /// Where a pixel of the program lies on the placed rectangle; nil outside what is shown of it.
    func inside(_ x: Int, _ y: Int) -> (Int, Int)? {
        let (px, py) = (x - place.x, y - place.y)
        let isCut = place.cut.map { !$0.columns.contains(x) || !$0.rows.contains(y) } ?? false
        let isInside = (0..<place.width).contains(px) && (0..<place.height).contains(py)
        return isInside && !isCut ? (px, py) : nil
    }

    private struct Space {
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

        func chroma(_ rgb: [Double]) -> (u: Double, v: Double) {
            let luma = red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2]
            return (
                128 + chromaSpan * (rgb[2] - luma) / (2 - 2 * blue),
                128 + chromaSpan * (rgb[0] - luma) / (2 - 2 * red)
            )
        }

        func luma(_ rgb: [Double]) -> Double {
            black + lumaSpan * (red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2])
        }
    }
}

@Suite("Prepared and blended against the plain reference")
struct ReferenceTests {
    struct Case: CustomTestStringConvertible {
        var blend = Blend.premultiplied
        var source = ColourSpace(.bt601, .limited)
        var target = ColourSpace(.bt709, .limited)
        var colour = Rectangle(x: 0, y: 0, width: 40, height: 48)
        var alpha = Rectangle(x: 44, y: 0, width: 20, height: 24)
        var place = PlacedRectangle(x: 8, y: 8, width: 40, height: 48)
        var bitDepth = 8
        var chromaShift = (1, 1)
        /// The largest luma of the gift's colour.
        var peak = 130.0

        var testDescription: String {
            """
            \(blend) \(source.matrix)/\(source.range) to \(target.matrix)/\(target.range) \
            \(colour.x),\(colour.y) \(colour.width)x\(colour.height) at \(place.x),\(place.y) \(place.width)x\(place.height) \
            \(bitDepth) bits, chroma shifted by \(chromaShift.0), \(chromaShift.1)
            """
        }
    }

    private static let spaces = [ColourSpace.Matrix.bt601, .bt709].flatMap { matrix in
        [ColourSpace.Range.limited, .full].map { ColourSpace(matrix, $0) }
    }

    /// Every blend from every kind of gift onto every kind of feed, scaled up, down and not at all in turn.
    private static let colours: [Case] = Blend.allCases.flatMap { blend in
        spaces.flatMap { source in
            spaces.enumerated().map { index, target in
                Case(blend: blend, source: source, target: target, place: places[index])
            }
        }
    }

    private static let places = [
        PlacedRectangle(x: 8, y: 8, width: 40, height: 48),
        PlacedRectangle(x: 2, y: 4, width: 30, height: 34),
        PlacedRectangle(x: 0, y: 0, width: 62, height: 90),
        PlacedRectangle(x: 50, y: -8, width: 58, height: 64),
    ]

    /// Every blend with odd rectangles, odd scales, and places partly outside, on both matrices.
    private static let shapes: [Case] = Blend.allCases.flatMap { blend in
        [
            Case(
                blend: blend, colour: Rectangle(x: 3, y: 5, width: 35, height: 41),
                alpha: Rectangle(x: 43, y: 7, width: 17, height: 23),
                place: PlacedRectangle(x: 2, y: 2, width: 36, height: 42)),
            Case(
                blend: blend, target: ColourSpace(.bt601, .full),
                colour: Rectangle(x: 1, y: 0, width: 39, height: 47),
                alpha: Rectangle(x: 44.5, y: 1, width: 18.5, height: 23.5),
                place: PlacedRectangle(x: -14, y: -20, width: 66, height: 78)),
            Case(
                blend: blend, source: ColourSpace(.bt709, .full), target: ColourSpace(.bt709, .full),
                colour: Rectangle(x: 0.5, y: 0, width: 37.5, height: 45),
                place: PlacedRectangle(x: 70, y: 80, width: 60, height: 70)),
            Case(
                blend: blend, target: ColourSpace(.bt601, .limited),
                place: PlacedRectangle(
                    x: -10, y: 10, width: 90, height: 108, cut: .init(columns: 6..<60, rows: 20..<84))),
        ]
    }

    private static let formats: [Case] = [
        Case(place: PlacedRectangle(x: 30, y: 40, width: 14, height: 16)),
        Case(place: PlacedRectangle(x: 4, y: 2, width: 6, height: 4)),
        Case(place: PlacedRectangle(x: 120, y: 8, width: 40, height: 48)),
        Case(place: PlacedRectangle(x: 8, y: -60, width: 40, height: 60)),
        Case(bitDepth: 10),
        Case(place: PlacedRectangle(x: 0, y: 0, width: 30, height: 100), bitDepth: 12),
        Case(source: ColourSpace(.bt709, .full), bitDepth: 16, chromaShift: (0, 0)),
        Case(chromaShift: (1, 0)),
        Case(blend: .straight, target: ColourSpace(.bt709, .full), peak: 254),
        Case(blend: .ios, target: ColourSpace(.bt601, .full), peak: 254),
        Case(colour: Rectangle(x: 1, y: 1, width: 39, height: 45), chromaShift: (0, 0)),
    ]

    static let cases = colours + shapes + formats

    /// Smooth colour with light beyond alpha here and there, and an alpha that rises, falls and saturates.
    private func frame(_ test: Case) -> MadeFrame {
        MadeFrame(Self.coded, test.source, bitDepth: test.bitDepth, chromaShift: test.chromaShift) { x, y in
            let wave = (sin(Double(x) / 5) + 1) / 2 * (cos(Double(y) / 7) + 1) / 2
            let isAlpha = x >= 42
            let (black, white) = test.source.range == .limited ? (16.0, 235.0) : (0.0, 255.0)
            let luma = black + wave * (isAlpha ? white - black : test.peak - black)
            return isAlpha ? (luma, 128, 128) : (luma, 128 + 30 * wave * sin(Double(y) / 9), 128 + 35 * wave)
        }
    }

    private static let coded = Size(64, 48)
    /// Of the program: neither side is a multiple of what a vector holds.
    private static let (width, height) = (94, 110)

    private struct Difference {
        var worst = 0.0
        private var sum = 0.0
        private(set) var count = 0

        mutating func add(_ difference: Double) {
            worst = max(worst, abs(difference))
            sum += abs(difference)
            count += 1
        }

        var mean: Double { sum / Double(max(count, 1)) }
    }

    @Test("differs by at most 2 levels, 1 on average, and by none outside", arguments: cases)
    func differences(_ test: Case) throws {
        let frame = frame(test)
        let program = ProgramFormat(width: Self.width, height: Self.height, colour: test.target)
        let layout = Layout(
            coded: Self.coded, canvas: Size(Int(test.colour.width), Int(test.colour.height)),
            colour: test.colour, alpha: test.alpha, frameCount: 1, framesPerSecond: 25)
        let picture = Picture(place: test.place, program: program)
        let preparer = PicturePreparer(layout: layout, place: test.place, program: program, blend: test.blend)
        try preparer.prepare(frame, into: picture)
        let canvas = LiveCanvas(Self.width, Self.height, y: 0, u: 0, v: 0)
        canvas.paint(live)
        picture.blend(onto: canvas.frame)

        let reference = Reference(
            frame: frame, layout: layout, place: test.place, program: program, blend: test.blend)
        var (luma, chroma) = (Difference(), Difference())
        for y in 0..<Self.height {
            for x in 0..<Self.width {
                compare(canvas, reference, x, y, &luma)
                if x % 2 == 0, y % 2 == 0 { compareChroma(canvas, reference, x / 2, y / 2, &chroma) }
            }
        }
        #expect(luma.worst <= 2 && luma.mean <= 1, "luma: worst \(luma.worst), mean \(luma.mean)")
        #expect(chroma.worst <= 2 && chroma.mean <= 1, "chroma: worst \(chroma.worst), mean \(chroma.mean)")
        #expect(canvas.isPaddingIntact)
        let visible = test.place.visible(in: program)
        #expect(luma.count >= visible.columns.count * visible.rows.count / 3)
    }

    /// A live picture with slopes in all planes.
    private func live(plane: Int, x: Int, y: Int) -> UInt8 {
        switch plane {
        case 0: UInt8(20 + (x * 5 + y * 3) % 210)
        case 1: UInt8(60 + (x * 3 + y) % 130)
        default: UInt8(190 - (x + y * 3) % 120)
        }
    }

    private func compare(
        _ canvas: LiveCanvas, _ reference: Reference, _ x: Int, _ y: Int, _ difference: inout Difference
    ) {
        let under = live(plane: 0, x: x, y: y)
        guard let (px, py) = reference.inside(x, y) else {
            if canvas.luma(x, y) != under { difference.worst = 255 }
            return
        }
        guard let expected = reference.luma(x: px, y: py, live: Double(under)) else { return }
        difference.add(Double(canvas.luma(x, y)) - expected)
    }

    private func compareChroma(
        _ canvas: LiveCanvas, _ reference: Reference, _ x: Int, _ y: Int, _ difference: inout Difference
    ) {
        let under = (live(plane: 1, x: x, y: y), live(plane: 2, x: x, y: y))
        guard let (px, py) = reference.inside(2 * x, 2 * y) else {
            if canvas.u(x, y) != under.0 || canvas.v(x, y) != under.1 { difference.worst = 255 }
            return
        }
        let expected = reference.chroma(x: px / 2, y: py / 2, live: (Double(under.0), Double(under.1)))
        guard let expected else { return }
        difference.add(Double(canvas.u(x, y)) - expected.u)
        difference.add(Double(canvas.v(x, y)) - expected.v)
    }
}
