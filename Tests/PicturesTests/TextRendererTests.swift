import Foundation
import Testing

@testable import Pictures
@testable import VAP

/// Where a rendered text has ink, and of which colours.
struct Ink {
    let image: PixelImage
    /// Columns and rows with ink, nil for an empty picture.
    let columns, rows: ClosedRange<Int>?

    init(_ image: PixelImage) {
        self.image = image
        let (width, height) = (image.size.width, image.size.height)
        let inked = (0..<width).filter { x in
            (0..<height).contains { image.bytes[4 * ($0 * width + x) + 3] > 8 }
        }
        let lines = (0..<height).filter { y in
            (0..<width).contains { image.bytes[4 * (y * width + $0) + 3] > 8 }
        }
        columns = inked.first.map { $0...(inked.last ?? $0) }
        rows = lines.first.map { $0...(lines.last ?? $0) }
    }

    var width: Int { columns?.count ?? 0 }
    var height: Int { rows?.count ?? 0 }

    /// Solid pixels whose channels differ by more than noise.
    var colourful: Int {
        stride(from: 0, to: image.bytes.count, by: 4).count { index in
            let pixel = image.bytes[index..<index + 3]
            return image.bytes[index + 3] > 250 && (pixel.max() ?? 0) - (pixel.min() ?? 0) > 60
        }
    }

    var strongest: UInt8 { stride(from: 3, to: image.bytes.count, by: 4).map { image.bytes[$0] }.max() ?? 0 }

    /// How much ink there is, in solid pixels.
    var amount: Double {
        stride(from: 3, to: image.bytes.count, by: 4).reduce(0) { $0 + Double(image.bytes[$1]) } / 255
    }
}

@Suite("Text")
struct TextRendererTests {
    private let renderer = TextRenderer()
    private static let white = FusionColour(red: 255, green: 255, blue: 255)

    private func style(
        _ width: Int, _ height: Int, scale: Double = 1, colour: FusionColour = white, isBold: Bool = false
    ) -> TextRenderer.Style {
        TextRenderer.Style(size: Size(width, height), scale: scale, colour: colour, isBold: isBold)
    }

    private func ink(_ text: String, _ style: TextRenderer.Style) throws -> Ink {
        Ink(try #require(renderer.render(text, style)))
    }

    @Test("a short text stands in the middle, at 0.8 of the height")
    func middle() throws {
        let ink = try ink("HOH", style(200, 40))
        #expect(ink.image.size == Size(200, 40) && ink.image.isPremultiplied)
        let columns = try #require(ink.columns)
        let rows = try #require(ink.rows)
        #expect(abs(columns.lowerBound - (199 - columns.upperBound)) <= 2)
        #expect(abs(rows.lowerBound - (39 - rows.upperBound)) <= 5)
        // Capitals have about 0.7 of the letters' size, which is 32.
        #expect((20...26).contains(ink.height), "\(ink.height)")
        #expect(ink.strongest == 255)
    }

    @Test("a longer text shrinks continuously until it fits")
    func shrinks() throws {
        var last = Int.max
        for count in [6, 8, 10, 12, 14] {
            let ink = try ink(String(repeating: "H", count: count), style(160, 40))
            #expect(ink.width <= 160)
            #expect(ink.height <= last)
            if count >= 8 { #expect(ink.width > 148, "\(count) letters take \(ink.width)") }
            last = ink.height
        }
    }

    @Test("a text that is too long even at 0.35 of the height ends in an ellipsis")
    func ellipsis() throws {
        let style = style(160, 40)
        let (long, longer) = (String(repeating: "H", count: 60), String(repeating: "H", count: 400))
        let (ink, other) = (try ink(long, style), try ink(longer, style))
        #expect(ink.width <= 160 && ink.width > 140)
        // 14 pixels: capitals of 10.
        #expect((8...12).contains(ink.height), "\(ink.height)")
        #expect(ink.image.bytes == other.image.bytes, "what is cut does not matter")
        // Three dots: the last columns have ink near the baseline alone.
        let rows = try #require(ink.rows)
        let columns = try #require(ink.columns)
        let end = (columns.upperBound - 3...columns.upperBound).contains { x in
            (rows.lowerBound..<rows.upperBound - 3).contains {
                ink.image.bytes[4 * ($0 * 160 + x) + 3] > 60
            }
        }
        #expect(!end)
    }

    @Test("letters are not made smaller than six pixels where the source is not")
    func least() throws {
        let ink = try ink(String(repeating: "H", count: 90), style(64, 12))
        #expect((3...6).contains(ink.height), "\(ink.height)")
        #expect(ink.width <= 64)
    }

    @Test(
        "what has nothing to show draws nothing",
        arguments: ["", " ", "\n\t ", "\u{0}\u{7}", "\u{202E}", "\u{200B}", "\u{3000}"])
    func empty(text: String) {
        #expect(renderer.render(text, style(100, 30)) == nil)
    }

    @Test("a clear colour draws nothing, and a text's alpha goes over emoji too")
    func alpha() throws {
        let clear = FusionColour(red: 255, green: 255, blue: 255, alpha: 0)
        #expect(renderer.render("H", style(100, 30, colour: clear)) == nil)
        let half = FusionColour(red: 255, green: 255, blue: 255, alpha: 128)
        for text in ["HHH", "🎁🎁"] {
            let ink = try ink(text, style(120, 40, colour: half))
            #expect((120...128).contains(ink.strongest), "\(text): \(ink.strongest)")
        }
    }

    @Test("letters have the colour that is asked for, and bold ones are bolder")
    func colour() throws {
        let gold = FusionColour(red: 255, green: 200, blue: 0)
        let ink = try ink("HHH", style(120, 40, colour: gold))
        let solid = try #require(
            stride(from: 0, to: ink.image.bytes.count, by: 4).first { ink.image.bytes[$0 + 3] == 255 })
        #expect(Array(ink.image.bytes[solid..<solid + 4]) == [255, 200, 0, 255])
        let bold = try self.ink("HHH", style(120, 40, colour: gold, isBold: true))
        #expect(bold.amount > 1.2 * ink.amount)
    }

    @Test("emoji keep their own colours beside letters of the text's")
    func emoji() throws {
        let black = FusionColour.black
        #expect(try ink("HOH", style(160, 40, colour: black)).colourful == 0)
        for text in ["😂🎉🐶", "H 🎁", "👩‍🚀", "🇧🇷", "👍🏽"] {
            let ink = try ink(text, style(160, 40, colour: black))
            #expect(ink.colourful > 60, "\(text): \(ink.colourful)")
            #expect(ink.width <= 160)
        }
    }

    /// A box with a cross or digits in it is what Pango draws for a sign that no font has.
    @Test(
        "names in other scripts are drawn with glyphs of their own",
        arguments: ["冬去春来", "さくら", "봄봄", "مرحبا", "שלום", "สวัสดี", "नमस्ते", "Привет", "Việt Nam"])
    func scripts(text: String) throws {
        let ink = try ink(text, style(240, 48))
        // Signs in the supplementary private area are in no font.
        let missing = try self.ink(String(repeating: "\u{10FFF0}", count: text.count), style(240, 48))
        #expect(ink.image.bytes != missing.image.bytes)
        let single = Set(
            try text.filter { !$0.isWhitespace }.map { try self.ink(String($0), style(48, 48)).image.bytes })
        #expect(single.count == Set(text.filter { !$0.isWhitespace }).count, "different signs look different")
        #expect(renderer.missingGlyphs(text) == 0)
    }

    @Test("Arabic is joined and runs from right to left")
    func arabic() throws {
        let style = style(240, 48)
        let joined = try ink("مرحبا", style)
        let apart = try ink("م\u{200C}ر\u{200C}ح\u{200C}ب\u{200C}ا", style)
        #expect(joined.width < apart.width)
        // The first letter is the rightmost: with an alif there, a narrow upright stroke stands at the right end.
        let (front, back) = (try ink("اسس", style), try ink("سسا", style))
        func tall(_ ink: Ink, atRight: Bool) throws -> Int {
            let columns = try #require(ink.columns)
            let end =
                atRight
                ? columns.upperBound - 2...columns.upperBound : columns.lowerBound...columns.lowerBound + 2
            return (0..<48).count { y in end.contains { ink.image.bytes[4 * (y * 240 + $0) + 3] > 100 } }
        }
        #expect(try tall(front, atRight: true) > tall(front, atRight: false))
        #expect(try tall(back, atRight: false) > tall(back, atRight: true))
    }

    @Test("combining marks stand on their letter and leave the bitmap nowhere")
    func marks() throws {
        let style = style(120, 40)
        let composed = try ink("é", style)
        let decomposed = try ink("e\u{301}", style)
        #expect(abs(composed.width - decomposed.width) <= 1 && abs(composed.height - decomposed.height) <= 2)
        let zalgo = "Z" + (0..<60).map { _ in "\u{335}\u{322}\u{344}" }.joined()
        #expect(try ink(zalgo, style).image.size == Size(120, 40))
    }

    @Test("markup is shown as it was typed")
    func markup() throws {
        let ink = try ink("<b>&lt;</b>", style(400, 40))
        #expect(ink.width > (try self.ink("<", style(400, 40))).width * 5)
    }

    @Test("a bitmap is as large as its source is drawn, and never beyond its limits")
    func scale() throws {
        #expect(try ink("H", style(100, 20, scale: 1.5)).image.size == Size(150, 30))
        for size in [Size(4096, 4096), Size(4096, 1), Size(1, 4096), Size(1, 1)] {
            for scale in [1e-9, 1, 1e9] {
                let style = style(size.width, size.height, scale: scale)
                guard let image = renderer.render("HelloHello", style) else { continue }
                #expect(image.size.width * image.size.height <= FusionBitmap.pixelLimit)
                #expect(max(image.size.width, image.size.height) <= 4096)
            }
        }
    }

    @Test("4,096 bytes of anything take no time to speak of", .timeLimit(.minutes(1)))
    func hostile() {
        let style = style(200, 40)
        let began = ContinuousClock.now
        for text in [
            String(repeating: "\u{1F468}\u{200D}", count: 2000), String(repeating: "ﷺ", count: 5000),
            String(repeating: "\u{F3A}", count: 5000), String(repeating: "a\u{301}", count: 100_000),
            String(repeating: "\u{200F}\u{202B}", count: 5000), String(repeating: "अ्", count: 5000),
        ] {
            _ = renderer.render(text, style)
        }
        #expect(ContinuousClock.now - began < .seconds(5))
    }
}

@Suite("Text, cleaned")
struct FusionTextTests {
    @Test("what steers is left out, and what is shown is kept")
    func clean() {
        let pairs: [(String, String)] = [
            ("Mia", "Mia"), ("  Mia \n", "Mia"), ("a\u{0}b\u{7}c", "abc"), ("a\nb\tc", "a b c"),
            ("abc\u{202E}xyz gift", "abcxyz gift"), ("\u{2067}a\u{2069}", "a"), ("\u{FEFF}a", "a"),
            ("👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"), ("❤\u{FE0F}", "❤\u{FE0F}"), ("<b>", "<b>"), ("", ""), ("\u{202E} ", ""),
        ]
        for (text, wanted) in pairs { #expect(FusionText.clean(text) == wanted) }
    }

    @Test("no letter bears more than eight marks, and no text is longer than its limit")
    func limits() {
        let zalgo = FusionText.clean("Z" + String(repeating: "\u{301}", count: 60))
        #expect(zalgo.unicodeScalars.count == 9)
        let long = FusionText.clean(String(repeating: "长", count: 5000))
        #expect(long.utf8.count <= FusionText.byteLimit && long.utf8.count > FusionText.byteLimit - 3)
    }
}
