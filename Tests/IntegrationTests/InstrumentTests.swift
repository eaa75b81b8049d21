import Foundation
import Testing

extension Integration {
    /// The measuring itself, without giftd between: what the other tests find is not made by their tools.
    @Suite("Instruments", .ffmpeg)
    struct InstrumentTests {
        @Test("find the clip clean and in step")
        func clip() throws {
            let recording = try Recording(try Clip.path())
            recording.expectClean(widest: 0.034)
            let offsets = try recording.offsets()
            #expect(offsets.count == 15, "the flash of the first picture is no onset")
            #expect(offsets.allSatisfy { abs($0) < 0.005 }, "\(offsets)")
        }

        @Test("find it so behind an RTMP server too", .nginx)
        func server() throws {
            let scene = try Scene()
            let port = try Loopback.freePort()
            let nginx = try scene.nginx(port: port)
            let publisher = try scene.publisher("rtmp://127.0.0.1:\(port)/live/in")
            let viewer = try scene.viewer("rtmp://127.0.0.1:\(port)/live/in", to: "seen.flv")
            try scene.record("seen.flv", seconds: 3)
            #expect(nginx.isRunning && publisher.isRunning && viewer.isRunning)
            viewer.stop(SIGINT)
            let recording = try Recording(scene.file("seen.flv"))
            recording.expectClean()
            #expect(recording.duration > 2)
            let offsets = try recording.offsets()
            #expect(offsets.count >= 2)
            #expect(offsets.allSatisfy { abs($0) < 0.03 }, "\(offsets)")
        }

        @Test("see a hole, a step back and a late sound")
        func faults() throws {
            let scene = try Scene()
            let broken = scene.file("broken.flv")
            // Sound 0.2 s late; 0.5 s of pictures missing.
            let (status, output) = try Spawned.run(
                "ffmpeg",
                [
                    "-v", "error", "-i", try Clip.path(), "-itsoffset", "0.2", "-i", try Clip.path(), "-map",
                    "0:v", "-map",
                    "1:a", "-vf", "select='not(between(t,5.3,5.8))'", "-vsync", "vfr", "-c:v", "libx264",
                    "-bf", "0",
                    "-preset", "ultrafast", "-c:a", "copy", "-t", "8", broken,
                ], in: scene.directory)
            try #require(status == 0, "\(output)")
            let recording = try Recording(broken)
            #expect(abs(recording.steps(recording.video).widest - 0.53) < 0.04)
            #expect(recording.steps(recording.video + recording.video.prefix(1)).notRising == 1)
            let offsets = try recording.offsets()
            #expect(offsets.count >= 5)
            #expect(offsets.allSatisfy { abs($0 - 0.2) < 0.04 }, "\(offsets)")
        }
    }
}
