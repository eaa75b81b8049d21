import Foundation
import Testing

@testable import Pictures
@testable import VAP

/// A gift with masks: colour 40x48 at the left, alpha 20x24 beside it, a mask of 18x20 below that.
struct FusionGift {
    static let coded = Size(64, 48)
    static let mask = Rectangle(x: 44, y: 26, width: 18, height: 20)
    static let layout = Layout(
        coded: coded, canvas: Size(40, 48), colour: Rectangle(x: 0, y: 0, width: 40, height: 48),
        alpha: Rectangle(x: 44, y: 0, width: 20, height: 24), frameCount: 4, framesPerSecond: 25)

    static func source(_ size: Size, _ fit: FusionSource.Fit = .stretch, kind: FusionSource.Kind = .image)
        -> FusionSource
    {
        FusionSource(id: "1", kind: kind, tag: "it", size: size, fit: fit, colour: nil, isBold: false)
    }

    static func art(_ elements: [Int: [FusionElement]], _ bitmaps: [FusionBitmap?], _ sources: [FusionSource])
        -> FusionArt
    {
        FusionArt(canvas: layout.canvas, sources: sources, elements: elements, bitmaps: bitmaps)
    }

    /// A picture by a function of its pixels.
    static func picture(_ size: Size, _ pixel: FusionReference.Source) -> PixelImage {
        var bytes: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let (red, green, blue, alpha) = pixel(x, y)
                bytes += [red, green, blue, alpha].map { UInt8(($0 * 255).rounded()) }
            }
        }
        return PixelImage(size: size, bytes: bytes, isPremultiplied: false)
    }
}

@Suite("Fusion against the plain reference")
struct FusionReferenceTests {
    struct Case: CustomTestStringConvertible {
        var blend = Blend.premultiplied
        var source = ColourSpace(.bt601, .limited)
        var target = ColourSpace(.bt709, .limited)
        var place = PlacedRectangle(x: 8, y: 8, width: 40, height: 48)
        var picture = Size(18, 20)
        var elements = [Rectangle(x: 4, y: 6, width: 18, height: 20)]
        var isTurned = false
        var bitDepth = 8

        var testDescription: String {
            """
            \(blend) \(source.matrix)/\(source.range) to \(target.matrix)/\(target.range) at \(place.x),\(place.y) \
            \(place.width)x\(place.height) \(picture.width)x\(picture.height) in \
            \(elements.map { "\($0.x),\($0.y) \($0.width)x\($0.height)" }) turned \(isTurned) \(bitDepth) bits
            """
        }
    }

    static let cases: [Case] =
        Blend.allCases.map { Case(blend: $0) }
        + Blend.allCases.map { Case(blend: $0, target: ColourSpace(.bt601, .full), picture: Size(60, 31)) }
        + [
            Case(source: ColourSpace(.bt709, .full), target: ColourSpace(.bt601, .limited)),
            Case(bitDepth: 10),
            Case(isTurned: true),
            Case(isTurned: true, bitDepth: 12),
            Case(elements: [Rectangle(x: 2, y: 30, width: 31, height: 9)], isTurned: true),
            Case(elements: [Rectangle(x: 4.3, y: 6.7, width: 17.4, height: 20.9)]),
            Case(elements: [
                Rectangle(x: 5, y: 7, width: 1, height: 1), Rectangle(x: 9, y: 9, width: 0.4, height: 7),
            ]),
            Case(
                elements: [
                    Rectangle(x: 0, y: 0, width: 30, height: 30),
                    Rectangle(x: 10, y: 5, width: 25, height: 31),
                    Rectangle(x: 20, y: 20, width: 20, height: 28),
                ]),
            Case(elements: [
                Rectangle(x: -9, y: -7, width: 20, height: 20),
                Rectangle(x: 30, y: 40, width: 30, height: 30),
            ]),
            Case(place: PlacedRectangle(x: 0, y: 0, width: 62, height: 90)),
            Case(place: PlacedRectangle(x: 30, y: 40, width: 14, height: 16)),
            Case(place: PlacedRectangle(x: -14, y: -20, width: 60, height: 70)),
            Case(place: PlacedRectangle(x: 70, y: 80, width: 60, height: 70)),
            Case(place: PlacedRectangle(x: 4, y: 2, width: 58, height: 44), picture: Size(1, 1)),
        ]

    private let size = FusionGift.coded

    private func frame(_ test: Case) -> MadeFrame {
        MadeFrame(size, test.source, bitDepth: test.bitDepth) { x, y in
            let zero = test.source.range == .limited ? 16.0 : 0
            let wave = (sin(Double(x) / 5) + 1) / 2 * (cos(Double(y) / 7) + 1) / 2
            if x >= 42 {
                // Alpha clear in its upper part, the mask another slope.
                let level = y < 25 ? min(max(wave * 1.6 - 0.3, 0), 1) : (sin(Double(x + 2 * y) / 6) + 1) / 2
                return (zero + level * (test.source.range == .limited ? 219 : 255), 128, 128)
            }
            return (zero + wave * 120, 128 + 30 * wave * sin(Double(y) / 9), 128 + 35 * wave)
        }
    }

    private static func pixel(_ x: Int, _ y: Int) -> (Double, Double, Double, Double) {
        let (x, y) = (Double(x), Double(y))
        return (
            (sin(x / 3) + 1) / 2, (cos(y / 4) + 1) / 2, (sin((x + y) / 5) + 1) / 2, (cos((x - y) / 6) + 1) / 2
        )
    }

    @Test("luma differs by at most 2 levels, 1 on average, and chroma by at most 3", arguments: cases)
    func matches(_ test: Case) throws {
        let elements = test.elements.enumerated().map { index, target in
            FusionElement(
                source: 0, z: Double(index), target: target, mask: FusionGift.mask, isTurned: test.isTurned)
        }
        let program = ProgramFormat(width: 96, height: 112, colour: test.target)
        let bitmap = FusionBitmap(
            FusionGift.picture(test.picture) { Self.pixel($0, $1) }, colour: test.target)
        let art = FusionGift.art([3: elements], [bitmap], [FusionGift.source(test.picture)])
        let frame = frame(test)
        let canvas = LiveCanvas(96, 112, y: 140, u: 128, v: 128)
        let picture = Picture(place: test.place, program: program)
        let preparer = PicturePreparer(
            layout: FusionGift.layout, place: test.place, program: program, blend: test.blend, art: art)
        // Twice: the second time with everything that was kept from the first.
        for _ in 0..<2 { try preparer.prepare(frame, index: 3, into: picture) }
        picture.blend(onto: canvas.frame)

        let reference = FusionReference(
            frame: frame, layout: FusionGift.layout, place: test.place, program: program, blend: test.blend,
            elements: elements, pictures: [(test.picture, { Self.pixel($0, $1) })])
        var (worst, sum, count, worstChroma) = (0.0, 0.0, 0, 0.0)
        for y in 0..<112 {
            for x in 0..<96 {
                let (px, py) = (x - test.place.x, y - test.place.y)
                let isInside = (0..<test.place.width).contains(px) && (0..<test.place.height).contains(py)
                guard let expected = isInside ? reference.luma(px, py, live: 140) : 140 else { continue }
                let difference = abs(Double(canvas.luma(x, y)) - expected)
                worst = max(worst, difference)
                if isInside { (sum, count) = (sum + difference, count + 1) }
                guard isInside, x % 2 == 0, y % 2 == 0 else { continue }
                guard let chroma = reference.chroma(px / 2, py / 2) else { continue }
                worstChroma = max(
                    worstChroma, abs(Double(canvas.u(x / 2, y / 2)) - chroma[0]),
                    abs(Double(canvas.v(x / 2, y / 2)) - chroma[1]))
            }
        }
        #expect(worst <= 2, "worst \(worst)")
        #expect(sum / Double(max(count, 1)) <= 1)
        #expect(worstChroma <= 3, "chroma \(worstChroma)")
        #expect(canvas.isPaddingIntact)
        #expect(test.place.x > 60 || count > test.place.width * test.place.height / 3)
    }
}
