import Basics
import Foundation
import Pictures
import Testing
import VAP

@testable import Decoding

@Suite("Sound of a gift", .enabled(if: FFmpeg.isInstalled, "ffmpeg makes the gifts"), .timeLimit(.minutes(1)))
struct SoundTests {
    private let directory: PackDirectory

    init() throws { directory = try PackDirectory() }

    @Test("comes out sample for sample where the codec keeps them")
    func exact() throws {
        let path = try SoundGift.make(in: directory, SoundGift.saw, SoundGift.exact)
        let (left, right, failure) = try decodedSound(path)
        #expect(failure == nil && left.count == 48_000)
        #expect(left.enumerated().allSatisfy { $1 == SoundGift.saw($0) } && right == left)
    }

    @Test(
        "is where it is meant to be, whatever the codec, its delay, its rate and its channels",
        arguments: [
            (44_100, ["-c:a", "aac"]), (48_000, ["-c:a", "aac"]), (22_050, ["-c:a", "aac"]),
            (48_000, ["-c:a", "aac", "-ac", "2"]), (48_000, ["-c:a", "aac", "-ac", "6"]),
            (44_100, ["-c:a", "libmp3lame"]), (48_000, ["-c:a", "ac3", "-ac", "6"]),
            (48_000, ["-c:a", "libopus"]), (44_100, ["-c:a", "alac"]),
            (96_000, ["-c:a", "flac", "-strict", "-2"]),
            (48_000, ["-c:a", "flac", "-strict", "-2", "-ac", "8"]),
        ] as [(Int, [String])])
    func codecs(rate: Int, encoding: [String]) throws {
        let path = try SoundGift.make(in: directory, SoundGift.burst(at: 0.3, rate: rate), encoding)
        let (left, right, failure) = try decodedSound(path)
        #expect(failure == nil && (47_000...48_000).contains(left.count), "\(left.count) \(failure ?? "")")
        #expect(abs(centre(left).time - 0.3) < 0.001, "\(centre(left).time)")
        #expect(abs(centre(right).time - 0.3) < 0.001)
        if !encoding.contains("-ac") { #expect(abs(centre(left).peak - 0.5) < 0.05, "\(centre(left).peak)") }
        #expect(centre(left).peak < 0.55)
    }

    @Test(
        "is in step with the first picture, wherever the file's clock begins",
        arguments: [
            (["-output_ts_offset", "3.7"], [], 0.3),
            (["-bf", "3", "-b_strategy", "0"], [], 0.3),
            (["-bf", "2", "-movflags", "+negative_cts_offsets"], [], 0.3),
            ([], ["-itsoffset", "0.2"], 0.5),
            (["-movflags", "+faststart"], [], 0.3),
        ] as [([String], [String], Double)])
    func clocks(video: [String], before: [String], time: Double) throws {
        let path = try SoundGift.make(
            in: directory, SoundGift.burst(at: 0.3), video: ["-c:v", "libx264", "-bf", "0"] + video,
            before: before)
        let (left, _, failure) = try decodedSound(path)
        #expect(failure == nil && abs(centre(left).time - time) < 0.001, "\(centre(left).time)")
    }

    @Test("ends with its gift, however long the track is")
    func long() throws {
        let path = try SoundGift.make(
            in: directory, "aevalsrc='0.1':s=48000:d=7", SoundGift.exact)
        let (left, _, failure) = try decodedSound(path)
        #expect(failure == nil && left.count == 48_000)
    }

    @Test("leaves a hole where a packet is damaged, says where, and goes on in step")
    func damage() throws {
        let path = try SoundGift.make(in: directory, SoundGift.saw, SoundGift.exact)
        try SoundGift.damage(path, 3..<5)
        let (left, _, failure) = try decodedSound(path)
        #expect(failure?.contains("damaged at 0.") == true, "\(failure ?? "none")")
        let size = 48_000 / 11
        #expect(left[..<(2 * size)].enumerated().allSatisfy { $1 == SoundGift.saw($0) })
        #expect(left[36_000...].enumerated().allSatisfy { $1 == SoundGift.saw(36_000 + $0) })
        #expect(left.contains { $0 == 0 })
    }

    @Test(
        "that cannot be decoded at all fails, and its gift plays on", arguments: ["damaged", "codec", "rate"])
    func broken(kind: String) throws {
        let source = kind == "rate" ? "aevalsrc='0.1':s=384000:d=1" : SoundGift.saw
        let path = try SoundGift.make(
            in: directory, source, kind == "rate" ? SoundGift.exact : ["-c:a", "aac"])
        if kind == "damaged" { try SoundGift.damage(path, 0..<1000) }
        if kind == "codec" {
            try replace("mp4a", by: "zzzz", in: path)
            try replace("esds", by: "zzzz", in: path)
        }
        let animation = try Animation.open(path: path)
        let player = Player(
            animation, place: .init(x: 0, y: 0, width: 32, height: 32), program: Canvas.program(32, 32),
            metrics: testMetrics())
        let sound = try #require(player.sound)
        #expect(player.load() == .ready)
        let deadline = Monotonic.now() + 5 * .second
        while sound.state.length == nil, Monotonic.now() < deadline { usleep(500) }
        #expect(sound.failure != nil)
        sound.play(from: 0)
        #expect(sound.outcome == .failed, "\(sound.failure?.description ?? "")")
        let canvas = Canvas(32, 32, (0, 0, 0))
        player.paint(picture: 9, on: canvas)
        #expect(player.failure == nil && player.picturesLate == 0)
    }

    /// Numbers that are the same on every run.
    private struct Dice {
        var state: UInt64

        mutating func roll(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
    }

    @Test("survives whatever is written into its tables", arguments: ["aac", "flac"])
    func tables(codec: String) throws {
        let path = try SoundGift.make(in: directory, SoundGift.saw, ["-c:a", codec, "-strict", "-2"])
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let movie = try #require(whole.range(of: Data("moov".utf8)))
        var (dice, played) = (Dice(state: 7), 0)
        for _ in 0..<30 {
            var data = whole
            for _ in 0...dice.roll(6) {
                data[movie.upperBound + dice.roll(whole.count - movie.upperBound)] = UInt8(dice.roll(256))
            }
            try data.write(to: URL(fileURLWithPath: path))
            guard let sound = try? decodedSound(path) else { continue }
            #expect(sound.left.count <= 600 * 48_000 && sound.left.allSatisfy { abs($0) <= 4 })
            played += 1
        }
        #expect(played > 2, "not all are refused")
    }

    @Test("of a file without a track is none")
    func none() throws {
        let animation = try Animation.open(path: try PatchGift.make(in: directory))
        let player = Player(
            animation, place: .init(x: 0, y: 0, width: 32, height: 32), program: Canvas.program(32, 32),
            metrics: testMetrics())
        #expect(player.sound == nil)
    }

    @Test(
        "of real files is found and lasts as long as they say",
        .enabled(if: Shared.isThere("vap-samples/demo.mp4")),
        arguments: [("vapx", 11.964, 12.0), ("vap", 7.941, 8.0), ("web_demo", 7.941, 8.0)])
    func samples(name: String, least: Double, most: Double) throws {
        let (left, right, failure) = try decodedSound(Shared.path("vap-samples/\(name).mp4"))
        #expect(failure == nil)
        #expect((least - 0.06...most + 0.06).contains(Double(left.count) / 48_000), "\(left.count)")
        #expect(centre(left).peak > 0.05 && centre(right).peak > 0.05)
        #expect(centre(left).peak < 1.5)
    }

    private func replace(_ old: String, by new: String, in path: String) throws {
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        while let range = data.range(of: Data(old.utf8)) { data.replaceSubrange(range, with: Data(new.utf8)) }
        try data.write(to: URL(fileURLWithPath: path))
    }
}
