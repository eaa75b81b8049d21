import Basics
import Foundation
import Pictures
import Testing
import VAP

@testable import Decoding

@Suite("Render", .enabled(if: FFmpeg.isInstalled, "ffmpeg makes the files"), .timeLimit(.minutes(2)))
struct RenderTests {
    private let directory: PackDirectory
    private let animation: Animation

    init() throws {
        directory = try PackDirectory()
        animation = try Animation.open(path: try PatchGift.make(in: directory))
    }

    private let corner = Placement(fit: .none, anchor: .topLeft)

    /// A job over grey: 64x48 unless another feed is given.
    private func job(
        _ output: String, rate: RenderRate = RenderRate(10, 1), feed: RenderJob.Feed? = nil,
        gifts: [(Double, Placement)]? = nil
    ) -> RenderJob {
        let path = directory.file(output)
        let output: RenderJob.Output = output.hasSuffix("mp4") ? .movie(path) : .raw(path)
        return RenderJob(
            feed: feed ?? .colour([128, 128, 128], Size(64, 48), rate),
            gifts: (gifts ?? [(0, corner)]).map { .init(animation, start: $0.0, placement: $0.1) },
            output: output)
    }

    /// Which picture of the gift lies at the left of a frame, by its grey; nil where there is none.
    private func picture(_ file: Y4M, _ frame: Int, x: Int = 8) -> Int? {
        let grey = Double(file.luma(frame, x, 8) - 16) * 255 / 219
        return (0..<10).first {
            abs(grey - Double(PatchGift.grey($0))) < 6 && file.luma(frame, x + 16, 8) < 100
        }
    }

    @Test(
        "shows in every frame the picture that is due, whatever the rates",
        arguments: ["10", "30000/1001", "24", "3", "2", "60"])
    func due(text: String) throws {
        let rate = try #require(RenderRate(text))
        let result = try Renderer.render(job("out.y4m", rate: rate, gifts: [(0.35, corner)]))
        let file = try Y4M(directory.file("out.y4m"))
        let first = Int((0.35 * rate.value - 1e-6).rounded(.up))
        for frame in file.frames.indices {
            let seconds = Double(frame - first) / rate.value
            let due = seconds < 0 ? nil : Int(seconds * 10 + 1e-5)
            #expect(picture(file, frame) == due, "frame \(frame)")
        }
        #expect(result.frames == file.frames.count && result.picturesLate == 0 && result.failures.isEmpty)
        // To the last frame in which the gift is seen, and no further.
        #expect(Double(result.frames - first) / rate.value >= 1)
        #expect(Double(result.frames - first - 1) / rate.value < 1)
    }

    @Test("makes the same bytes every time", arguments: ["out.y4m", "out.mp4"])
    func same(name: String) throws {
        let both = try (0..<2).map { _ in
            _ = try Renderer.render(
                job(name, rate: RenderRate(30_000, 1001), gifts: [(0, corner), (0.2, Placement())]))
            defer { try? FileManager.default.removeItem(atPath: directory.file(name)) }
            return try Data(contentsOf: URL(fileURLWithPath: directory.file(name)))
        }
        #expect(both[0] == both[1] && both[0].count > 1000)
        #expect(directory.names.allSatisfy { !$0.hasPrefix("out") }, "no temporary file stays")
    }

    @Test("lays later gifts over earlier ones, each where it belongs")
    func several() throws {
        let right = Placement(fit: .none, anchor: .topLeft, offset: .init(x: .pixels(32)))
        _ = try Renderer.render(job("out.y4m", gifts: [(0.5, right), (0, corner), (0.2, corner)]))
        let file = try Y4M(directory.file("out.y4m"))
        #expect(file.frames.count == 15)
        #expect(picture(file, 1) == 1 && picture(file, 2) == 0 && picture(file, 11) == 9)
        #expect(
            picture(file, 4, x: 40) == nil && picture(file, 5, x: 40) == 0 && picture(file, 14, x: 40) == 9)
    }

    @Test("ends when it is told to, or with the feed")
    func ends() throws {
        var short = job("out.y4m")
        short.seconds = 0.45
        #expect(try Renderer.render(short).frames == 5)
        let feed = try feed("feed.y4m", ["-pix_fmt", "yuv420p"], frames: 7)
        #expect(try Renderer.render(job("out.y4m", feed: .file(feed))).frames == 7)
    }

    /// A moving test picture.
    private func feed(_ name: String, _ encoding: [String], size: String = "64x48", frames: Int = 5) throws
        -> String
    {
        try FFmpeg.run(
            "ffmpeg",
            ["-y", "-f", "lavfi", "-i", "testsrc=size=\(size):rate=10", "-frames:v", "\(frames)"] + encoding
                + [directory.file(name)])
        return directory.file(name)
    }

    @Test(
        "leaves the feed as it is where no gift lies, at any size",
        arguments: ["64x48", "63x47", "101x48", "64x57"])
    func untouched(size: String) throws {
        let path = try feed("feed.y4m", ["-pix_fmt", "yuv420p"], size: size)
        let place = Placement(fit: .none, anchor: .bottomRight)
        _ = try Renderer.render(job("out.y4m", feed: .file(path), gifts: [(0.2, place)]))
        let (before, after) = (try Y4M(path), try Y4M(directory.file("out.y4m")))
        #expect(after.width == before.width && after.height == before.height)
        #expect(after.header.contains("F10:1"))
        #expect(before.frames[0] == after.frames[0] && before.frames[1] == after.frames[1])
        for (old, new) in zip(before.frames[2...], after.frames[2...]) {
            #expect(old != new)
            let differing = old.indices.prefix(before.width * before.height).filter { old[$0] != new[$0] }
            #expect(differing.allSatisfy { $0 % before.width >= before.width - 34 })
            #expect(differing.allSatisfy { $0 / before.width >= before.height - 34 })
        }
    }

    @Test("says what is known of the feed in the movie that it makes")
    func movie() throws {
        let tags = [
            "-vf", "scale=out_color_matrix=bt709:out_range=pc", "-pix_fmt", "yuvj420p", "-colorspace",
            "bt709",
        ]
        let path = try feed("feed.mp4", ["-c:v", "libx264", "-qp", "0"] + tags, size: "64x48")
        _ = try Renderer.render(job("out.mp4", feed: .file(path)))
        let entries = "width,height,r_frame_rate,color_space,color_range,nb_read_packets,codec_name"
        let stream = try FFmpeg.stream("v", entries, directory.file("out.mp4"))
        #expect(stream["color_space"] == "bt709" && stream["color_range"] == "pc")
        #expect(
            stream["codec_name"] == "h264" && stream["r_frame_rate"] == "10/1"
                && stream["nb_read_packets"] == "5")
        // Odd sizes do not exist in H.264 with 4:2:0.
        let odd = try feed("odd.y4m", ["-pix_fmt", "yuv420p"], size: "63x47")
        _ = try Renderer.render(job("out.mp4", feed: .file(odd)))
        let even = try FFmpeg.stream("v", "width,height,color_space", directory.file("out.mp4"))
        #expect(even["width"] == "64" && even["height"] == "48" && even["color_space"] == "smpte170m")
    }

    @Test(
        "takes feeds of other formats for what they are",
        arguments: ["yuv444p", "yuv422p10le", "rgb24"])
    func formats(format: String) throws {
        let codec = format == "rgb24" ? ["-c:v", "libx264rgb"] : ["-c:v", "ffv1"]
        let path = try feed("feed.mkv", codec + ["-pix_fmt", format, "-qp", "0"])
        var plain = job("out.y4m", feed: .file(path))
        plain.gifts = []
        #expect(try Renderer.render(plain).frames == 5)
        try FFmpeg.run(
            "ffmpeg",
            [
                "-y", "-i", path, "-pix_fmt", "yuv420p", "-sws_flags", "area+accurate_rnd",
                directory.file("want.y4m"),
            ])
        let (want, got) = (try Y4M(directory.file("want.y4m")), try Y4M(directory.file("out.y4m")))
        for (want, got) in zip(want.frames, got.frames) {
            let luma = zip(want, got).prefix(64 * 48).map { abs(Int($0) - Int($1)) }
            #expect(luma.reduce(0, +) <= 64 * 48 && (luma.max() ?? 0) <= 3)
        }
    }

    @Test("takes grey for grey of the full range")
    func grey() throws {
        let path = try feed("feed.mkv", ["-c:v", "ffv1", "-pix_fmt", "gray"])
        var plain = job("out.y4m", feed: .file(path))
        plain.gifts = []
        _ = try Renderer.render(plain)
        let grey = [UInt8](try FFmpeg.run("ffmpeg", ["-i", path, "-f", "rawvideo", "-pix_fmt", "gray", "-"]))
        let file = try Y4M(directory.file("out.y4m"))
        #expect(file.header.contains("XCOLORRANGE=FULL"))
        #expect(
            file.frames.enumerated().allSatisfy { index, frame in
                frame.prefix(64 * 48).elementsEqual(grey[(index * 64 * 48)...].prefix(64 * 48))
                    && frame.dropFirst(64 * 48).allSatisfy { $0 == 128 }
            })
    }

    @Test("keeps a picture of the feed for as long as it stays, and leaves none out")
    func holes() throws {
        let path = try feed(
            "feed.mkv", ["-c:v", "ffv1", "-vf", "setpts=PTS+gt(N\\,2)*0.5/TB", "-fps_mode", "passthrough"])
        var job = job("out.y4m", feed: .file(path))
        job.gifts[0].placement = Placement(fit: .none, anchor: .topLeft, offset: .init(x: .pixels(500)))
        let result = try Renderer.render(job)
        let file = try Y4M(directory.file("out.y4m"))
        #expect(result.frames == 10 && file.frames[2] == file.frames[7] && file.frames[7] != file.frames[8])
        #expect(Set(file.frames).count == 5)
    }

    @Test("makes a still of the picture that is on at a time")
    func still() throws {
        var job = job("out.y4m", gifts: [(0.2, corner)])
        _ = try Renderer.render(job)
        job.output = .still(directory.file("out.png"), at: 0.79)
        #expect(try Renderer.render(job).frames == 8)
        let png = try FFmpeg.run(
            "ffmpeg", ["-i", directory.file("out.png"), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
        let at = (8 * 64 + 8) * 3
        #expect(png.count == 64 * 48 * 3)
        #expect(png[at..<at + 3].allSatisfy { abs(Int($0) - Int(PatchGift.grey(5))) < 6 })
        let background = (40 * 64 + 50) * 3
        #expect(png[background..<background + 3].allSatisfy { abs(Int($0) - 128) < 2 })
    }

    @Test("shows what can be decoded of a damaged gift, and says what was wrong")
    func damage() throws {
        let path = try PatchGift.make(
            "cut.mp4", in: directory, frames: 10, ["-c:v", "libx264", "-bf", "0", "-movflags", "+faststart"])
        let broken = try Animation.open(path: path)
        let positions = try FFmpeg.run("ffprobe", ["-show_entries", "packet=pos", "-of", "csv=p=0", path])
        let numbers = String(decoding: positions, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
        try #require(truncate(path, numbers[6]) == 0)
        var job = job("out.y4m")
        job.gifts = [
            .init(broken, placement: corner),
            .init(animation, placement: Placement(fit: .none, anchor: .right)),
        ]
        let result = try Renderer.render(job)
        #expect(result.failures.map(\.gift) == [0] && result.frames == 10)
        #expect(picture(try Y4M(directory.file("out.y4m")), 4) == 4)
    }

    @Test("refuses feeds and outputs that are none, and leaves nothing behind")
    func refusals() throws {
        func refusal(_ job: RenderJob) -> RenderError? {
            do throws(RenderError) {
                _ = try Renderer.render(job)
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(job("out.y4m", feed: .file(directory.file("none.mp4"))))?.kind == .feedMissing)
        #expect(refusal(job("out.y4m", feed: .file(directory.path)))?.kind == .feedMissing)
        try Data("hello, this is no video\n".utf8).write(to: URL(fileURLWithPath: directory.file("text.mp4")))
        #expect(refusal(job("out.y4m", feed: .file(directory.file("text.mp4"))))?.kind == .feedUnreadable)
        try FFmpeg.run("ffmpeg", ["-f", "lavfi", "-i", "sine=duration=1", directory.file("tone.wav")])
        let sound = refusal(job("out.y4m", feed: .file(directory.file("tone.wav"))))
        #expect(sound?.kind == .feedUnsupported && sound?.message.contains("no video track") == true)
        #expect(refusal(job("none/out.y4m"))?.kind == .outputUnwritable)
        #expect(refusal(job("none/out.mp4"))?.kind == .outputUnwritable)
        var still = job("out.y4m", feed: .file(try feed("feed.y4m", ["-pix_fmt", "yuv420p"])))
        still.output = .still(directory.file("out.png"), at: 7)
        #expect(refusal(still)?.kind == .timeOutside)
        #expect(directory.names.allSatisfy { !$0.hasPrefix("out") })
    }

    @Test("reads rates as people write them")
    func rates() {
        #expect(RenderRate("30") == RenderRate(30, 1) && RenderRate("29.97") == RenderRate(30_000, 1001))
        #expect(
            RenderRate("30000/1001") == RenderRate(30_000, 1001)
                && RenderRate("12.5") == RenderRate(12_500, 1000))
        for text in ["0", "-1", "x", "1/0", "nan", "inf", "1e9", "30/", "9999999/1"] {
            #expect(RenderRate(text) == nil, "\(text)")
        }
    }
}
