import Testing
import VAP

@testable import Pictures

@Suite("Pictures")
struct PictureTests {
    private let program = ProgramFormat(width: 64, height: 64, colour: ColourSpace(.bt601, .limited))

    private func layout(_ width: Int, _ height: Int, alpha: Rectangle) -> Layout {
        Layout(
            coded: Size(80, 64), canvas: Size(width, height),
            colour: Rectangle(x: 0, y: 0, width: Double(width), height: Double(height)), alpha: alpha,
            frameCount: 1,
            framesPerSecond: 25)
    }

    private func blend(
        _ frame: MadeFrame, _ layout: Layout, at place: PlacedRectangle, onto canvas: LiveCanvas,
        reusing: Picture? = nil
    ) throws {
        let picture = reusing ?? Picture(place: place, program: program)
        let preparer = PicturePreparer(layout: layout, place: place, program: program, blend: .premultiplied)
        try preparer.prepare(frame, into: picture)
        picture.blend(onto: canvas.frame)
    }

    /// Colour on the left, alpha of `alpha(x, y)` luma at (40, 0).
    private func frame(luma: Double, u: Double = 128, v: Double = 128, alpha: @escaping (Int, Int) -> Double)
        -> MadeFrame
    {
        MadeFrame(Size(80, 64), ColourSpace(.bt601, .limited)) { x, y in
            x < 40 ? (luma, u, v) : (alpha(x - 40, y), 128, 128)
        }
    }

    private let alphaRectangle = Rectangle(x: 40, y: 0, width: 32, height: 32)

    @Test("where alpha is clear, codec noise included, the live picture is untouched bit for bit")
    func clear() throws {
        let canvas = LiveCanvas(64, 64, y: 77, u: 90, v: 201)
        let before = canvas.contents
        // Alpha luma 19 is 3.5 levels of 255: noise.
        try blend(
            frame(luma: 200, u: 60, v: 70) { _, _ in 18.9 }, layout(32, 32, alpha: alphaRectangle),
            at: PlacedRectangle(x: 10, y: 10, width: 32, height: 32), onto: canvas)
        #expect(canvas.contents == before)
    }

    @Test("outside the gift nothing changes, inside white stays 235")
    func solid() throws {
        let canvas = LiveCanvas(64, 64, y: 50, u: 60, v: 70)
        try blend(
            frame(luma: 235) { _, _ in 235 }, layout(32, 32, alpha: alphaRectangle),
            at: PlacedRectangle(x: 16, y: 8, width: 32, height: 32), onto: canvas)
        for y in 0..<64 {
            for x in 0..<64 {
                let isInside = (16..<48).contains(x) && (8..<40).contains(y)
                #expect(canvas.luma(x, y) == (isInside ? 235 : 50))
                if x % 2 == 0, y % 2 == 0 {
                    #expect(canvas.u(x / 2, y / 2) == (isInside ? 128 : 60))
                }
            }
        }
    }

    @Test("colour beyond alpha adds light to luma and chroma")
    func additive() throws {
        let canvas = LiveCanvas(64, 64, y: 100, u: 128, v: 128)
        // A tenth of alpha, but strong blue light.
        try blend(
            frame(luma: 56, u: 190, v: 118) { _, _ in 16 + 21.9 }, layout(32, 32, alpha: alphaRectangle),
            at: PlacedRectangle(x: 0, y: 0, width: 32, height: 32), onto: canvas)
        #expect(abs(canvas.luma(8, 8) - (56 - 16 + 16 + Int((0.9 * 84).rounded()))) <= 1)
        #expect(canvas.u(4, 4) == 190)
        #expect(canvas.v(4, 4) == 118)
    }

    @Test("the gutter around the rectangles never shows")
    func gutter() throws {
        // Colour 32x32 green, everything else magenta; alpha solid.
        let frame = MadeFrame(Size(80, 64), ColourSpace(.bt601, .limited)) { x, y in
            if x < 32, y < 32 { return (145, 54, 34) }
            return (40..<72).contains(x) && y < 32 ? (235, 128, 128) : (107, 202, 222)
        }
        for place in [
            PlacedRectangle(x: 0, y: 0, width: 32, height: 32),
            PlacedRectangle(x: 4, y: 2, width: 58, height: 50),
            PlacedRectangle(x: 4, y: 2, width: 14, height: 18),
        ] {
            let canvas = LiveCanvas(64, 64, y: 16, u: 128, v: 128)
            try blend(frame, layout(32, 32, alpha: alphaRectangle), at: place, onto: canvas)
            for y in place.y..<place.y + place.height {
                for x in place.x..<place.x + place.width {
                    #expect(canvas.luma(x, y) == 145)
                    #expect(canvas.u(x / 2, y / 2) == 54)
                    #expect(canvas.v(x / 2, y / 2) == 34)
                }
            }
        }
    }

    @Test("a reused picture holds nothing of the frame before")
    func reuse() throws {
        let place = PlacedRectangle(x: 0, y: 0, width: 32, height: 32)
        let picture = Picture(place: place, program: program)
        let layout = layout(32, 32, alpha: alphaRectangle)
        let canvas = LiveCanvas(64, 64, y: 77, u: 90, v: 91)
        let before = canvas.contents
        try blend(
            frame(luma: 200) { _, _ in 235 }, layout, at: place, onto: LiveCanvas(64, 64, y: 0, u: 0, v: 0),
            reusing: picture)
        try blend(frame(luma: 200) { _, _ in 16 }, layout, at: place, onto: canvas, reusing: picture)
        #expect(canvas.contents == before)
    }

    @Test(
        "places that hang over or lie outside are cut",
        arguments: [
            PlacedRectangle(x: -16, y: -16, width: 96, height: 96),
            PlacedRectangle(x: 60, y: 60, width: 32, height: 32),
            PlacedRectangle(x: 5000, y: 5000, width: 32, height: 32),
            PlacedRectangle(x: -1_000_000_000, y: 0, width: 32, height: 32),
        ])
    func outside(place: PlacedRectangle) throws {
        let canvas = LiveCanvas(64, 64, y: 50, u: 128, v: 128)
        try blend(
            frame(luma: 180) { _, _ in 235 }, layout(32, 32, alpha: alphaRectangle), at: place, onto: canvas)
        for y in 0..<64 {
            for x in 0..<64 {
                let isInside =
                    x >= place.x && y >= place.y && x < place.x + place.width && y < place.y + place.height
                #expect(canvas.luma(x, y) == (isInside ? 180 : 50))
            }
        }
    }

    @Test("a frame of another size than the layout's is refused")
    func mismatch() {
        let frame = MadeFrame(Size(96, 48), ColourSpace(.bt601, .limited)) { _, _ in (16, 128, 128) }
        let place = PlacedRectangle(x: 0, y: 0, width: 32, height: 32)
        let preparer = PicturePreparer(
            layout: layout(32, 32, alpha: alphaRectangle), place: place, program: program,
            blend: .premultiplied)
        let error = #expect(throws: AnimationError.self) {
            try preparer.prepare(frame, into: Picture(place: place, program: program))
        }
        #expect(error?.kind == .trackMismatch)
    }
}
