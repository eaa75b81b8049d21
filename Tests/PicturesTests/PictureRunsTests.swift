import CAllocations
import Testing
import VAP

@testable import Pictures

/// What a picture visits, keeps and allocates.
@Suite("Pictures with holes")
struct PictureRunsTests {
    private let size = Size(512, 128)
    private let place = PlacedRectangle(x: 32, y: 16, width: 256, height: 128)
    private let program = ProgramFormat(width: 320, height: 176, colour: ColourSpace(.bt709, .limited))

    private var layout: Layout {
        Layout(
            coded: size, canvas: Size(256, 128), colour: Rectangle(x: 0, y: 0, width: 256, height: 128),
            alpha: Rectangle(x: 256, y: 0, width: 256, height: 128), frameCount: 1, framesPerSecond: 25)
    }

    private func preparer(_ blend: Blend = .premultiplied) -> PicturePreparer {
        PicturePreparer(layout: layout, place: place, program: program, blend: blend)
    }

    /// Bright where `isShown`, at luma positions of the gift; colour everywhere.
    private func frame(_ isShown: @escaping (Int, Int) -> Bool) -> MadeFrame {
        MadeFrame(size, ColourSpace(.bt601, .limited)) { x, y in
            x < 256 ? (200, 90, 160) : (isShown(x - 256, y) ? 180 : 16, 128, 128)
        }
    }

    /// A frame, 16 samples thick.
    private func isRing(_ x: Int, _ y: Int) -> Bool {
        !(16..<240).contains(x) || !(16..<112).contains(y)
    }

    @Test("the hole of a ring is not visited, rows without alpha are not listed")
    func ring() throws {
        let picture = Picture(place: place, program: program)
        try preparer().prepare(frame { x, y in y < 64 && isRing(x, y) }, into: picture)
        let runs = (0..<picture.lumaRuns.count).map { picture.lumaRuns[$0] }
        #expect(runs.count == 16 + 2 * 48)
        #expect(runs.allSatisfy { $0.row < 64 })
        #expect(runs.filter { $0.row == 40 }.map { $0.begin..<$0.end } == [0..<16, 240..<256])
        // Chroma: 8 rows from edge to edge, then 24 with two runs.
        #expect(picture.chromaRuns.count == 8 + 2 * 24)
    }

    @Test("a picture refilled is the same as a new one", arguments: Blend.allCases)
    func refilled(blend: Blend) throws {
        let preparer = preparer(blend)
        let used = Picture(place: place, program: program)
        try preparer.prepare(frame { x, y in (x / 32 + y / 8) % 3 == 0 }, into: used)
        for next in [frame(isRing), frame { x, y in x > 200 && y > 100 }, frame { _, _ in false }] {
            let fresh = Picture(place: place, program: program)
            try preparer.prepare(next, into: used)
            try self.preparer(blend).prepare(next, into: fresh)
            let (left, right) = (
                LiveCanvas(320, 176, y: 99, u: 80, v: 150), LiveCanvas(320, 176, y: 99, u: 80, v: 150)
            )
            used.blend(onto: left.frame)
            fresh.blend(onto: right.frame)
            #expect(left.contents == right.contents)
        }
    }

    @Test("every sample outside the shown parts keeps its value, every one inside is painted")
    func exact() throws {
        let picture = Picture(place: place, program: program)
        try preparer().prepare(frame(isRing), into: picture)
        let canvas = LiveCanvas(320, 176, y: 99, u: 80, v: 150)
        picture.blend(onto: canvas.frame)
        var wrong: [(Int, Int)] = []
        for y in 0..<176 {
            for x in 0..<320 {
                let (giftX, giftY) = (x - place.x, y - place.y)
                let isInside = (0..<256).contains(giftX) && (0..<128).contains(giftY)
                let isShown = isInside && isRing(giftX, giftY)
                let isChromaRight = (canvas.u(x / 2, y / 2) != 80) == isShown
                if (canvas.luma(x, y) != 99) != isShown || !isChromaRight { wrong.append((x, y)) }
            }
        }
        #expect(wrong.isEmpty)
        #expect(canvas.isPaddingIntact)
    }

    @Test("chroma of another matrix is mapped as the two standards say")
    func mapped() throws {
        let picture = Picture(place: place, program: program)
        let frame = MadeFrame(size, ColourSpace(.bt601, .limited)) { x, _ in
            x < 256 ? (120, 90, 160) : (235, 128, 128)
        }
        try preparer().prepare(frame, into: picture)
        let canvas = LiveCanvas(320, 176, y: 16, u: 128, v: 128)
        picture.blend(onto: canvas.frame)
        let (u, v) = (90.0 - 128, 160.0 - 128)
        #expect(canvas.luma(100, 100) == Int((120 - 0.115550 * u - 0.207938 * v).rounded()))
        #expect(canvas.u(50, 50) == Int((128 + 1.018640 * u + 0.114618 * v).rounded()))
        #expect(canvas.v(50, 50) == Int((128 + 0.075049 * u + 1.025327 * v).rounded()))
    }

    @Test("blending allocates nothing, nor does preparing after the first frame", arguments: Blend.allCases)
    func allocations(blend: Blend) throws {
        // Not counted under a sanitizer, which has a heap of its own.
        guard allocations_taken() >= 0 else { return }
        let preparer = preparer(blend)
        let picture = Picture(place: place, program: program)
        let canvas = LiveCanvas(320, 176, y: 99, u: 80, v: 150)
        let frames = [frame(isRing), frame { x, y in (x / 32 + y / 8) % 3 == 0 }]
        let (first, second, live) = (frames[0].decoded, frames[1].decoded, canvas.frame)
        try preparer.prepare(first, into: picture)
        let before = allocations_taken()
        picture.blend(onto: live)
        let afterBlend = allocations_taken()
        try preparer.prepare(second, into: picture)
        let afterPrepare = allocations_taken()
        #expect(afterBlend - before == 0)
        #expect(afterPrepare - afterBlend == 0)
        // The counter counts: a picture of its own takes memory.
        let another = Picture(place: place, program: program)
        #expect(allocations_taken() > afterPrepare)
        #expect(another.byteCount >= 256 * 128 * 2)
        withExtendedLifetime((frames, canvas)) {}
    }
}
