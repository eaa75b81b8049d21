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
        _ sample: Sample, _ start: (Double, Double), _ length: (Double, Double), at point: (Double, Double)
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
        for (y, wy) in line(start.1, length.1, point.1, Double(place.height)) {
            for (x, wx) in line(start.0, length.0, point.0, Double(place.width)) where wx * wy > 0 {
                value += sample(x, y) * wx * wy
            }
        }
        return value
    }

    /// Luma of the program over a grey live picture of luma `live`, at a pixel of the placed rectangle; nil where alpha
    /// lies so near a threshold that either side of it is right.
    func luma(x: Int, y: Int, live: Double) -> Double? {
        let point = ((Double(x) + 0.5) / Double(place.width), (Double(y) + 0.5) / Double(place.height))
        let (c, a) = (layout.colour, layout.alpha)
        let alphaLuma = filter({ frame.sample(0, $0, $1) }, (a.x, a.y), (a.width, a.height), at: point)
        let source = Space(frame.space)
        var alpha = min(max((alphaLuma - source.black) / source.lumaSpan, 0), 1)
        guard abs(alpha * 255 - 3.5) > 0.2, abs(alpha * 255 - 251.5) > 0.2 else { return nil }
        if alpha * 255 < 3.5 { alpha = 0 }
        if alpha * 255 > 251.5 { alpha = 1 }
        func colour(_ plane: Int) -> Double {
            let across = plane == 0 ? 1 : Double(1 << frame.shiftX)
            let down = plane == 0 ? 1 : Double(1 << frame.shiftY)
            return filter(
                { frame.sample(plane, $0, $1) }, (c.x / across, c.y / down),
                (c.width / across, c.height / down),
                at: point)
        }
        let gift = source.rgb(colour(0), colour(1), colour(2))
        let target = Space(program.colour)
        let under = (live - target.black) / target.lumaSpan
        let rgb = gift.map { channel in
            guard alpha > 0 else { return under }
            return switch blend {
            case .premultiplied: channel + (1 - alpha) * under
            case .straight: channel * alpha + (1 - alpha) * under
            case .ios: channel * alpha + (1 - alpha * alpha) * under
            }
        }
        return min(max(target.luma(rgb), 0), 255)
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

        var testDescription: String {
            """
            \(blend) \(source.matrix)/\(source.range) to \(target.matrix)/\(target.range) \
            \(colour.x),\(colour.y) \(colour.width)x\(colour.height) at \(place.x),\(place.y) \(place.width)x\(place.height) \
            \(bitDepth) bits, chroma shifted by \(chromaShift.0), \(chromaShift.1)
            """
        }
    }

    static let cases: [Case] =
        Blend.allCases.map { Case(blend: $0) }
        + Blend.allCases.map { Case(blend: $0, target: ColourSpace(.bt601, .full)) }
        + [
            Case(target: ColourSpace(.bt601, .limited)),
            Case(source: ColourSpace(.bt709, .full)),
            Case(source: ColourSpace(.bt709, .full), target: ColourSpace(.bt601, .limited)),
            Case(place: PlacedRectangle(x: 0, y: 0, width: 62, height: 90)),
            Case(place: PlacedRectangle(x: 30, y: 40, width: 14, height: 16)),
            Case(
                colour: Rectangle(x: 3, y: 5, width: 35, height: 41),
                place: PlacedRectangle(x: 2, y: 2, width: 36, height: 42)),
            Case(alpha: Rectangle(x: 43, y: 7, width: 17, height: 23)),
            Case(alpha: Rectangle(x: 44, y: 0, width: 18.5, height: 23.5)),
            Case(place: PlacedRectangle(x: -14, y: -20, width: 60, height: 70)),
            Case(place: PlacedRectangle(x: 70, y: 80, width: 60, height: 70)),
            Case(place: PlacedRectangle(x: 4, y: 2, width: 6, height: 4)),
            Case(bitDepth: 10),
            Case(place: PlacedRectangle(x: 0, y: 0, width: 30, height: 100), bitDepth: 12),
            Case(source: ColourSpace(.bt709, .full), bitDepth: 16, chromaShift: (0, 0)),
            Case(chromaShift: (1, 0)),
            Case(colour: Rectangle(x: 1, y: 1, width: 39, height: 45), chromaShift: (0, 0)),
        ]

    @Test("luma differs by at most 2 levels, 1 on average", arguments: cases)
    func luma(_ test: Case) throws {
        let size = Size(64, 48)
        let source = test.source
        // Smooth colour with light beyond alpha here and there, and an alpha that rises, falls and saturates.
        let frame = MadeFrame(
            size, source, bitDepth: test.bitDepth, chromaShift: test.chromaShift
        ) { x, y in
            let wave = (sin(Double(x) / 5) + 1) / 2 * (cos(Double(y) / 7) + 1) / 2
            let isAlpha = x >= 42
            let luma = (source.range == .limited ? 16 : 0) + wave * (isAlpha ? 219 : 120)
            return isAlpha ? (luma, 128, 128) : (luma, 128 + 30 * wave * sin(Double(y) / 9), 128 + 35 * wave)
        }
        let program = ProgramFormat(width: 96, height: 112, colour: test.target)
        let layout = Layout(
            coded: size, canvas: Size(Int(test.colour.width), Int(test.colour.height)), colour: test.colour,
            alpha: test.alpha, frameCount: 1, framesPerSecond: 25)
        let picture = Picture(place: test.place, program: program)
        let preparer = PicturePreparer(layout: layout, place: test.place, program: program, blend: test.blend)
        try preparer.prepare(frame.decoded, into: picture)
        let canvas = LiveCanvas(96, 112, y: 140, u: 128, v: 128)
        picture.blend(onto: canvas.frame)

        let reference = Reference(
            frame: frame, layout: layout, place: test.place, program: program, blend: test.blend)
        var (worst, sum, count) = (0.0, 0.0, 0)
        for y in 0..<112 {
            for x in 0..<96 {
                let (px, py) = (x - test.place.x, y - test.place.y)
                let isInside = (0..<test.place.width).contains(px) && (0..<test.place.height).contains(py)
                guard let expected = isInside ? reference.luma(x: px, y: py, live: 140) : 140 else {
                    continue
                }
                let difference = abs(Double(canvas.luma(x, y)) - expected)
                worst = max(worst, difference)
                if isInside { (sum, count) = (sum + difference, count + 1) }
            }
        }
        #expect(worst <= 2, "worst \(worst)")
        #expect(sum / Double(max(count, 1)) <= 1)
        #expect(canvas.isPaddingIntact)
        #expect(test.place.x > 60 || count > test.place.width * test.place.height / 3)
    }
}
