import Foundation
import Testing
import VAP

@testable import Pictures

@Suite("Placement")
struct PlacementTests {
    private let program = Size(1080, 1920)

    private func rectangle(_ json: String, canvas: Size) throws -> PlacedRectangle {
        try JSONDecoder().decode(Placement.self, from: Data(json.utf8)).rectangle(
            canvas: canvas, program: program)
    }

    @Test("contain, cover, stretch and none")
    func fits() throws {
        let canvas = Size(672, 1504)
        #expect(
            try rectangle("{}", canvas: canvas) == PlacedRectangle(x: 112, y: 0, width: 858, height: 1920))
        let cover = try rectangle(#"{"fit":"cover"}"#, canvas: canvas)
        #expect((cover.x, cover.y, cover.width, cover.height) == (0, -248, 1080, 2418))
        #expect(
            try rectangle(#"{"fit":"stretch"}"#, canvas: canvas)
                == PlacedRectangle(x: 0, y: 0, width: 1080, height: 1920))
        #expect(
            try rectangle(#"{"fit":"none"}"#, canvas: canvas)
                == PlacedRectangle(x: 204, y: 208, width: 672, height: 1504))
    }

    @Test("what covers a box is cut to the box, what is fitted into it is not")
    func cut() throws {
        let format = ProgramFormat(width: 1080, height: 1920, colour: ColourSpace(.bt709, .limited))
        // The box is 540x960 at (540, 960), the gift 960x960, its right edge on the box's.
        let json = #"{"fit":"cover","size":0.5,"anchor":"bottomRight"}"#
        let placed = try rectangle(json, canvas: Size(100, 100))
        #expect((placed.x, placed.y, placed.width, placed.height) == (120, 960, 960, 960))
        #expect(placed.visible(in: format) == (columns: 420..<960, rows: 0..<960))
        // Half of the box lies outside the program.
        let moved = try rectangle(
            #"{"fit":"cover","size":0.5,"anchor":"bottomRight","offset":{"x":270}}"#, canvas: Size(100, 100))
        #expect(moved.visible(in: format) == (columns: 420..<690, rows: 0..<960))
        let none = try rectangle(#"{"fit":"none","size":0.1}"#, canvas: Size(400, 400))
        #expect(none.visible(in: format) == (columns: 0..<400, rows: 0..<400))
    }

    @Test("anchor, offset and size")
    func anchors() throws {
        #expect(
            try rectangle(#"{"anchor":"bottomRight","size":0.5}"#, canvas: Size(100, 100))
                == PlacedRectangle(x: 540, y: 1380, width: 540, height: 540))
        #expect(
            try rectangle(
                #"{"anchor":"topLeft","size":"200px","offset":{"x":10,"y":"5%"}}"#, canvas: Size(100, 100))
                == PlacedRectangle(x: 10, y: 96, width: 200, height: 200))
    }

    @Test(
        "no number traps", arguments: ["2147483647", "1e300", "-1e300", "\"1e300%\"", "\"-99999999999px\""])
    func absurd(number: String) throws {
        let placed = try rectangle(#"{"offset":{"x":\#(number),"y":\#(number)}}"#, canvas: Size(128, 128))
        #expect(placed.width == 1080)
        #expect(abs(placed.x) >= 1_000_000_000 || abs(placed.x) == 2_147_483_646 || abs(placed.x) > 1_000_000)
        let format = ProgramFormat(width: 1080, height: 1920, colour: ColourSpace(.bt709, .limited))
        #expect(placed.visible(in: format).columns.isEmpty)
        let covering = try rectangle(
            #"{"fit":"cover","size":10,"offset":{"x":\#(number),"y":\#(number)}}"#, canvas: Size(1, 4096))
        #expect(covering.visible(in: format).columns.isEmpty)
    }

    @Test(
        "what is no placement is refused with what would be one",
        arguments: [
            #"{"fit":"fill"}"#, #"{"size":0}"#, #"{"size":"big"}"#, #"{"size":11}"#,
            #"{"offset":{"x":"3em"}}"#,
            #"{"anchor":5}"#,
        ])
    func refused(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Placement.self, from: Data(json.utf8))
        }
    }

    @Test("survives coding", arguments: Placement.Fit.allCases, Placement.Anchor.allCases)
    func coding(fit: Placement.Fit, anchor: Placement.Anchor) throws {
        let placement = Placement(
            fit: fit, anchor: anchor, offset: .init(x: .pixels(-12), y: .share(0.25)), size: .pixels(300))
        let data = try JSONEncoder().encode(placement)
        #expect(try JSONDecoder().decode(Placement.self, from: data) == placement)
    }
}
