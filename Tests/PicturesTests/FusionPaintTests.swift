import Foundation
import Testing

@testable import Pictures
@testable import VAP

@Suite("Fusion, painted")
struct FusionPaintTests {
    private let program = ProgramFormat(width: 64, height: 64, colour: ColourSpace(.bt601, .limited))
    private let layout = FusionGift.layout
    private let place = PlacedRectangle(x: 0, y: 0, width: 40, height: 48)

    /// The gift has no colour and no alpha; its mask has `mask` luma.
    private func frame(mask: @escaping (_ x: Int, _ y: Int) -> Double) -> MadeFrame {
        MadeFrame(FusionGift.coded, ColourSpace(.bt601, .limited)) { x, y in
            y >= 26 && x >= 44 ? (mask(x - 44, y - 26), 128, 128) : (16, 128, 128)
        }
    }

    private func bitmap(_ red: Double, _ green: Double, _ blue: Double, alpha: Double = 1) -> FusionBitmap {
        FusionBitmap(
            FusionGift.picture(Size(4, 4)) { _, _ in (red, green, blue, alpha) }, colour: program.colour)
    }

    private func element(
        _ x: Double, _ y: Double, _ width: Double = 18, _ height: Double = 20, source: Int = 0, z: Double = 0,
        isTurned: Bool = false
    ) -> FusionElement {
        FusionElement(
            source: source, z: z, target: Rectangle(x: x, y: y, width: width, height: height),
            mask: FusionGift.mask, isTurned: isTurned)
    }

    private func painted(
        _ frame: MadeFrame, _ elements: [Int: [FusionElement]], _ bitmaps: [FusionBitmap?], index: Int = 0,
        blend: Blend = .premultiplied, onto canvas: LiveCanvas, place: PlacedRectangle? = nil
    ) throws {
        let place = place ?? self.place
        let sources = bitmaps.map { _ in FusionGift.source(Size(18, 20)) }
        let preparer = PicturePreparer(
            layout: layout, place: place, program: program, blend: blend,
            art: FusionGift.art(elements, bitmaps, sources))
        let picture = Picture(place: place, program: program)
        try preparer.prepare(frame, index: index, into: picture)
        picture.blend(onto: canvas.frame)
    }

    @Test(
        "an element shows where the gift itself is clear, and nothing else changes", arguments: Blend.allCases
    )
    func clearGift(blend: Blend) throws {
        let canvas = LiveCanvas(64, 64, y: 50, u: 60, v: 70)
        try painted(
            frame { _, _ in 235 }, [0: [element(10, 12)]], [bitmap(1, 1, 1)], blend: blend, onto: canvas)
        for y in 0..<64 {
            for x in 0..<64 {
                let isInside = (10..<28).contains(x) && (12..<32).contains(y)
                #expect(canvas.luma(x, y) == (isInside ? 235 : 50))
                #expect(canvas.u(x / 2, y / 2) == (isInside ? 128 : 60))
            }
        }
        #expect(canvas.isPaddingIntact)
    }

    @Test("only the frame that lists it draws an element")
    func index() throws {
        let elements = [2: [element(10, 12)]]
        for index in [0, 1, 2, 3] {
            let canvas = LiveCanvas(64, 64, y: 50, u: 60, v: 70)
            try painted(frame { _, _ in 235 }, elements, [bitmap(1, 1, 1)], index: index, onto: canvas)
            #expect(canvas.luma(20, 20) == (index == 2 ? 235 : 50))
        }
    }

    @Test("noise in the mask shows nothing, almost solid masks are solid")
    func thresholds() throws {
        let elements = [0: [element(10, 12)]]
        for (luma, wanted) in [(18.9, 50), (232.5, 235)] {
            let canvas = LiveCanvas(64, 64, y: 50, u: 60, v: 70)
            try painted(frame { _, _ in luma }, elements, [bitmap(1, 1, 1)], onto: canvas)
            #expect(canvas.luma(20, 20) == wanted)
        }
    }

    @Test("a higher z covers a lower one, and half-clear sources mix by their alpha")
    func order() throws {
        let canvas = LiveCanvas(64, 64, y: 16, u: 128, v: 128)
        let elements = [element(0, 0, source: 0, z: 1), element(8, 0, source: 1, z: 2)]
        try painted(
            frame { _, _ in 235 }, [0: elements], [bitmap(1, 1, 1), bitmap(0, 0, 0, alpha: 0.5)], onto: canvas
        )
        #expect(canvas.luma(4, 10) == 235)
        // 0.5 is stored as 128 of 255.
        #expect(abs(canvas.luma(14, 10) - 125) <= 1)
        #expect(canvas.luma(24, 10) == 16)
    }

    @Test("a mask that is a quarter turn off is shown upright: its lower left is the upper left")
    func turned() throws {
        let canvas = LiveCanvas(64, 64, y: 16, u: 128, v: 128)
        // Only the lower left quarter of the stored mask is there.
        try painted(
            frame { x, y in x < 9 && y >= 10 ? 235 : 16 }, [0: [element(0, 0, 20, 18, isTurned: true)]],
            [bitmap(1, 1, 1)], onto: canvas)
        #expect(canvas.luma(3, 3) == 235)
        #expect(canvas.luma(16, 3) == 16)
        #expect(canvas.luma(3, 15) == 16)
        #expect(canvas.luma(16, 15) == 16)
    }

    @Test("a shrunken mask is enlarged over its target")
    func shrunken() throws {
        let canvas = LiveCanvas(64, 64, y: 16, u: 128, v: 128)
        try painted(
            frame { x, _ in x < 9 ? 235 : 16 }, [0: [element(0, 0, 36, 40)]], [bitmap(1, 1, 1)], onto: canvas)
        #expect(canvas.luma(1, 38) == 235 && canvas.luma(14, 1) == 235)
        #expect(canvas.luma(22, 20) == 16 && canvas.luma(35, 38) == 16)
    }

    @Test(
        "targets outside, beyond all measure or too small to be seen change nothing and trap nowhere",
        arguments: [
            (-1e6, 0.0, 10.0, 10.0), (1e6, 1e6, 1e6, 1e6), (5, 5, 1e-300, 1e-300), (5, 5, 0.001, 5),
            (41, 0, 5, 5), (0, 49, 40, 3),
        ])
    func extremes(x: Double, y: Double, width: Double, height: Double) throws {
        let canvas = LiveCanvas(64, 64, y: 77, u: 90, v: 91)
        let before = canvas.contents
        try painted(
            frame { _, _ in 235 }, [0: [element(x, y, width, height)]], [bitmap(1, 1, 1)], onto: canvas)
        #expect(canvas.contents == before)
    }

    @Test("a target of any size and place is cut to the picture")
    func huge() throws {
        for place in [place, PlacedRectangle(x: -20, y: -24, width: 40_000, height: 48_000)] {
            let canvas = LiveCanvas(64, 64, y: 77, u: 90, v: 91)
            try painted(
                frame { _, _ in 235 }, [0: [element(-1e5, -1e5, 1e6, 1e6)]], [bitmap(1, 1, 1)], onto: canvas,
                place: place)
            #expect(canvas.luma(0, 0) == 235 && canvas.luma(39, 47) == 235)
            #expect(canvas.isPaddingIntact)
        }
    }

    @Test("a picture that is refilled holds no element of the frame before")
    func reuse() throws {
        let preparer = PicturePreparer(
            layout: layout, place: place, program: program, blend: .premultiplied,
            art: FusionGift.art(
                [0: [element(3, 3), element(3, 3)]], [bitmap(1, 1, 1)], [FusionGift.source(Size(18, 20))]))
        let picture = Picture(place: place, program: program)
        let frame = frame { _, _ in 235 }
        let canvas = LiveCanvas(64, 64, y: 77, u: 90, v: 91)
        let before = canvas.contents
        try preparer.prepare(frame, index: 0, into: picture)
        try preparer.prepare(frame, index: 1, into: picture)
        picture.blend(onto: canvas.frame)
        #expect(canvas.contents == before)
    }

    @Test("art without a picture is none")
    func nothing() throws {
        let manifest = try Manifest(
            json: Array(
                """
                {"info":{"v":2,"f":2,"w":40,"h":48,"fps":25,"videoW":64,"videoH":48,"orien":0,"isVapx":1,
                "rgbFrame":[0,0,40,48],"aFrame":[44,0,20,24]},
                "src":[{"srcId":"1","srcType":"img","srcTag":"a","w":20,"h":20},
                {"srcId":"2","srcType":"img","srcTag":"b","w":20,"h":20}],
                "frame":[{"i":0,"obj":[{"srcId":"1","frame":[0,0,10,10],"mFrame":[44,24,10,10]}]}]}
                """.utf8))
        #expect(FusionArt(manifest, bitmaps: [nil, nil]) == nil)
        #expect(FusionArt(manifest, bitmaps: [nil, bitmap(1, 1, 1)]) == nil)
        #expect(FusionArt(manifest, bitmaps: [bitmap(1, 1, 1), nil])?.elements.count == 1)
    }
}
