import Basics
import Foundation
import Pictures
import Testing
import VAP

@testable import Decoding

/// One entry of the manifest of hostile files, of the kind that fusion is looked at with.
struct FusionCase: Decodable, Sendable, CustomTestStringConvertible {
    struct Tag: Decodable, Sendable {
        let file, text: String?
    }

    struct Request: Decodable, Sendable { let tags: [String: Tag] }

    struct Text: Decodable, Sendable {
        let rect: [Int]
        let colourful: Bool?
    }

    struct Expectation: Decodable, Sendable {
        let pixels: [MediaCase.Pixel]?
        let avatar_error: Bool?
        let text: Text?
    }

    let id, file: String
    let kind: Int
    let request: Request?
    let expect: Expectation?

    var testDescription: String { id }

    static let all: [FusionCase] = {
        struct Head: Decodable { let kind: Int }
        struct Entry: Decodable {
            let found: FusionCase?
            init(from decoder: any Decoder) throws {
                found = try Head(from: decoder).kind == 9 ? FusionCase(from: decoder) : nil
            }
        }
        struct List: Decodable { let cases: [Entry] }
        guard let data = FileManager.default.contents(atPath: Shared.path("cases/vap/manifest.json")),
            let list = try? JSONDecoder().decode(List.self, from: data)
        else { return [] }
        return list.cases.compactMap(\.found)
    }()

    /// The filled sources, and what became of each.
    func art(_ animation: Animation, _ place: PlacedRectangle, _ program: ProgramFormat) throws
        -> (art: FusionArt?, outcomes: [FusionWorkshop.Outcome])
    {
        let tags = request?.tags ?? [:]
        let (order, warnings) = FusionOrder.match(
            animation.manifest, texts: tags.compactMapValues(\.text), images: tags.compactMapValues(\.file))
        #expect(warnings.isEmpty)
        guard let order else { return (nil, []) }
        let images = try Dictionary(
            uniqueKeysWithValues: order.addresses.map { name in
                let data = try Data(contentsOf: URL(fileURLWithPath: Shared.path("cases/vap/\(name)")))
                return (name, Result<[UInt8], ImageError>.success(Array(data)))
            })
        return FusionWorkshop().make(order, place: place, program: program, images: images)
    }
}

@Suite(
    "Fusion files, played", .enabled(if: Shared.isThere("cases/vap/manifest.json")), .timeLimit(.minutes(1)))
struct FusionCaseTests {
    private func player(_ entry: FusionCase, _ animation: Animation, isFilled: Bool) throws -> Player {
        let canvas = animation.layout.canvas
        let place = PlacedRectangle(x: 0, y: 0, width: canvas.width, height: canvas.height)
        let program = Canvas.program(canvas.width, canvas.height)
        let (art, outcomes) = try entry.art(animation, place, program)
        let failures = outcomes.filter { $0.failure != nil }
        #expect(failures.count == (entry.expect?.avatar_error == true ? 1 : 0), "\(failures)")
        return Player(
            animation, place: place, program: program, art: isFilled ? art : nil, metrics: testMetrics())
    }

    @Test("are filled as they should be, and never fail", arguments: FusionCase.all)
    func play(entry: FusionCase) throws {
        let animation = try Animation.open(path: Shared.path("cases/vap/\(entry.file)"))
        let (width, height) = (animation.layout.canvas.width, animation.layout.canvas.height)
        let (canvas, bare) = (Canvas(width, height, (0, 0, 0)), Canvas(width, height, (0, 0, 0)))
        let player = try player(entry, animation, isFilled: true)
        #expect(player.load() == .ready)
        player.paint(picture: 0, on: canvas)
        for pixel in entry.expect?.pixels ?? [] where pixel.frame == 0 {
            let seen = canvas.rgb(pixel.x, pixel.y)
            for (channel, value) in [seen.red, seen.green, seen.blue].enumerated() {
                #expect(abs(value - pixel.rgba[channel]) <= pixel.tol + 3, "\(pixel): \(seen)")
            }
        }
        guard let text = entry.expect?.text else { return }
        let unfilled = try self.player(entry, animation, isFilled: false)
        #expect(unfilled.load() == .ready)
        unfilled.paint(picture: 0, on: bare)
        check(text, canvas, bare, avatar: 8..<24)
        // To the end, so that every frame has been drawn once.
        player.paint(picture: animation.layout.frameCount - 1, on: canvas)
        #expect(player.failure == nil)
    }

    /// The text changes its rectangle, and nothing outside but the avatar's.
    private func check(_ text: FusionCase.Text, _ canvas: Canvas, _ bare: Canvas, avatar: Range<Int>) {
        var (changed, colourful) = (0, 0)
        for y in 0..<canvas.height {
            for x in 0..<canvas.width {
                let isInside =
                    (text.rect[0]..<text.rect[0] + text.rect[2]).contains(x)
                    && (text.rect[1]..<text.rect[1] + text.rect[3]).contains(y)
                if canvas.luma(x, y) != bare.luma(x, y) {
                    if isInside { changed += 1 }
                    #expect(isInside || avatar.contains(x) && y < 20, "\(x), \(y)")
                }
                let (red, green, blue) = canvas.rgb(x, y)
                if isInside, max(red, green) > blue + 60 { colourful += 1 }
            }
        }
        #expect(changed > 10)
        if text.colourful == true { #expect(colourful > 10) }
    }
}
