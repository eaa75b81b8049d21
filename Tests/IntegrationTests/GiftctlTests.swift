import Foundation
import Testing

extension Integration {
    @Suite("giftctl", .ffmpeg)
    struct GiftctlTests {
        @Test("sends, lists, cancels and shows the state of a room")
        func room() throws {
            let scene = try Scene()
            try Clip.gift(20, in: scene, named: "mark")
            try Clip.gift(600, in: scene, named: "long")
            let room = try Room(scene, .init())
            func giftctl(_ arguments: String...) throws -> (status: Int32, output: String) {
                try Spawned.run("giftctl", ["--socket", room.socket] + arguments, in: scene.directory)
            }
            #expect(try giftctl("send", "mark", "--wait").status == 0)
            let (status, output) = try giftctl("send", "nothing")
            #expect(status == 1)
            #expect(output.contains("nothing") && output.split(separator: "\n").count == 1, "\(output)")

            let id = try room.send("long")
            _ = try room.started(id)
            #expect(try giftctl("list").output.contains(id))
            #expect(try giftctl("cancel", id).status == 0)
            #expect(try room.ended(id)["outcome"] as? String == "cancelled")
            #expect(try giftctl("cancel", "no-such-gift").status == 1)

            let (first, second) = (try room.send("long"), try room.send("mark"))
            _ = try room.started(first)
            #expect(try giftctl("skip", first).output == "\(first): skipped in main\n")
            #expect(try room.ended(first)["outcome"] as? String == "skipped")
            #expect(try room.ended(second)["outcome"] as? String == "finished")
            let state = try giftctl("status")
            #expect(state.status == 0 && state.output.contains("test"), "\(state.output)")
            room.expectStop()
            #expect(try giftctl("status").status == 1)
        }

        @Test("watches what happens")
        func watch() throws {
            let scene = try Scene()
            try Clip.gift(20, in: scene, named: "mark")
            let room = try Room(scene, .init())
            let watcher = try Spawned("giftctl", ["--socket", room.socket, "watch"], in: scene.directory)
            Thread.sleep(forTimeInterval: 0.5)
            let id = try room.send("mark")
            _ = try room.ended(id)
            try eventually(within: 2, "the end of the gift in: \(watcher.output)") {
                watcher.output.contains(id) && watcher.output.contains("finished") ? true : nil
            }
            room.expectStop()
        }

        @Test("looks into gift files")
        func inspect() throws {
            let scene = try Scene()
            try Clip.gift(20, in: scene, named: "mark")
            let (status, output) = try Spawned.run(
                "giftctl", ["inspect", "gifts/mark.mp4"], in: scene.directory)
            #expect(status == 0 && output.contains("96"), "\(output)")
            let json = try Spawned.run(
                "giftctl", ["inspect", "gifts/mark.mp4", "--json"], in: scene.directory)
            #expect(json.status == 0)
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(json.output.utf8)) }
            #expect(try Spawned.run("giftctl", ["inspect", "none.mp4"], in: scene.directory).status == 1)
        }

        @Test(
            "answers wrong usage with 2",
            arguments: [["nonsense"], ["send"], ["send", "a", "--ttl", "x"], ["pack", "a"]])
        func usage(line: [String]) throws {
            let scene = try Scene()
            let (status, output) = try Spawned.run("giftctl", line, in: scene.directory)
            #expect(status == 2 && output.split(separator: "\n").count == 1, "\(output)")
        }
    }
}
