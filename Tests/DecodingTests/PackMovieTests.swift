import Foundation
import Testing
import VAP

@testable import Decoding

/// Videos with alpha made by ffmpeg from the same frames.
@Suite("Packer with a video", .enabled(if: FFmpeg.isInstalled, "ffmpeg makes the videos"))
struct PackMovieTests {
    @Test(
        "takes every kind of alpha that libav reads",
        arguments: [
            (["-c:v", "qtrle", "-pix_fmt", "argb"], "a.mov"),
            (["-c:v", "png", "-pix_fmt", "rgba64be"], "b.mov"),
            (["-c:v", "prores_ks", "-profile:v", "4444", "-pix_fmt", "yuva444p10le"], "c.mov"),
            (
                [
                    "-c:v", "libvpx-vp9", "-pix_fmt", "yuva420p", "-crf", "10", "-b:v", "0", "-auto-alt-ref",
                    "0",
                ], "d.webm"
            ),
        ])
    func kinds(encoding: [String], name: String) throws {
        let directory = try PackDirectory()
        let frames = try directory.frames(10, 64, 48, paint: packRamp)
        let movie = directory.file(name)
        try FFmpeg.run("ffmpeg", ["-framerate", "20", "-i", "\(frames)/%03d.png"] + encoding + [movie])
        let output = directory.file("o.mp4")
        let result = try Packer.pack(input: movie, output: output)
        #expect(result.layout.frameCount == 10)
        #expect(result.layout.framesPerSecond == 20)
        #expect(result.layout.canvas == Size(64, 48))

        let bytes = [UInt8](try FFmpeg.pictures(output))
        try #require(bytes.count == 10 * 64 * 80 * 3 / 2)
        // The last frame: alpha rises from left to right, and the top left of the colour is black.
        let last = bytes[(9 * 64 * 80 * 3 / 2)...]
        let alpha = (0..<32).map { Int(last[last.startIndex + 60 * 64 + $0]) }
        #expect(alpha.first.map { $0 < 24 } == true && alpha.last.map { $0 > 220 } == true)
        #expect(zip(alpha, alpha.dropFirst()).allSatisfy { $0 <= $1 + 3 })
        #expect(last[last.startIndex + 10 * 64] < 26)
    }

    @Test("brings the sound of the video along unless it is to be silent", arguments: [false, true])
    func ownSound(isMuted: Bool) throws {
        let directory = try PackDirectory()
        let movie = directory.file("a.mov")
        let frames = try directory.frames(10, 32, 32, paint: packRamp)
        try FFmpeg.run(
            "ffmpeg",
            [
                "-framerate", "10", "-i", "\(frames)/%03d.png", "-f", "lavfi", "-i", "sine=duration=1",
                "-c:v", "qtrle",
                "-c:a", "pcm_s16le", movie,
            ])
        var options = PackOptions()
        options.isMuted = isMuted
        #expect(
            try Packer.pack(input: movie, output: directory.file("o.mp4"), options: options).hasSound
                == !isMuted)
    }

    @Test("plays at another rate for as long as the input lasts")
    func rate() throws {
        let directory = try PackDirectory()
        let movie = directory.file("a.mov")
        let frames = try directory.frames(10, 32, 32, paint: packRamp)
        try FFmpeg.run("ffmpeg", ["-framerate", "10", "-i", "\(frames)/%03d.png", "-c:v", "qtrle", movie])
        var options = PackOptions()
        options.framesPerSecond = 30
        #expect(
            try Packer.pack(input: movie, output: directory.file("o.mp4"), options: options).layout.frameCount
                == 30)
    }

    @Test("leaves premultiplied colour as it is")
    func premultiplied() throws {
        let directory = try PackDirectory()
        let half = try directory.frames(2, 32, 32) { _, _, _ in [100, 100, 100, 128] }
        let luma = try [PackOptions.Colour.straight, .premultiplied].map { colour in
            var options = PackOptions()
            options.colour = colour
            _ = try Packer.pack(input: half, output: directory.file("o.mp4"), options: options)
            return Double([UInt8](try FFmpeg.pictures(directory.file("o.mp4")))[16 * 64 + 8])
        }
        #expect(abs(luma[0] - (16 + 219 * 50 / 255)) < 3)
        #expect(abs(luma[1] - (16 + 219 * 100 / 255)) < 3)
    }
}

@Suite("Packer refuses", .enabled(if: FFmpeg.isInstalled, "ffmpeg makes the videos"))
struct PackRefusalTests {
    /// What packing `input` throws. Whatever it is, the directory of the output is as it was.
    private func failure(
        _ input: String, sound: String? = nil, output: String? = nil, in directory: PackDirectory
    ) throws -> PackError.Kind? {
        let output = output ?? directory.file("kept.mp4")
        let before = Data("what was there".utf8)
        try? before.write(to: URL(fileURLWithPath: output))
        let names = directory.names
        do throws(PackError) { _ = try Packer.pack(input: input, sound: sound, output: output) } catch {
            #expect(directory.names.sorted() == names.sorted())
            #expect(FileManager.default.contents(atPath: output) ?? before == before)
            return error.kind
        }
        return nil
    }

    @Test("pictures without transparency, of different sizes, and what is no picture")
    func pictures() throws {
        let directory = try PackDirectory()
        let opaque = try directory.frames(2, 16, 16, in: "opaque") { _, _, _ in [1, 2, 3] }
        #expect(try failure(opaque, in: directory) == .alphaMissing)
        let sizes = try directory.frames(1, 16, 16, in: "sizes", paint: packRamp)
        try packPNG([UInt8](repeating: 9, count: 4 * 9), 3, 3, hasAlpha: true).write(
            to: URL(fileURLWithPath: sizes + "/001.png"))
        #expect(try failure(sizes, in: directory) == .sizeChanged)
        let broken = try directory.frames(1, 16, 16, in: "broken", paint: packRamp)
        try Data("no picture".utf8).write(to: URL(fileURLWithPath: broken + "/001.png"))
        #expect(try failure(broken, in: directory) == .inputUnreadable)
        try Data().write(to: URL(fileURLWithPath: broken + "/001.png"))
        #expect(try failure(broken, in: directory) == .inputUnreadable)
        #expect(try failure(directory.file("nothing"), in: directory) == .inputMissing)
    }

    @Test("videos without alpha and files that are no video")
    func movies() throws {
        let directory = try PackDirectory()
        let opaque = directory.file("opaque.mp4")
        try FFmpeg.run("ffmpeg", ["-f", "lavfi", "-i", "testsrc=size=32x32:duration=0.2", opaque])
        #expect(try failure(opaque, in: directory) == .alphaMissing)
        let text = directory.file("text.mov")
        try Data("no video at all".utf8).write(to: URL(fileURLWithPath: text))
        #expect(try failure(text, in: directory) == .inputUnreadable)
        let tone = directory.file("tone.wav")
        try FFmpeg.run("ffmpeg", ["-f", "lavfi", "-i", "sine=duration=0.1", tone])
        #expect(try failure(tone, in: directory) == .inputUnreadable)
        let frames = try directory.frames(1, 16, 16, paint: packRamp)
        #expect(try failure(frames, sound: opaque, in: directory) == .soundUnreadable)
        #expect(try failure(frames, sound: directory.file("none"), in: directory) == .soundUnreadable)
    }

    @Test("a place that cannot be written to")
    func output() throws {
        let directory = try PackDirectory()
        let frames = try directory.frames(1, 16, 16, paint: packRamp)
        #expect(
            try failure(frames, output: directory.file("no/such/o.mp4"), in: directory) == .outputUnwritable)
        #expect(try failure(frames, output: frames, in: directory) == .outputUnwritable)
    }
}
