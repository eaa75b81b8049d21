import Foundation
import Testing

extension Integration {
    @Suite("giftdraw")
    struct GiftdrawTests {
        private func draw(_ scene: Scene, _ arguments: String...) throws -> (status: Int32, output: String) {
            try Spawned.run("giftdraw", arguments, in: scene.directory, within: 60)
        }

        @Test(
            "draws the same pictures on every run, another gift for another style",
            arguments: ["comet", "rings", "veil"])
        func deterministic(style: String) throws {
            let scene = try Scene()
            for name in ["a", "b"] {
                let (status, output) = try draw(
                    scene, name, "--style", style, "--size", "96x128", "--frames", "12")
                #expect(status == 0)
                #expect(output == "\(style): 12 pictures of 96x128 in \(name)\n")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: scene.file("a")).sorted()
            #expect(names == (0..<12).map { String(format: "%03d.png", $0) })
            for name in names {
                #expect(
                    FileManager.default.contentsEqual(
                        atPath: scene.file("a/\(name)"), andPath: scene.file("b/\(name)")))
            }
            #expect(
                !FileManager.default.contentsEqual(
                    atPath: scene.file("a/004.png"), andPath: scene.file("a/005.png")))
        }

        @Test(
            "draws soft transparency: nothing at both ends, every shade between", .ffmpeg,
            arguments: ["comet", "rings"])
        func transparency(style: String) throws {
            let scene = try Scene()
            #expect(try draw(scene, "f", "--style", style, "--size", "192x256", "--frames", "31").status == 0)
            func shades(_ frame: Int) throws -> Set<UInt8> {
                let (status, output) = try Spawned.run(
                    "ffmpeg",
                    [
                        "-v", "error", "-i", scene.file("f/\(String(format: "%03d", frame)).png"), "-vf",
                        "alphaextract",
                        "-f", "rawvideo", "-pix_fmt", "gray", scene.file("\(frame).raw"),
                    ], in: scene.directory)
                try #require(status == 0, "\(output)")
                return Set(try Data(contentsOf: URL(fileURLWithPath: scene.file("\(frame).raw"))))
            }
            #expect(try shades(0) == [0])
            #expect(try shades(30) == [0])
            for frame in [12, 20] { #expect(try shades(frame).count > 200, "frame \(frame)") }
        }

        @Test(
            "writes a chime as long as the pictures, the same on every run, loud and never at full scale",
            .ffmpeg)
        func chime() throws {
            let scene = try Scene()
            for name in ["a", "b"] {
                let (status, output) = try draw(
                    scene, name, "--size", "16x16", "--frames", "60", "--chime", "\(name).wav")
                #expect(status == 0, "\(output)")
            }
            let chime = try Data(contentsOf: URL(fileURLWithPath: scene.file("a.wav")))
            #expect(try chime == Data(contentsOf: URL(fileURLWithPath: scene.file("b.wav"))))
            let (status, samples) = try Spawned.run(
                "ffmpeg",
                ["-v", "error", "-i", scene.file("a.wav"), "-f", "s16le", "-y", scene.file("a.raw")],
                in: scene.directory)
            try #require(status == 0, "\(samples)")
            let values = try Data(contentsOf: URL(fileURLWithPath: scene.file("a.raw"))).withUnsafeBytes {
                Array($0.bindMemory(to: Int16.self))
            }
            #expect(values.count == 2 * 2 * 48_000)
            #expect((10_000..<32_767).contains(values.map { Int($0.magnitude) }.max() ?? 0))
            #expect(abs(Int(values.last ?? 99)) < 10)
            #expect(
                try draw(scene, "c", "--size", "16x16", "--frames", "1", "--chime", "no/c.wav").status == 1)
        }

        @Test("answers wrong usage with 2, what cannot be done with 1, and never a trace")
        func refusals() throws {
            let scene = try Scene()
            for line in [
                [], ["--size", "20"], ["d", "--size", "0x10"], ["d", "--style", "moon"],
                ["d", "--frames", "0"],
            ] {
                let (status, output) = try Spawned.run("giftdraw", line, in: scene.directory)
                #expect(status == 2, "\(line)")
                #expect(output.hasPrefix("giftdraw: ") && output.split(separator: "\n").count == 1)
            }
            #expect(try draw(scene, "no/such/place").status == 1)
            #expect(try draw(scene, "d", "--size", "16x16", "--frames", "1").status == 0)
            let (status, output) = try draw(scene, "d", "--size", "16x16", "--frames", "1")
            #expect(status == 1)
            #expect(output.contains("holds PNG files already"))
            #expect(try draw(scene, "--help").status == 0)
        }
    }
}
