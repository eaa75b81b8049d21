import Testing
import VAP

@testable import Pictures

@Suite("Stray colour")
struct StrayColourTests {
    private let layout = Layout(
        coded: Size(96, 64), canvas: Size(64, 64), colour: Rectangle(x: 0, y: 0, width: 64, height: 64),
        alpha: Rectangle(x: 64, y: 0, width: 32, height: 32), frameCount: 1, framesPerSecond: 25)

    /// Alpha in the left half; colour in the left `columns` columns, grey or with no light at all.
    private func share(_ columns: Int, luma: Double = 120, chroma: Double = 128, bitDepth: Int = 8) -> Double
    {
        let frame = MadeFrame(Size(96, 64), ColourSpace(.bt601, .limited), bitDepth: bitDepth) { x, y in
            if x >= 64 { return (x < 80 && y < 32 ? 235 : 16, 128, 128) }
            return x < columns ? (luma, chroma, 128) : (17, 128, 128)
        }
        return StrayColour.share(of: frame.decoded, layout)
    }

    @Test("is none where colour ends with alpha, or stays below what codecs leave")
    func none() {
        #expect(share(32) == 0 && share(0) == 0)
        #expect(share(64, luma: 30) == 0)
    }

    @Test(
        "is told by its share of the clear part, at any depth, in light or in colour alone",
        arguments: [8, 10])
    func some(bitDepth: Int) {
        #expect(share(64, bitDepth: bitDepth) == 1)
        #expect(abs(share(48, bitDepth: bitDepth) - 0.5) < 0.1)
        #expect(share(64, luma: 16, chroma: 190, bitDepth: bitDepth) == 1)
    }

    @Test("is none where nothing is clear, and for frames of another size")
    func nothing() {
        let solid = MadeFrame(Size(96, 64), ColourSpace(.bt601, .limited)) { _, _ in (235, 128, 128) }
        #expect(StrayColour.share(of: solid.decoded, layout) == 0)
        let other = MadeFrame(Size(64, 64), ColourSpace(.bt601, .limited)) { _, _ in (16, 128, 128) }
        #expect(StrayColour.share(of: other.decoded, layout) == 0)
    }
}
