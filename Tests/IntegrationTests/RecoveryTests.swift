import Foundation
import Testing

extension Integration {
    /// Whatever dies comes back by itself, and who watches elsewhere notices nothing.
    @Suite("What is killed")
    struct RecoveryTests {
        @Test("publisher and feed server: the program runs on, the feed comes back", .nginx, .ffmpeg)
        func feed() throws {
            let scene = try Scene()
            let (port, out) = (try Loopback.freePort(), try Loopback.freePort(SOCK_DGRAM))
            var nginx: Spawned? = try scene.nginx(port: port)
            let uri = "rtmp://127.0.0.1:\(port)/live/in"
            var publisher: Spawned? = try scene.publisher(uri)
            let viewer = try scene.viewer("srt://127.0.0.1:\(out)?mode=listener", to: "seen.ts")
            let room = try Room(scene, .init(feed: uri, destinations: [("peer", "srt://127.0.0.1:\(out)")]))
            try room.event("feed.up", within: 15)
            try scene.record("seen.ts", seconds: 2)

            publisher?.stop(SIGKILL)
            try room.event("feed.down", within: 10)
            Thread.sleep(forTimeInterval: 1)
            publisher = try scene.publisher(uri)
            try room.event("feed.up", within: 20)
            Thread.sleep(forTimeInterval: 2)

            nginx?.stop(SIGKILL)
            publisher?.stop(SIGKILL)
            try room.event("feed.down", within: 10)
            nginx = try scene.nginx(port: port)
            publisher = try scene.publisher(uri)
            try room.event("feed.up", within: 20)
            Thread.sleep(forTimeInterval: 3)

            #expect(viewer.isRunning)
            viewer.stop(SIGINT)
            let recording = try Recording(scene.file("seen.ts"))
            recording.expectClean(widest: 0.1)
            // A flash or beep that the deaths cut has no partner; those after the last return have.
            let offsets = try recording.offsets().suffix(2)
            #expect(offsets.count == 2 && offsets.allSatisfy { abs($0) < 0.045 }, "\(offsets)")
            #expect(try room.metric("giftd_feed_reconnects_total") >= 2)
            room.expectStop()
            withExtendedLifetime((nginx, publisher)) {}
        }

        @Test(
            "a destination's server: it is published to again, the other viewer sees no seam", .nginx, .ffmpeg
        )
        func destinations() throws {
            let scene = try Scene()
            let (rtmp, srt) = (try Loopback.freePort(), try Loopback.freePort(SOCK_DGRAM))
            let published = "rtmp://127.0.0.1:\(rtmp)/live/out"
            let listening = "srt://127.0.0.1:\(srt)?mode=listener"
            var nginx: Spawned? = try scene.nginx(port: rtmp)
            let first = try scene.viewer(listening, to: "first.ts")
            let room = try Room(
                scene, .init(destinations: [("cdn", published), ("peer", "srt://127.0.0.1:\(srt)")]))
            try room.destinationUp("cdn", within: 15)
            try room.destinationUp("peer", within: 15)
            try scene.record("first.ts", seconds: 2)

            nginx?.stop(SIGKILL)
            try room.destinationDown("cdn", within: 10)
            nginx = try scene.nginx(port: rtmp)
            try room.destinationUp("cdn", within: 20)
            #expect(first.isRunning)
            let second = try scene.viewer(published, to: "second.flv")
            try scene.record("second.flv", seconds: 3)

            first.stop(SIGKILL)
            try room.destinationDown("peer", within: 15)
            let third = try scene.viewer(listening, to: "third.ts")
            try room.destinationUp("peer", within: 20)
            try scene.record("third.ts", seconds: 3)
            #expect(second.isRunning && third.isRunning)
            for viewer in [second, third] { viewer.stop(SIGINT) }
            for name in ["first.ts", "second.flv", "third.ts"] {
                let recording = try Recording(scene.file(name))
                recording.expectClean()
                #expect(recording.duration > 2, "\(name)")
            }
            #expect(try room.metric("giftd_destination_reconnects_total", "cdn") >= 1)
            #expect(try room.metric("giftd_destination_reconnects_total", "peer") >= 1)
            room.expectStop()
            withExtendedLifetime(nginx) {}
        }
    }
}
