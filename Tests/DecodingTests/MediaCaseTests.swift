import Basics
import Foundation
import Pictures
import Testing
import VAP

@testable import Decoding

/// One entry of the manifest of hostile files.
struct MediaCase: Decodable, Sendable, CustomTestStringConvertible {
    struct Pixel: Decodable, Sendable {
        let frame, x, y: Int
        let rgba: [Double]
        let tol: Double
        let alpha_only: Bool?
    }

    struct CanvasPixel: Decodable, Sendable {
        let x, y: Int
        let tol: Double
        let premultiplied, straight: [Double]
    }

    struct Luma: Decodable, Sendable {
        let x, y: Int
        let value, tol: Double
    }

    struct Expectation: Decodable, Sendable {
        let frames: Int?
        let duration_s: Double?
        let pixels: [Pixel]?
        let canvas: [CanvasPixel]?
        let canvas_min: [String: Double]?
        let output_luma: Luma?
    }

    struct Request: Decodable, Sendable {
        let canvas: [Int]?
        let bg: [Double]?
        let x, y: Double?
        let placements: [[Double]]?
    }

    let id: String
    let kind: Int
    let must: String
    let error: String?
    let also_ok: [String]?
    let file: String?
    let expect: Expectation?
    let request: Request?

    var testDescription: String { id }
    var path: String { Shared.path("cases/vap/\(file ?? "")") }

    /// The kinds of error that are right.
    var refusals: [AnimationError.Kind] {
        let others = (also_ok ?? []).filter { $0.hasPrefix("reject:") }.map { String($0.dropFirst(7)) }
        return ([error].compactMap { $0 } + others).compactMap { Self.kinds[$0] }
    }

    /// Boxes, JSON, decoding, and compositing: all that have a file.
    static let all: [MediaCase] = {
        struct List: Decodable { let cases: [MediaCase] }
        guard let data = FileManager.default.contents(atPath: Shared.path("cases/vap/manifest.json")),
            let list = try? JSONDecoder().decode(List.self, from: data)
        else { return [] }
        return list.cases.filter { [1, 2, 3, 8].contains($0.kind) && $0.file != nil }
    }()

    static let kinds: [String: AnimationError.Kind] = [
        "empty_file": .emptyFile, "not_mp4": .notMP4, "box_size_invalid": .boxSizeInvalid,
        "box_truncated": .boxTruncated, "vapc_missing": .layoutMissing, "json_invalid": .jsonInvalid,
        "json_too_deep": .jsonTooDeep, "config_field_missing": .fieldMissing,
        "config_field_type": .fieldType, "config_version": .versionUnsupported, "config_value": .fieldValue,
        "rect_out_of_frame": .rectangleOutside, "geometry_mismatch": .geometryMismatch,
        "track_mismatch": .trackMismatch, "moov_missing": .movieMissing, "moov_invalid": .mediaInvalid,
        "no_video_track": .videoMissing, "codec_unsupported": .codecUnsupported,
        "decoder_open": .decoderFailed, "pixel_format_unsupported": .pixelFormatUnsupported,
        "media_corrupt": .mediaCorrupt, "limits_exceeded": .limitExceeded,
    ]
}

@Suite(
    "Hostile files, played", .enabled(if: Shared.isThere("cases/vap/manifest.json")), .timeLimit(.minutes(1)))
struct MediaCaseTests {
    /// Nil, and an issue where it is none, when the file is refused.
    private func open(_ entry: MediaCase) -> Animation? {
        let start = Monotonic.threadTime()
        defer { #expect(Monotonic.threadTime() - start < .second) }
        do throws(AnimationError) {
            let animation = try Animation.open(path: entry.path)
            let isFree = entry.must != "reject" || entry.also_ok?.contains("accept") == true
            #expect(isFree, "accepted instead of \(entry.error ?? "")")
            return animation
        } catch {
            #expect(entry.refusals.contains(error.kind), "\(error)")
            return nil
        }
    }

    private func player(
        _ animation: Animation, _ program: ProgramFormat, _ place: PlacedRectangle? = nil,
        _ blend: Blend = .premultiplied
    ) -> Player {
        let own = Placement(fit: .none, anchor: .topLeft).rectangle(
            canvas: animation.layout.canvas, program: Size(program.width, program.height))
        return Player(animation, place: place ?? own, program: program, blend: blend, metrics: testMetrics())
    }

    @Test("show what they should, or are refused as they should", arguments: MediaCase.all)
    func pixels(entry: MediaCase) throws {
        guard let animation = open(entry) else { return }
        if let frames = entry.expect?.frames {
            #expect([animation.codedFrameCount, animation.layout.frameCount].contains(frames))
        }
        // Places are even: odd sizes are looked at enlarged, in the middle of what was a pixel.
        let canvas = animation.layout.canvas
        let scale = (canvas.width | canvas.height) % 2 == 0 ? 1 : 6
        let (width, height) = (canvas.width * scale, canvas.height * scale)
        let black = Canvas(width, height, (0, 0, 0))
        // Dark enough for light that is brighter than its alpha.
        let grey = Canvas(width, height, (64, 64, 64))
        let below = Double(grey.luma(0, 0)) - 16
        let player = player(
            animation, Canvas.program(width, height),
            PlacedRectangle(x: 0, y: 0, width: width, height: height))
        #expect(player.load() == .ready)
        for pixel in (entry.expect?.pixels ?? []).sorted(by: { $0.frame < $1.frame }) {
            player.paint(picture: pixel.frame, on: black)
            player.paint(picture: pixel.frame, on: grey)
            let middle = [(scale - 1) / 2, scale / 2]
            let places = middle.flatMap { y in middle.map { (pixel.x * scale + $0, pixel.y * scale + y) } }
            func mean(_ value: (Int, Int) -> Double) -> Double { places.map(value).reduce(0, +) / 4 }
            let seen = [
                mean { black.rgb($0, $1).red }, mean { black.rgb($0, $1).green },
                mean { black.rgb($0, $1).blue },
                255 - mean { Double(grey.luma($0, $1)) - Double(black.luma($0, $1)) } * 255 / below,
            ]
            // Two pictures and two conversions stand between the stored value and this one.
            for channel in (pixel.alpha_only == true ? 3...3 : 0...3) {
                // Colour without alpha is codec noise, and not painted.
                if channel < 3, pixel.rgba[3] == 0 { continue }
                #expect(
                    abs(seen[channel] - pixel.rgba[channel]) <= pixel.tol + 3,
                    "\(pixel): channel \(channel) is \(seen[channel])")
            }
        }
    }

    @Test(
        "are blended with what lies below as they should",
        arguments: MediaCase.all.filter { $0.request?.canvas != nil }, [Blend.premultiplied, .straight])
    func canvas(entry: MediaCase, blend: Blend) throws {
        let request = try #require(entry.request)
        let animation = try Animation.open(path: entry.path)
        let (size, bg) = (try #require(request.canvas), try #require(request.bg))
        let canvas = Canvas(size[0], size[1], (bg[0], bg[1], bg[2]))
        let untouched = canvas.contents
        for offset in request.placements ?? [[request.x ?? 0, request.y ?? 0]] {
            let place = Placement(
                fit: .none, anchor: .topLeft, offset: .init(x: .pixels(offset[0]), y: .pixels(offset[1]))
            ).rectangle(canvas: animation.layout.canvas, program: Size(canvas.width, canvas.height))
            let player = player(animation, Canvas.program(canvas.width, canvas.height), place, blend)
            #expect(player.load() == .ready)
            player.paint(picture: 0, on: canvas)
            if request.placements != nil { #expect(canvas.contents == untouched) }
            check(canvas, entry, blend)
        }
    }

    private func check(_ canvas: Canvas, _ entry: MediaCase, _ blend: Blend) {
        for pixel in entry.expect?.canvas ?? [] {
            let seen = canvas.rgb(pixel.x, pixel.y)
            let wanted = blend == .straight ? pixel.straight : pixel.premultiplied
            for (value, wanted) in zip([seen.red, seen.green, seen.blue], wanted) {
                #expect(abs(value - wanted) <= pixel.tol, "(\(pixel.x), \(pixel.y)) is \(seen)")
            }
        }
        if let least = entry.expect?.canvas_min?[blend.rawValue] {
            let all = (0..<canvas.height).flatMap { y in (0..<canvas.width).map { canvas.rgb($0, y).green } }
            #expect((all.min() ?? 0) >= least - 3)
        }
        if let luma = entry.expect?.output_luma {
            #expect(abs(Double(canvas.luma(luma.x, luma.y)) - luma.value) <= luma.tol)
        }
    }

    @Test(
        "end on time and leave nothing behind",
        arguments: MediaCase.all.filter { $0.expect?.duration_s != nil })
    func ends(entry: MediaCase) throws {
        guard let animation = open(entry) else { return }
        let seconds = try #require(entry.expect?.duration_s)
        #expect(animation.layout.duration == Nanoseconds(seconds: seconds))
        let show = Show()
        let player = player(animation, Canvas.program(32, 32))
        #expect(player.load() == .ready)
        show.add(id: 7, player: player, z: 0)
        let canvas = Canvas(32, 32, (90, 90, 90))
        let untouched = canvas.contents
        var time = 5 * Nanoseconds.second
        while show.isShowing, time < 60 * .second {
            player.settle(animation.layout.index(at: time - 5 * .second))
            canvas.clear()
            show.paint(on: canvas.frame, at: time)
            time += .second / 50
        }
        #expect(canvas.contents == untouched, "the frame at the end shows nothing")
        #expect(abs(time - .second / 50 - 5 * .second - animation.layout.duration) < .second / 50)
        let events = show.drain()
        #expect(events.count == 2)
        if entry.id == "dec-16-corrupt-slice" {
            guard case .failed(7, let error) = events.last else {
                Issue.record("\(events)")
                return
            }
            #expect(error.kind == .mediaCorrupt && error.message.contains("4"), "\(error)")
        } else {
            #expect(events.last == .finished(id: 7))
        }
    }

    @Test("a change of size is told with its picture, and ends the gift there")
    func sizeChange() throws {
        let animation = try Animation.open(path: Shared.path("cases/vap/dec-04-size-change-midway.mp4"))
        let player = player(animation, Canvas.program(32, 32))
        #expect(player.load() == .ready)
        let canvas = Canvas(32, 32, (0, 0, 0))
        for index in 0..<5 { player.paint(picture: index, on: canvas) }
        player.settle(10)
        #expect(player.failure?.kind == .trackMismatch)
        #expect(player.failure?.message.contains("picture 5") == true, "\(player.failure?.message ?? "")")
        #expect(player.end == .second / 2)
    }

    @Test("there are enough of them")
    func count() { #expect(MediaCase.all.count > 80) }
}
