import Foundation
import Testing

extension Integration {
    /// What viewers hear of gifts, in a room whose feed is silent.
    @Suite("The sound of gifts", .ffmpeg)
    struct SoundTests {
        private static let beep = "0.5*sin(2*PI*1000*t)*lt(mod(t,1),0.1)"
        private static let tone = "0.5*sin(2*PI*1000*t)"
        /// Inside a gift of the lane `main`.
        private static let place = "64:64:16:16"

        private func room(_ scene: Scene) throws -> Room {
            let feed = try Clip.silent(in: scene)
            let room = try Room(
                scene, .init(feed: "file:\(feed)", destinations: [("file", "file:\(scene.file("seen.mkv"))")])
            )
            try room.event("feed.up", within: 15)
            Thread.sleep(forTimeInterval: 1)
            return room
        }

        @Test("comes with the picture, to 20 ms")
        func together() throws {
            let scene = try Scene()
            try Clip.flashingGift(105, sound: Self.beep, in: scene, named: "flash")
            let room = try room(scene)
            for _ in 0..<2 {
                let id = try room.send("flash")
                #expect(try room.ended(id)["outcome"] as? String == "finished")
                Thread.sleep(forTimeInterval: 0.7)
            }
            #expect(try room.metric("giftd_sounds_total", "finished") == 2)
            #expect(try room.metric("giftd_sound_late_total") == 0)
            room.expectStop()

            let recording = try Recording(scene.file("seen.mkv"))
            recording.expectClean()
            let flashes = try recording.onsets(Self.place, "YAVG", above: 180)
            let beeps = try recording.beeps()
            #expect(flashes.count == 8)
            let offsets = flashes.map { flash in beeps.map { $0 - flash }.min { abs($0) < abs($1) } ?? 9 }
            for (index, offset) in offsets.enumerated() {
                // The program's sound may be past a gift's first frame when that is painted. Then it joins in step.
                #expect((-0.02..<(index % 4 == 0 ? 0.1 : 0.02)).contains(offset), "\(offsets)")
            }
        }

        @Test("that is broken leaves its gift silent and whole")
        func broken() throws {
            let scene = try Scene()
            try Clip.flashingGift(30, sound: Self.tone, in: scene, named: "good")
            try damageSound(scene.file("gifts/good.mp4"), as: scene.file("gifts/broken.mp4"), in: scene)
            let room = try room(scene)
            let end = try room.ended(try room.send("broken"))
            #expect(end["outcome"] as? String == "finished", "\(end)")
            #expect(try room.metric("giftd_sounds_total", "failed") == 1)
            #expect(room.daemon.output.contains("sound was not whole"))
            room.expectStop()
            let recording = try Recording(scene.file("seen.mkv"))
            #expect(try recording.onsets(Self.place, "YAVG", above: 180).count == 1)
            #expect(try recording.loudness().values.allSatisfy { $0.level < -60 })
        }

        @Test("follows giftctl volume while it plays, and ends with its gift")
        func volume() throws {
            let scene = try Scene()
            try Clip.flashingGift(300, sound: Self.tone, in: scene, named: "tone")
            let room = try room(scene)
            func giftctl(_ line: String...) throws -> String {
                try Spawned.run("giftctl", ["--socket", room.socket] + line, in: scene.directory).output
            }
            let id = try room.send("tone")
            _ = try room.started(id)
            Thread.sleep(forTimeInterval: 1)
            #expect(try giftctl("volume", "0", "--lane", "main") == "main: volume 0\n")
            Thread.sleep(forTimeInterval: 1)
            #expect(try giftctl("volume", "2", "--lane", "main") == "main: volume 2\n")
            #expect(try giftctl("volume", "0.25", "--id", id).contains("shown"))
            Thread.sleep(forTimeInterval: 1)
            #expect(try giftctl("cancel", id).contains("cancelled"))
            _ = try room.ended(id)
            #expect(try giftctl("volume", "1", "--id", id).contains("alreadyEnded"))
            Thread.sleep(forTimeInterval: 0.5)
            #expect(try room.metric("giftd_sounds_total", "cut") == 1)
            room.expectStop()

            // A sine of 0.5 has -9 dB; times 0.7 and times 0.5 that is -12 and -15.
            let levels = try Recording(scene.file("seen.mkv")).loudness().values
            let runs = levels.split { $0.level < -60 }
            #expect(runs.count == 2, "\(runs.map { ($0.first?.time ?? 0, $0.count) })")
            for (run, level) in zip(runs, [-12.1, -15.05]) {
                let middle = run.dropFirst(10).dropLast(5)
                #expect(middle.count > 25 && middle.allSatisfy { abs($0.level - level) < 1 }, "\(middle)")
            }
        }

        /// Copies a gift file with noise instead of its coded sound.
        private func damageSound(_ path: String, as copy: String, in scene: Scene) throws {
            let (status, text) = try Spawned.run(
                "ffprobe",
                [
                    "-v", "error", "-select_streams", "a", "-show_entries", "packet=pos,size", "-of",
                    "csv=p=0",
                    path,
                ], in: scene.directory)
            guard status == 0 else { throw Trouble("ffprobe: \(text)") }
            var data = try Data(contentsOf: URL(fileURLWithPath: path))
            for line in text.split(separator: "\n") {
                let numbers = line.split(separator: ",").compactMap { Int($0) }
                for place in numbers[1]..<numbers[1] + numbers[0] {
                    data[place] = UInt8(truncatingIfNeeded: (place - numbers[1]) &* 151 | 0xE1)
                }
            }
            try data.write(to: URL(fileURLWithPath: copy))
        }
    }
}
