import Foundation
import Testing

extension Integration {
    @Suite("Gift files")
    struct GiftFileTests {
        @Test("that are broken are refused by name within a second, and the room goes on", .ffmpeg)
        func broken() throws {
            let scene = try Scene()
            try Clip.gift(30, in: scene, named: "good")
            let good = try Data(contentsOf: URL(fileURLWithPath: scene.file("gifts/good.mp4")))
            func put(_ data: Data, _ name: String) throws {
                try data.write(to: URL(fileURLWithPath: scene.file("gifts/\(name).mp4")))
            }
            try put(good.prefix(good.count / 2), "cut")
            try put(Data("not a video, but a sentence".utf8), "text")
            try put(Data(), "empty")
            try put(try Data(contentsOf: URL(fileURLWithPath: try Clip.path())), "plain")
            #expect(mkfifo(scene.file("gifts/pipe.mp4"), 0o600) == 0)

            let room = try Room(scene, .init())
            for name in ["cut", "text", "empty", "plain", "pipe", "missing", "../good"] {
                let begun = Date()
                let words = try refusal(name, in: room)
                #expect(words != nil, "\(name) is not played")
                #expect(Date().timeIntervalSince(begun) < 1, "\(name): \(words ?? "")")
            }
            let frames = try room.metric("giftd_frames_total", "\"encoded\"")
            let id = try room.send("good")
            #expect(try room.ended(id)["outcome"] as? String == "finished")
            #expect(try room.metric("giftd_frames_total", "\"encoded\"") - frames > 25)
            #expect(try room.get("/healthz").status == 200)
            room.expectStop()
        }

        /// Why a gift was refused, or failed later. Nil when it played.
        private func refusal(_ gift: String, in room: Room) throws -> String? {
            let (result, error) = try room.control.call("gift.send", ["gift": gift, "lane": "main"])
            if let error {
                let kind = (error["data"] as? ControlLine.Object)?["kind"] as? String
                return kind.map { "\($0): \(error["message"] ?? "")" }
            }
            let end = try room.ended(try #require(result?["id"] as? String), within: 5)
            return end["outcome"] as? String == "failed" ? end["reason"] as? String : nil
        }
    }
}
