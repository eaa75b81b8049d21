import Basics
import Foundation
import Testing

@testable import Control

@Suite("Control client", .timeLimit(.minutes(1)))
struct ControlClientTests {
    @Test("calls, and decodes the answer")
    func calls() async throws {
        try await withDoor { door in
            let client = try ControlClient(path: door.path)
            let answer: GiftAnswer = try client.call(
                "gift.send", GiftSend(gift: "rabbit", id: "a", lane: "side"))
            #expect(answer == GiftAnswer(id: "a", state: .waiting, lane: "side", position: 0))
            #expect(try client.call("echo", Echo(text: "b"), as: Echo.self) == Echo(text: "b"))
            let large = try client.call("echo", Echo(size: 2_000_000), as: Echo.self)
            #expect(large.text?.utf8.count == 2_000_000)
        }
    }

    @Test("throws what giftd refuses, with its kind")
    func refused() async throws {
        try await withDoor { door in
            let client = try ControlClient(path: door.path)
            let error = try #require(throws: RPCError.self) {
                try client.call("lane.list", as: LaneList.self)
            }
            #expect(error.kind == .unknownMethod)
            #expect(throws: RPCError.self) {
                try client.call("gift.send", GiftSend(gift: ""), as: GiftAnswer.self)
            }
        }
    }

    @Test("keeps the events that come before an answer, and waits for more")
    func events() async throws {
        try await withDoor { door in
            let client = try ControlClient(path: door.path)
            let subscribed = try client.call("events.subscribe", EventsSubscribe(), as: Subscribed.self)
            #expect(subscribed.events.count == Events.names.count)
            _ = try client.call("publish", Echo(text: "rabbit", size: 2), as: Echo.self)
            let messages = try (0..<2).compactMap { _ in try client.nextMessage(timeout: .second) }
            #expect(messages.map(\.name) == ["gift.started", "gift.started"])
            #expect(try messages[1].event(GiftStarted.self).id == "1")
            #expect(throws: ControlError.self) { try messages[0].event(GiftEnded.self) }
            #expect(throws: ControlError.self) { try client.nextMessage(timeout: 10 * .millisecond) }
        }
    }

    @Test("tells the end of the stream from silence")
    func ends() async throws {
        let door = try await TestLoop.run { Result { try Door.opened() } }.get()
        let client = try ControlClient(path: door.path)
        _ = try client.call("events.subscribe", EventsSubscribe(), as: Subscribed.self)
        await TestLoop.run { await door.server.stop() }
        #expect(try client.nextMessage(timeout: .second) == nil)
        #expect(throws: ControlError.self) { try client.call("echo", as: Echo.self) }
        let error = try #require(throws: ControlError.self) { try ControlClient(path: door.path) }
        #expect(error.description.contains("is giftd running?"))
    }

    @Test("gives up on a giftd that does not answer")
    func silence() throws {
        let path = Door.newPath()
        let descriptor = try UnixSocket.listen(path)
        defer {
            close(descriptor)
            unlink(path)
        }
        let client = try ControlClient(path: path, timeout: .second)
        let error = try #require(throws: ControlError.self) { try client.call("echo", as: Echo.self) }
        #expect(error.description.contains("did not answer in time"))
    }

    @Test("says so when something else than giftd answers")
    func stranger() throws {
        let path = Door.newPath()
        let descriptor = try UnixSocket.listen(path)
        defer { unlink(path) }
        let stranger = Worker(name: "stranger")
        _ = fcntl(descriptor, F_SETFL, 0)
        stranger.run {
            let client = accept(descriptor, nil, nil)
            _ = write(client, "220 mail\n", 9)
            close(client)
            close(descriptor)
        }
        let client = try ControlClient(path: path)
        let error = try #require(throws: ControlError.self) { try client.call("echo", as: Echo.self) }
        #expect(error.description.contains("this is not giftd"))
        stranger.stop()
    }
}
