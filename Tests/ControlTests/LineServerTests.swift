import Basics
import Foundation
import Testing

@testable import Control

/// Over real sockets in a temporary place.
@Suite("Line server", .timeLimit(.minutes(1)))
struct LineServerTests {
    /// Whether `condition` comes true within five seconds.
    private func eventually(_ condition: @escaping @Sendable @ControlPlane () -> Bool) async -> Bool {
        await TestLoop.run { await happens(condition) }
    }

    @Test("answers once to a request that comes byte by byte")
    func byteByByte() async throws {
        try await withDoor { door in
            let client = try RawClient(door.path)
            for byte in Array((call("echo", #"{"text":"é"}"#) + "\n").utf8) { client.send([byte]) }
            #expect(try client.reply().result?.text == "é")
            #expect(try client.ask(call("echo", #"{"text":"b"}"#)).result?.text == "b")
        }
    }

    @Test("answers three requests of one write in order, the slow one first")
    func threeInOne() async throws {
        try await withDoor { door in
            let client = try RawClient(door.path)
            client.send(
                call("echo", #"{"seconds":0.02}"#, id: "1") + "\n" + call("echo", id: "2")
                    + "\r\n\n \n\u{FEFF}"
                    + call("echo", id: "3") + "\n" + call("echo", id: "4") + call("echo", id: "5") + "\n")
            #expect(try (0..<3).map { _ in try client.reply().id } == [.number(1), .number(2), .number(3)])
            #expect(try client.reply().error?.kind == .parseError)
        }
    }

    @Test("answers lines that end at the edge of any buffer", arguments: [4096, 8192, 16_384, 65_536])
    func edges(size: Int) async throws {
        try await withDoor { door in
            let client = try RawClient(door.path)
            let frame = call("echo", #"{"text":""}"#).utf8.count + 1
            for length in [size - 1, size, size + 1] {
                let text = String(repeating: "a", count: length - frame)
                #expect(try client.ask(call("echo", #"{"text":"\#(text)"}"#)).result?.text == text)
            }
        }
    }

    @Test("refuses bytes that are no UTF-8 and a NUL, and goes on")
    func notText() async throws {
        try await withDoor { door in
            let client = try RawClient(door.path)
            client.send(Array(#"{"name":""#.utf8) + [0xFF, 0xC0, 0x80] + Array("\"}\n".utf8))
            #expect(try client.reply().error?.kind == .parseError)
            client.send([0, 10])
            #expect(try client.reply().error?.kind == .parseError)
            #expect(try client.ask(call("echo")).error == nil)
        }
    }

    @Test("answers a line of 16 MB with tooLong and closes, and serves the others meanwhile")
    func longLine() async throws {
        try await withDoor { door in
            let (client, other) = (try RawClient(door.path), try RawClient(door.path))
            let sent = client.send([UInt8](repeating: 120, count: 1 << 24))
            #expect(sent < 1 << 21)
            #expect(try client.reply().error?.kind == .tooLong)
            #expect(client.line() == nil)
            #expect(try other.ask(call("echo")).error == nil)
        }
    }

    @Test("lives through clients that leave before their answer, and plays their gifts")
    func leavesEarly() async throws {
        try await withDoor { door in
            for number in 0..<100 {
                let client = try RawClient(door.path)
                if number % 2 == 0 {
                    var linger = linger(l_onoff: 1, l_linger: 0)
                    setsockopt(
                        client.descriptor, SOL_SOCKET, SO_LINGER, &linger,
                        socklen_t(MemoryLayout.size(ofValue: linger)))
                }
                client.send(call("gift.send", #"{"gift":"a","id":"\#(number)"}"#) + "\n")
            }
            #expect(await eventually { door.gifts.count == 100 && door.server.clientCount == 0 })
        }
    }

    @Test("a half-closed client gets its answers, also without a last line end")
    func halfClosed() async throws {
        try await withDoor { door in
            let client = try RawClient(door.path)
            client.send(call("echo", #"{"seconds":0.02}"#, id: "1") + "\n" + call("echo", id: "2"))
            client.endSending()
            let answers = client.everything().split(separator: "\n")
            #expect(try answers.map { try Reply(String($0)).id } == [.number(1), .number(2)])
        }
    }

    @Test("refuses by name what a flood brings beyond the limit, and serves another client meanwhile")
    func flood() async throws {
        var limits = LineLimits()
        (limits.rate, limits.burst) = (10, 50)
        try await withDoor(limits) { door in
            let (flooder, other) = (try RawClient(door.path), try RawClient(door.path))
            let writer = Worker(name: "flood")
            let requests = String(repeating: call("echo") + "\n", count: 500)
            let descriptor = dup(flooder.descriptor)
            writer.run {
                var rest = Array(requests.utf8)[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                    if count <= 0 { break }
                    rest = rest.dropFirst(count)
                }
                close(descriptor)
            }
            let start = Monotonic.now()
            #expect(try other.ask(call("echo")).error == nil)
            #expect(Monotonic.now() - start < 5 * .second)
            let replies = try (0..<500).map { _ in try flooder.reply() }
            writer.stop()
            let refused = replies.filter { $0.error?.kind == .rateLimited && $0.id == .number(1) }
            #expect(refused.count >= 300)
            #expect(replies.filter { $0.error == nil }.count + refused.count == 500)
            let text = await TestLoop.run { door.metrics.exposition() }
            #expect(text.contains(#"giftd_control_refused_total{reason="rateLimited"} \#(refused.count)"#))
        }
    }

    @Test("sends whole an answer that is larger than any buffer")
    func largeAnswer() async throws {
        try await withDoor { door in
            let client = try RawClient(door.path)
            client.send(call("echo", #"{"size":5000000}"#) + "\n" + call("echo", id: "2") + "\n")
            try await Task.sleep(for: .milliseconds(20))
            #expect(try client.reply().result?.text?.utf8.count == 5_000_000)
            #expect(try client.reply().id == .number(2))
        }
    }

    @Test("stops reading from a client that fetches nothing, then drops it by time")
    func neverReads() async throws {
        var limits = LineLimits()
        limits.patience = .second
        try await withDoor(limits) { door in
            let client = try RawClient(door.path)
            for number in 0..<40 { client.send(call("echo", #"{"size":20000}"#, id: "\(number)") + "\n") }
            try await Task.sleep(for: .milliseconds(100))
            let calls = await TestLoop.run { door.calls }
            #expect(calls < 40)
            #expect(await eventually { door.server.clientCount == 0 })
            let text = await TestLoop.run { door.metrics.exposition() }
            #expect(text.contains("giftd_control_clients_dropped_total 1"))
        }
    }

    @Test("turns away by name whoever is one too many, and lets in when one leaves")
    func tooMany() async throws {
        var limits = LineLimits()
        limits.clients = 2
        try await withDoor(limits) { door in
            let first = try RawClient(door.path)
            var second: RawClient? = try RawClient(door.path)
            _ = try first.ask(call("echo"))
            _ = try second?.ask(call("echo"))
            let third = try RawClient(door.path)
            #expect(try third.reply().error?.kind == .tooManyClients)
            #expect(third.line() == nil)
            second = nil
            #expect(await eventually { door.server.clientCount == 1 })
            #expect(try RawClient(door.path).ask(call("echo")).error == nil)
        }
    }

    @Test("stop serves what has been asked, and leaves no file")
    func stops() async throws {
        let door = try await TestLoop.run { Result { try Door.opened() } }.get()
        let client = try RawClient(door.path)
        client.send(call("echo", #"{"seconds":0.05,"text":"late"}"#) + "\n")
        #expect(await eventually { door.calls == 1 })
        await TestLoop.run { await door.server.stop() }
        #expect(try client.reply().result?.text == "late")
        #expect(client.line() == nil)
        #expect(!FileManager.default.fileExists(atPath: door.path))
        #expect(throws: ControlError.self) { try RawClient(door.path) }
    }

    @Test("stop waits no longer than its grace")
    func grace() async throws {
        let door = try await TestLoop.run { Result { try Door.opened() } }.get()
        let client = try RawClient(door.path)
        client.send(call("hold") + "\n")
        // In one go on the loop, so that busy threads of other tests do not count.
        let (began, took) = await TestLoop.run {
            let began = await happens { door.calls == 1 }
            let start = Monotonic.now()
            await door.server.stop(grace: 50 * .millisecond)
            door.isHolding = false
            return (began, Monotonic.now() - start)
        }
        #expect(began)
        #expect(took < 10 * .second)
        #expect(client.line() == nil)
    }
}

/// Waits on the control plane until `condition` comes true, at most five seconds.
@ControlPlane private func happens(_ condition: @Sendable @ControlPlane () -> Bool) async -> Bool {
    for _ in 0..<2500 where !condition() { await ControlPlane.sleep(for: 2 * .millisecond) }
    return condition()
}
