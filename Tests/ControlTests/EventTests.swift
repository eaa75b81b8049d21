import Basics
import Foundation
import Testing

@testable import Control

@Suite("Events", .timeLimit(.minutes(1)))
struct EventTests {
    @Test("come after the answer that subscribes, in order, to who asked for them")
    func order() async throws {
        try await withDoor { door in
            let (client, other) = (try RawClient(door.path), try RawClient(door.path))
            client.send(
                call("events.subscribe", #"{"events":["gift.*"]}"#) + "\n"
                    + call("publish", #"{"size":3}"#, id: "2") + "\n")
            #expect(try client.reply().result?.events == ["gift.accepted", "gift.ended", "gift.started"])
            let messages = try (0..<3).map { _ in try client.reply() }
            #expect(messages.map(\.method) == ["gift.started", "gift.started", "gift.started"])
            #expect(messages.allSatisfy { $0.id == nil })
            #expect(
                messages[2].text.contains(
                    #""params":{"gift":"","id":"2","lane":"main","latency":0.04,"pts":1}"#))
            #expect(try client.reply().id == .number(2))
            #expect(try other.ask(call("echo", #"{"text":"mine"}"#)).result?.text == "mine")
        }
    }

    @Test("are filtered, and a second subscription replaces the first")
    func filtered() async throws {
        try await withDoor { door in
            let client = try RawClient(door.path)
            _ = try client.ask(call("events.subscribe", #"{"events":["feed.up"]}"#))
            #expect(try client.ask(call("publish", id: "2")).id == .number(2))
            _ = try client.ask(call("events.subscribe"))
            client.send(call("publish", id: "3") + "\n")
            #expect(try client.reply().method == "gift.started")
            #expect(try client.reply().id == .number(3))
            #expect(
                try client.ask(call("events.subscribe", #"{"events":["x"]}"#)).error?.kind == .invalidParams)
        }
    }

    @Test("that are not fetched drop the subscriber, and nobody else")
    func slowSubscriber() async throws {
        var limits = LineLimits()
        limits.owedToSubscriber = 150_000
        try await withDoor(limits) { door in
            let (slow, quick) = (try RawClient(door.path), try RawClient(door.path))
            _ = try slow.ask(call("events.subscribe"))
            let name = String(repeating: "x", count: 50_000)
            for _ in 0..<12 { #expect(try quick.ask(call("publish", #"{"text":"\#(name)"}"#)).error == nil) }
            #expect(await TestLoop.run { door.server.clientCount } == 1)
            #expect(await TestLoop.run { door.hub.subscriberCount } == 0)
            #expect(slow.everything().utf8.count < 550_000)
        }
    }

    @Test("a subscriber that leaves is forgotten")
    func leaves() async throws {
        try await withDoor { door in
            var client: RawClient? = try RawClient(door.path)
            _ = try client?.ask(call("events.subscribe"))
            #expect(await TestLoop.run { door.hub.subscriberCount } == 1)
            client = nil
            for _ in 0..<1000 where await TestLoop.run({ door.server.clientCount }) > 0 {
                try await Task.sleep(for: .milliseconds(2))
            }
            #expect(await TestLoop.run { door.hub.subscriberCount } == 0)
        }
    }
}
