import Foundation
import Testing
import VAP

@testable import Decoding

@Suite("Packer", .enabled(if: FFmpeg.isInstalled, "ffmpeg and ffprobe read the files back"))
struct PackerTests {
    @Test(
        "makes a file like the official tool's, and the picture comes back",
        arguments: PackOptions.Codec.allCases)
    func roundTrip(codec: PackOptions.Codec) throws {
        let directory = try PackDirectory()
        let output = directory.file("ramp.mp4")
        var options = PackOptions()
        options.codec = codec
        options.rate = .quality(10)
        options.framesPerSecond = 24
        let result = try Packer.pack(
            input: try directory.frames(12, 64, 48, paint: packRamp), output: output, options: options)

        let expected = try PackLayout.plan(
            canvas: Size(64, 48), alphaScale: 0.5, frameCount: 12, framesPerSecond: 24)
        #expect(result.layout == expected)
        #expect(!result.hasSound)
        let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: output)))
        #expect(result.byteCount == file.count)
        let boxes = try #require(PackBoxes.walk(file, 0..<file.count))
        #expect(boxes.map(\.type) == ["ftyp", "free", "moov", "vapc", "mdat"])
        #expect(
            String(decoding: file[boxes[3].range].dropFirst(8), as: UTF8.self) == PackLayout.json(expected))

        let manifest = try #require(try VAPFile.read(MemorySource(file)).manifest)
        #expect(manifest.layout == expected)
        #expect(manifest.warnings.isEmpty)

        let stream = try FFmpeg.stream(
            "v",
            "codec_name,codec_tag_string,profile,width,height,pix_fmt,has_b_frames,color_range,color_space,"
                + "r_frame_rate,nb_read_packets", output)
        #expect(stream["codec_tag_string"] == (codec == .h264 ? "avc1" : "hvc1"))
        #expect(stream["profile"] == "Main")
        #expect(stream["pix_fmt"] == "yuv420p")
        #expect(stream["width"] == "64" && stream["height"] == "80")
        #expect(stream["has_b_frames"] == "0")
        #expect(stream["r_frame_rate"] == "24/1")
        #expect(stream["nb_read_packets"] == "12")
        #expect(stream["color_space"] == "unknown")
        try comparePictures(output, expected)
    }

    /// Every picture against what was drawn: colour multiplied by alpha, alpha rising, black between.
    private func comparePictures(_ path: String, _ layout: Layout) throws {
        let bytes = [UInt8](try FFmpeg.pictures(path))
        let (width, height) = (layout.coded.width, layout.coded.height)
        let size = width * height * 3 / 2
        try #require(bytes.count == size * layout.frameCount)
        for frame in 0..<layout.frameCount {
            let luma = bytes[frame * size..<frame * size + width * height]
            func y(_ x: Int, _ row: Int) -> Double { Double(luma[luma.startIndex + row * width + x]) }
            var error = 0.0
            for row in 0..<48 {
                for x in 0..<64 {
                    let pixel = packRamp(frame, x, row).map { Double($0) / 255 }
                    let light = 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]
                    error += abs(y(x, row) - (16 + 219 * light * pixel[3]))
                }
            }
            #expect(error / (64 * 48) < 1, "mean luma error of frame \(frame)")
            let alpha = (0..<32).map { x in (52..<76).map { y(x, $0) }.reduce(0, +) / 24 }
            for x in 0..<31 {
                #expect(alpha[x] < alpha[x + 1], "alpha rises at column \(x) of frame \(frame)")
            }
            for x in 0..<32 { #expect(abs(alpha[x] - (16 + 219 * Double(8 * x + 2) / 255)) < 2) }
            #expect((0..<64).allSatisfy { abs(y($0, 49) - 16) < 5 })
            #expect((40..<64).allSatisfy { abs(y($0, 70) - 16) < 3 })
        }
    }

    @Test("keeps full-size alpha when asked to")
    func fullAlpha() throws {
        let directory = try PackDirectory()
        var options = PackOptions()
        options.alphaScale = 1
        let result = try Packer.pack(
            input: try directory.frames(2, 33, 31, paint: packRamp), output: directory.file("o.mp4"),
            options: options)
        #expect(result.layout.alpha == Rectangle(x: 0, y: 35, width: 33, height: 31))
        #expect(result.layout.coded == Size(48, 80))
        #expect(result.layout.framesPerSecond == 25)
    }

    @Test("reports every frame and how many there will be")
    func progress() throws {
        let directory = try PackDirectory()
        var seen: [PackProgress] = []
        _ = try Packer.pack(
            input: try directory.frames(5, 16, 16, paint: packRamp), output: directory.file("o.mp4")
        ) { seen.append($0) }
        #expect(seen == (1...5).map { PackProgress(frames: $0, expected: 5) })
    }

    @Test("writes the same bytes for the same pictures")
    func deterministic() throws {
        let directory = try PackDirectory()
        let frames = try directory.frames(6, 32, 32, paint: packRamp)
        let files = try ["a", "b"].map { name in
            _ = try Packer.pack(input: frames, output: directory.file(name))
            return try Data(contentsOf: URL(fileURLWithPath: directory.file(name)))
        }
        #expect(files[0] == files[1])
    }

    @Test(
        "cuts the sound where the pictures end and leaves a short one short",
        arguments: [(0.25, 0.25), (3.0, 1.0)])
    func sound(given: Double, written: Double) throws {
        let directory = try PackDirectory()
        let tone = directory.file("tone.wav")
        try FFmpeg.run(
            "ffmpeg", ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=22050:duration=\(given)", tone])
        let output = directory.file("o.mp4")
        let result = try Packer.pack(
            input: try directory.frames(25, 16, 16, paint: packRamp), sound: tone, output: output)
        #expect(result.hasSound)
        let stream = try FFmpeg.stream("a", "codec_name,sample_rate,channels,start_time,duration", output)
        #expect(stream["codec_name"] == "aac")
        #expect(stream["sample_rate"] == "48000")
        #expect(stream["channels"] == "2")
        let duration = try #require(stream["duration"].flatMap(Double.init))
        #expect(abs(duration - written) < 0.025, "\(duration) s")
        let loudness = try FFmpeg.run(
            "ffmpeg", ["-i", output, "-map", "0:a", "-f", "f32le", "-ac", "1", "-"])
        let samples = loudness.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        let middle = samples[2000..<10_000].map { abs($0) }.max() ?? 0
        #expect(middle > 0.08 && middle < 0.2, "the sine keeps its level, \(middle)")
    }
}
