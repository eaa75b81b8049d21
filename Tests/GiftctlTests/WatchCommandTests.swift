import Basics
import Control
import Foundation
import Testing

@testable import giftctl

@Suite("giftctl watch", .timeLimit(.minutes(1)))
struct WatchCommandTests {
    private static let story: [any Event] = [
        FeedDown(reason: "no frames for 2 s"), FeedUp(),
        DestinationDown(destination: "cdn", reason: "refused"),
        DestinationUp(destination: "cdn"),
        GiftStarted(id: "g1", gift: "rabbit", lane: "main", pts: 1, latency: 0.05),
    ]

    @Test("writes what happens with the time of day, until giftd closes")
    func words() async throws {
        try await FakeRoom.withStory(Self.story) { path in
            let call = Call("watch", "--socket", path)
            #expect(call.status == .refused && call.complaints == "giftctl: giftd closed the connection\n")
            let lines = call.output.split(separator: "\n")
            #expect(lines.allSatisfy { $0.prefixMatch(of: /[0-9]+:[0-9]+:[0-9]+\ /) != nil })
            #expect(
                lines.map { $0.dropFirst(9) } == [
                    "feed is down: no frames for 2 s", "feed is up", "cdn is down: refused", "cdn is up",
                    "g1: rabbit on screen after 0.05 s",
                ])
        }
    }

    @Test("writes the notifications of the chosen events as they come")
    func json() async throws {
        try await FakeRoom.withStory(Self.story) { path in
            let call = Call("watch", "--events", "feed.*,gift.started", "--json", "--socket", path)
            let lines = call.output.split(separator: "\n")
            #expect(lines.count == 3 && lines.last?.contains(#""latency":0.05"#) == true)
            #expect(
                lines.first
                    == #"{"jsonrpc":"2.0","method":"feed.down","params":{"reason":"no frames for 2 s"}}"#)
        }
    }

    @Test("says which events there are")
    func unknown() async throws {
        _ = try await FakeRoom.with { path in
            let call = Call("watch", "--events", "gift.strated", "--socket", path)
            #expect(call.status == .refused && call.complaints.contains("gift.started"))
        }
    }

    @Test("needs names when it is told to choose")
    func usage() {
        #expect(Call("watch", "--events", ",").status == .wrongUsage)
    }
}
