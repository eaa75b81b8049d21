import Testing
import VAP

@Suite("Layout")
struct LayoutTests {
    private func layout(frames: Int = 10, fps: Double = 10) -> Layout {
        Layout(
            coded: Size(80, 32), canvas: Size(32, 32), colour: Rectangle(x: 0, y: 0, width: 32, height: 32),
            alpha: Rectangle(x: 36, y: 0, width: 32, height: 32), frameCount: frames, framesPerSecond: fps)
    }

    @Test("compares itself with the track and scales nothing")
    func track() throws {
        try layout().check(codedSize: Size(80, 32))
        let error = try #require(
            refusal { () throws(AnimationError) in try layout().check(codedSize: Size(96, 48)) })
        #expect(error.kind == .trackMismatch)
        #expect(error.message == "The track is 96x48, but videoW x videoH is 80x32.")
    }

    @Test("finds the frame that is due", arguments: [1.0, 12.5, 23.976, 24, 25, 29.97, 30, 60, 120])
    func index(fps: Double) {
        let layout = layout(frames: 500, fps: fps)
        for frame in 0..<500 {
            let start = Int64((Double(frame) / fps * 1e9).rounded())
            let middle = Int64(((Double(frame) + 0.5) / fps * 1e9).rounded())
            #expect(layout.index(at: start) == frame)
            #expect(layout.index(at: middle) == frame)
        }
        #expect(layout.index(at: -1) == 0 && layout.index(at: .min) == 0 && layout.index(at: .max) == 499)
    }

    @Test("lasts f / fps")
    func duration() {
        #expect(layout(frames: 1, fps: 24).duration == 41_666_667)
        #expect(layout(frames: 72_000, fps: 120).duration == 600_000_000_000)
    }

    @Test("cuts a bare file into the halves that were named")
    func halves() throws {
        let expected: [Halves: (colour: (Double, Double), alpha: (Double, Double), canvas: Size)] = [
            .alphaLeft: ((40, 0), (0, 0), Size(40, 32)), .alphaRight: ((0, 0), (40, 0), Size(40, 32)),
            .alphaTop: ((0, 16), (0, 0), Size(80, 16)), .alphaBottom: ((0, 0), (0, 16), Size(80, 16)),
        ]
        for halves in Halves.allCases {
            let layout = try Layout(
                BareLayout(.halves(halves)), coded: Size(80, 32), frameCount: 3, framesPerSecond: 25)
            let wanted = try #require(expected[halves])
            #expect((layout.colour.x, layout.colour.y) == wanted.colour)
            #expect((layout.alpha.x, layout.alpha.y) == wanted.alpha)
            #expect(layout.canvas == wanted.canvas && layout.colour.width == layout.alpha.width)
        }
    }

    @Test("keeps the halves of an odd picture whole, equal and inside")
    func oddHalves() throws {
        let layout = try Layout(
            BareLayout(.halves(.alphaLeft)), coded: Size(81, 33), frameCount: 3, framesPerSecond: 25)
        #expect(layout.canvas == Size(40, 33))
        #expect(layout.colour.x == 41 && layout.alpha.x == 0)
    }

    @Test("refuses halves of nothing")
    func noHalves() {
        for size in [Size(1, 32), Size(0, 0), Size(-80, 32), Size(100_000, 32)] {
            #expect(
                kind { () throws(AnimationError) in
                    try Layout(
                        BareLayout(.halves(.alphaLeft)), coded: size, frameCount: 3, framesPerSecond: 25)
                } != nil)
        }
        let endless = kind { () throws(AnimationError) in
            try Layout(
                BareLayout(.halves(.alphaTop)), coded: Size(80, 32), frameCount: 3, framesPerSecond: .nan)
        }
        #expect(endless == .fieldValue)
    }

    @Test("every refusal is one sentence")
    func sentences() {
        let values = ["0", "-1", "1e9", "true", "[]", "null", "1e400", "\"x\"", "[90,0,1,1]", "[0,0,0,0]"]
        for name in Make.info.keys {
            for value in values {
                do {
                    _ = try Manifest(json: Make.json([name: value]))
                } catch {
                    #expect(error.message.hasSuffix(".") && error.message.first?.isNewline == false)
                    #expect(!error.message.contains("\n") && error.message.contains(" "))
                    #expect("\(error)" == "\(error.kind.rawValue): \(error.message)")
                }
            }
        }
    }
}
