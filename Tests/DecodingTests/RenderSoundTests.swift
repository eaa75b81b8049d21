import Basics
import Foundation
import Pictures
import Testing
import VAP

@testable import Decoding

@Suite("Render, sound", .enabled(if: FFmpeg.isInstalled, "ffmpeg makes the files"), .timeLimit(.minutes(1)))
struct RenderSoundTests {
    private let directory: PackDirectory
    /// A second of pictures with a tone.
    private let animation: Animation

    init() throws {
        directory = try PackDirectory()
        let tone = ["-f", "lavfi", "-i", "sine=frequency=1000:duration=1:sample_rate=44100"]
        let both = tone + ["-map", "0:v", "-map", "1:a", "-c:a", "aac", "-b:a", "128k", "-c:v", "libx264"]
        animation = try Animation.open(path: try PatchGift.make(in: directory, filter: both))
    }

    private func job(_ name: String, _ feed: RenderJob.Feed? = nil, start: Double = 0.5) -> RenderJob {
        let colour = RenderJob.Feed.colour([0, 0, 0], Size(64, 64), RenderRate(30_000, 1001))
        var job = RenderJob(
            feed: feed ?? colour, gifts: [.init(animation, start: start)],
            output: .movie(directory.file(name)))
        job.seconds = 2
        return job
    }

    /// The left channel of a file at 48 kHz.
    private func samples(_ name: String) throws -> [Float] {
        let bytes = try FFmpeg.run(
            "ffmpeg",
            ["-i", directory.file(name), "-af", "pan=mono|c0=c0", "-ar", "48000", "-f", "f32le", "-"])
        return bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    /// Root mean square between two times.
    private func level(_ samples: [Float], _ begin: Double, _ end: Double) -> Double {
        let part = samples[Int(begin * 48_000)..<min(Int(end * 48_000), samples.count)]
        return (part.reduce(0.0) { $0 + Double($1 * $1) } / Double(max(part.count, 1))).squareRoot()
    }

    @Test("is heard from the frame that first shows the gift to its end, and nowhere else")
    func place() throws {
        let result = try Renderer.render(job("out.mp4"))
        #expect(result.hasSound && result.failures.isEmpty)
        let samples = try samples("out.mp4")
        #expect(abs(Double(samples.count) / 48_000 - 2) < 0.03)
        // 15 frames of 1001/30000 s.
        let start = 0.5005
        #expect(level(samples, 0, start - 0.03) < 0.0005)
        #expect(level(samples, start + 0.03, start + 0.95) > 0.05)
        #expect(level(samples, start + 1.05, 1.95) < 0.0005)
        let first = try #require(samples.firstIndex { abs($0) > 0.02 })
        #expect(abs(Double(first) / 48_000 - start) < 0.02, "\(first)")
    }

    @Test("is the same every time, at twice the volume twice as loud, and none when muted")
    func volume() throws {
        _ = try Renderer.render(job("a.mp4"))
        _ = try Renderer.render(job("b.mp4"))
        let files = try ["a.mp4", "b.mp4"].map {
            try Data(contentsOf: URL(fileURLWithPath: directory.file($0)))
        }
        #expect(files[0] == files[1])
        var loud = job("loud.mp4")
        loud.gifts[0].volume = 2
        _ = try Renderer.render(loud)
        let (once, twice) = (try samples("a.mp4"), try samples("loud.mp4"))
        #expect(abs(level(twice, 0.7, 1.3) / level(once, 0.7, 1.3) - 2) < 0.05)
        loud.isMuted = true
        #expect(try !Renderer.render(loud).hasSound)
        #expect(try FFmpeg.stream("a", "codec_name", directory.file("loud.mp4")).isEmpty)
    }

    @Test("lies over the feed's own, which begins with its first picture")
    func feed() throws {
        let input = [
            "-f", "lavfi", "-i", "testsrc=size=64x64:rate=25", "-f", "lavfi", "-i", "sine=frequency=300",
        ]
        let path = directory.file("feed.mkv")
        try FFmpeg.run(
            "ffmpeg",
            input + ["-t", "2", "-c:v", "ffv1", "-c:a", "pcm_s16le", "-output_ts_offset", "3.2", path])
        var job = job("out.mp4", .file(path))
        _ = try Renderer.render(job)
        let mixed = try samples("out.mp4")
        job.gifts = []
        #expect(try Renderer.render(job).hasSound)
        let host = try samples("out.mp4")
        #expect(level(host, 0.02, 0.4) > 0.05)
        #expect(abs(level(mixed, 0.05, 0.4) - level(host, 0.05, 0.4)) < 0.002)
        #expect(level(mixed, 0.6, 1.4) > 1.2 * level(host, 0.6, 1.4))
        let first = try #require(host.firstIndex { abs($0) > 0.02 })
        #expect(first < 480)
    }
}
