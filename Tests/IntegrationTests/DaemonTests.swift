import Foundation
import Testing

extension Integration {
    @Suite("giftd")
    struct DaemonTests {
        @Test("leaves a recording that plays when it is killed", .ffmpeg, arguments: ["mp4", "mkv", "flv"])
        func killed(kind: String) throws {
            let scene = try Scene()
            let room = try Room(
                scene, .init(destinations: [("record", "file:\(scene.file("room.\(kind)"))")]))
            try room.destinationUp("record", within: 10)
            Thread.sleep(forTimeInterval: 5)
            room.daemon.stop(SIGKILL)
            let recording = try Recording(scene.file("room.\(kind)"))
            recording.expectClean()
            #expect(recording.duration > 3, "at most the running fragment is lost")
        }

        @Test(
            "ends with 0 on SIGTERM and SIGINT, with the files whole and the socket gone", .ffmpeg,
            arguments: [SIGTERM, SIGINT])
        func signals(number: Int32) throws {
            let scene = try Scene()
            let room = try Room(scene, .init(destinations: [("record", "file:\(scene.file("room.mp4"))")]))
            try room.destinationUp("record", within: 10)
            Thread.sleep(forTimeInterval: 3)
            room.daemon.signal(number)
            #expect(try room.daemon.status(within: 10) == 0, "\(room.daemon.output.suffix(1000))")
            #expect(!FileManager.default.fileExists(atPath: room.socket))
            #expect(try Recording(scene.file("room.mp4")).duration > 1.5)
        }

        @Test(
            "answers a wrong command line with 2 and one line",
            arguments: [[], ["--config"], ["--nonsense"], ["a", "b"]])
        func usage(line: [String]) throws {
            let scene = try Scene()
            let (status, output) = try Spawned.run("giftd", line, in: scene.directory)
            #expect(status == 2)
            #expect(output.split(separator: "\n").count == 1, "\(output)")
        }

        @Test("says where a configuration is wrong, and does not start", arguments: [["--check-config"], []])
        func configuration(options: [String]) throws {
            let scene = try Scene()
            try scene.write("{ room: \"x\",\n  fed: { uri: \"test:\" },\n}\n", to: "bad.json5")
            let (status, output) = try Spawned.run(
                "giftd", ["--config", "bad.json5"] + options, in: scene.directory)
            #expect(status == 2)
            #expect(output.contains("bad.json5:2:3: fed"), "\(output)")
            #expect(output.contains("feed"), "\(output)")
            #expect(try Spawned.run("giftd", ["--config", "none.json5"], in: scene.directory).status == 2)
        }

        @Test("finds a good configuration good without running it")
        func check() throws {
            let scene = try Scene()
            let path = try Room.write(.init(), socket: scene.file("s"), http: 1, in: scene)
            let (status, output) = try Spawned.run(
                "giftd", ["--check-config", "--config", path], in: scene.directory)
            #expect(status == 0, "\(output)")
            #expect(!FileManager.default.fileExists(atPath: scene.file("s")))
        }

        @Test("writes metrics that promtool finds no fault with, and answers health", .promtool, .ffmpeg)
        func metrics() throws {
            let scene = try Scene()
            try Clip.gift(15, in: scene, named: "mark")
            let room = try Room(scene, .init(destinations: [("record", "file:\(scene.file("room.mkv"))")]))
            try room.destinationUp("record", within: 10)
            _ = try room.ended(try room.send("mark"))
            let text = try room.get("/metrics").body
            try scene.write(text, to: "metrics.txt")
            let (status, output) = try Spawned.run(
                "sh", ["-c", "promtool check metrics <metrics.txt"], in: scene.directory)
            #expect(status == 0 && output.isEmpty, "\(output)")
            #expect(text.contains("giftd_gift_event_to_first_frame_seconds_count"))
            #expect(text.contains("giftd_build_info"))
            #expect(try room.get("/healthz").status == 200)
            #expect(try room.get("/readyz").status == 200)
            #expect(try room.get("/nothing").status == 404)
            room.expectStop()
        }
    }
}
