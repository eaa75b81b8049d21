import CAllocations
import Testing
import VAP

@testable import Pictures

@Suite("Sparse pictures")
struct SparsePictureTests {
    private let size = Size(512, 128)
    private let program = ProgramFormat(width: 320, height: 176, colour: ColourSpace(.bt709, .limited))

    private var layout: Layout {
        Layout(
            coded: size, canvas: Size(256, 128), colour: Rectangle(x: 0, y: 0, width: 256, height: 128),
            alpha: Rectangle(x: 256, y: 0, width: 256, height: 128), frameCount: 1, framesPerSecond: 25)
    }

    /// Colour everywhere, and alpha as `alpha` says, 0 ... 255.
    private func prepared(
        at place: PlacedRectangle, _ blend: Blend = .premultiplied, alpha: @escaping (Int, Int) -> Int
    ) throws -> Picture {
        let frame = MadeFrame(size, ColourSpace(.bt601, .limited)) { x, y in
            guard x >= 256 else { return (Double(40 + (x * 7 + y * 3) % 180), 90, 160) }
            return (16 + 219 * Double(alpha(x - 256, y)) / 255, 128, 128)
        }
        let picture = Picture(place: place, program: program)
        try PicturePreparer(layout: layout, place: place, program: program, blend: blend)
            .prepare(frame, into: picture)
        return picture
    }

    private static let alphas: [(String, @Sendable (Int, Int) -> Int)] = [
        ("nothing", { _, _ in 0 }),
        ("everything, solid", { _, _ in 255 }),
        ("a veil", { x, y in 20 + (x + y) % 50 }),
        (
            "a disc with a soft edge",
            { x, y in
                let square = (x - 128) * (x - 128) + (y - 64) * (y - 64)
                return max(0, min(255, (3000 - square) / 4))
            }
        ),
        ("stripes", { x, y in x / 40 % 2 == 0 ? 255 : y / 10 % 2 == 0 ? 0 : 120 }),
    ]

    @Test("looks exactly like the picture that it was made from", arguments: alphas.indices, Blend.allCases)
    func same(pattern: Int, blend: Blend) throws {
        for place in [
            PlacedRectangle(x: 32, y: 16, width: 256, height: 128),
            PlacedRectangle(x: -40, y: -30, width: 200, height: 110),
            PlacedRectangle(x: 200, y: 100, width: 300, height: 150),
            PlacedRectangle(x: 1000, y: 0, width: 64, height: 64),
        ] {
            let picture = try prepared(at: place, blend, alpha: Self.alphas[pattern].1)
            let sparse = SparsePicture(picture, in: SparseStorage())
            let (left, right) = (
                LiveCanvas(320, 176, y: 99, u: 80, v: 150), LiveCanvas(320, 176, y: 99, u: 80, v: 150)
            )
            picture.blend(onto: left.frame)
            sparse.blend(onto: right.frame)
            #expect(left.contents == right.contents, "\(Self.alphas[pattern].0) at \(place)")
            #expect(right.isPaddingIntact)
        }
    }

    @Test("takes what it covers, solid parts without their alpha")
    func bytes() throws {
        let place = PlacedRectangle(x: 32, y: 16, width: 256, height: 128)
        func taken(_ alpha: @escaping (Int, Int) -> Int) throws -> Int {
            SparsePicture(try prepared(at: place, alpha: alpha), in: SparseStorage()).byteCount
        }
        let samples = 256 * 128
        let (clear, solid, veil, part) = (
            try taken { _, _ in 0 }, try taken { _, _ in 255 }, try taken { _, _ in 100 },
            try taken { x, _ in x < 64 ? 100 : 0 }
        )
        #expect(clear == 0)
        #expect((samples * 3 / 2..<samples * 3 / 2 + 8192).contains(solid))
        #expect((samples * 11 / 4..<samples * 11 / 4 + 8192).contains(veil))
        #expect(part < veil / 3)
    }

    @Test("pictures in one storage do not touch each other")
    func storage() throws {
        let place = PlacedRectangle(x: 32, y: 16, width: 256, height: 128)
        var storage: SparseStorage? = SparseStorage()
        var (pictures, expected) = ([SparsePicture](), [[UInt8]]())
        for round in 0..<60 {
            let picture = try prepared(at: place) { x, y in (x * (round + 1) + y) % 256 }
            pictures += storage.map { [SparsePicture(picture, in: $0)] } ?? []
            let canvas = LiveCanvas(320, 176, y: 99, u: 80, v: 150)
            picture.blend(onto: canvas.frame)
            expected.append(canvas.contents)
        }
        #expect((storage?.byteCount ?? 0) > 4 << 20, "more than one slab")
        // The pictures keep what they lie in.
        storage = nil
        for (picture, contents) in zip(pictures, expected) {
            let canvas = LiveCanvas(320, 176, y: 99, u: 80, v: 150)
            picture.blend(onto: canvas.frame)
            #expect(canvas.contents == contents)
        }
    }

    @Test("blending allocates nothing")
    func allocations() throws {
        // Not counted under a sanitizer, which has a heap of its own.
        guard allocations_taken() >= 0 else { return }
        let place = PlacedRectangle(x: 32, y: 16, width: 256, height: 128)
        let sparse = SparsePicture(try prepared(at: place, alpha: Self.alphas[4].1), in: SparseStorage())
        let canvas = LiveCanvas(320, 176, y: 99, u: 80, v: 150)
        let frame = canvas.frame
        let before = allocations_taken()
        sparse.blend(onto: frame)
        #expect(allocations_taken() == before)
    }
}
