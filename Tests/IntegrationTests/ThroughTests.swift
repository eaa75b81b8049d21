import Foundation
import Testing

extension Integration {
    /// The whole way: a publisher, the room, viewers, and gifts in two lanes meanwhile.
    @Suite("A room")
    struct ThroughTests {
        @Test("takes RTMP in and out, and burns the gifts in", .nginx, .ffmpeg)
        func rtmp() throws {
            let scene = try Scene()
            let port = try Loopback.freePort()
            let nginx = try scene.nginx(port: port)
            let publisher = try scene.publisher("rtmp://127.0.0.1:\(port)/live/in")
            let room = try Room(
                scene,
                .init(
                    feed: "rtmp://127.0.0.1:\(port)/live/in",
                    destinations: [("cdn", "rtmp://127.0.0.1:\(port)/live/out")]))
            try room.destinationUp("cdn", within: 15)
            let viewer = try scene.viewer("rtmp://127.0.0.1:\(port)/live/out", to: "seen.flv")
            try gifts(in: room, scene, recording: "seen.flv")
            #expect(nginx.isRunning && publisher.isRunning && viewer.isRunning)
            viewer.stop(SIGINT)
            try judge(scene.file("seen.flv"), room)
        }

        @Test("takes SRT in and out, and burns the gifts in", .ffmpeg)
        func srt() throws {
            let scene = try Scene()
            let (feed, destination) = (try Loopback.freePort(SOCK_DGRAM), try Loopback.freePort(SOCK_DGRAM))
            let viewer = try scene.viewer("srt://127.0.0.1:\(destination)?mode=listener", to: "seen.ts")
            let room = try Room(
                scene,
                .init(
                    feed: "srt://127.0.0.1:\(feed)?mode=listener",
                    destinations: [("peer", "srt://127.0.0.1:\(destination)")]))
            let publisher = try scene.publisher("srt://127.0.0.1:\(feed)?mode=caller")
            try room.destinationUp("peer", within: 15)
            try gifts(in: room, scene, recording: "seen.ts")
            #expect(publisher.isRunning && viewer.isRunning)
            viewer.stop(SIGINT)
            try judge(scene.file("seen.ts"), room)
        }

        /// Once the feed is there, three gifts: two at a time, then one more.
        private func gifts(in room: Room, _ scene: Scene, recording name: String) throws {
            try Clip.gift(30, in: scene, named: "mark")
            try room.event("feed.up", within: 15)
            try scene.record(name, seconds: 1)
            let together = [try room.send("mark"), try room.send("mark", lane: "side")]
            for id in together { try expectFinished(id, in: room) }
            Thread.sleep(forTimeInterval: 0.5)
            try expectFinished(try room.send("mark"), in: room)
            Thread.sleep(forTimeInterval: 1.5)
        }

        private func expectFinished(_ id: String, in room: Room) throws {
            let latency = try room.started(id)["latency"] as? Double ?? .infinity
            #expect(latency < 0.25, "event to first frame")
            let end = try room.ended(id)
            #expect(end["outcome"] as? String == "finished", "\(end)")
            #expect(abs((end["shownSeconds"] as? Double ?? 0) - 1) < 0.1, "\(end)")
        }

        private func judge(_ path: String, _ room: Room) throws {
            let recording = try Recording(path)
            recording.expectClean()
            // While the feed sets in, sound that comes too late is silence, which may cut a beep short.
            let offsets = try recording.offsets().dropFirst(2)
            #expect(offsets.count >= 3)
            #expect(offsets.allSatisfy { abs($0) < 0.045 }, "\(offsets)")
            // Magenta has a high V, the clip's grey above and its test picture below do not in these places.
            let main = try recording.levels("64:64:16:16", "VAVG").runs(above: 200)
            #expect(main.count == 2)
            #expect(main.allSatisfy { (29...31).contains($0) }, "\(main)")
            #expect(try room.metric("giftd_gifts_total", "finished") == 3)
            #expect(try room.metric("giftd_feed_up") == 1)
            #expect(try room.metric("giftd_program_running") == 1)
            room.expectStop()
        }
    }
}
