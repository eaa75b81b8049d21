import Basics
import Control
import Foundation
import Testing

@testable import giftctl

@Suite("giftctl and a room", .timeLimit(.minutes(1)))
struct RoomCommandsTests {
    @Test("sends a gift with everything that is said about it")
    func send() async throws {
        let sent = try await FakeRoom.with { path in
            let plain = Call("send", "rabbit", "--socket", path)
            #expect(plain.status == .done && plain.complaints.isEmpty)
            #expect(plain.output == "g1: waiting in main behind 2, about 12.5 s\n")
            let full = Call(
                "--socket", path, "send", "rocket", "--id", "a", "--lane=side", "--ttl", "30", "--blend",
                "ios", "--volume", "0.5",
                "--fit", "cover", "--anchor", "top", "--size", "0.5", "--offset", "-5%,20", "--json")
            #expect(full.status == .done)
            let json = #"{"eta":12.5,"id":"a","lane":"side","position":2,"state":"waiting"}"#
            #expect(full.output == json + "\n")
        }
        #expect(sent.first == GiftSend(gift: "rabbit"))
        let place = PlaceParams(
            fit: "cover", anchor: "top", offset: .init(x: .text("-5%"), y: .number(20)), size: .number(0.5))
        let second = try #require(sent.last)
        #expect(
            second
                == GiftSend(
                    gift: "rocket", id: "a", lane: "side", place: place, blend: "ios", ttl: 30, volume: 0.5))
    }

    @Test("sets the volume of a lane, of all lanes and of one gift")
    func volume() async throws {
        _ = try await FakeRoom.with { path in
            #expect(
                Call("volume", "0.5", "--lane", "side", "--socket", path).output
                    == "side: volume 0.5, host 6 dB quieter\n")
            #expect(
                Call("volume", "0", "--socket", path).output
                    == "main: volume 0\nside: volume 0, host 6 dB quieter\n")
            #expect(Call("volume", "2", "--id", "g7", "--socket", path).output == "g7: shown in main\n")
            for line in [["3"], ["loud"], ["-1"], ["1", "--id", "a", "--lane", "b"]] {
                #expect(Call(["volume"] + line + ["--socket", path]).status == .wrongUsage, "\(line)")
            }
        }
    }

    @Test("waits for the end of its own gift")
    func wait() async throws {
        let story: [any Event] = [
            GiftAccepted(id: "g1", gift: "rabbit", lane: "main", position: 0),
            GiftEnded(id: "other", gift: "rocket", lane: "main", outcome: "finished"),
            GiftStarted(id: "g1", gift: "rabbit", lane: "main", pts: 1, latency: 0.0421),
            GiftEnded(
                id: "g1", gift: "rabbit", lane: "main", outcome: "finished", shownSeconds: 2.5,
                picturesLate: 3),
        ]
        _ = try await FakeRoom.with(story: story) { path in
            let call = Call("send", "rabbit", "--wait", "--socket", path)
            #expect(call.status == .done)
            #expect(
                call.output == """
                    g1: waiting in main behind 2, about 12.5 s
                    g1: rabbit accepted in main
                    g1: rabbit on screen after 0.042 s
                    g1: rabbit finished after 2.5 s on screen, 3 pictures late

                    """)
            #expect(Call("send", "rabbit", "--id", "old", "--wait", "--socket", path).status == .done)
        }
    }

    @Test("ends with 1 when the gift was not shown to its end")
    func notShown() async throws {
        let end = GiftEnded(
            id: "g1", gift: "rabbit", lane: "main", outcome: "failed", reason: "notMP4: it is empty")
        _ = try await FakeRoom.with(story: [end]) { path in
            let call = Call("send", "rabbit", "--wait", "--json", "--socket", path)
            #expect(call.status == .refused)
            #expect(call.output.split(separator: "\n").last?.contains(#""method":"gift.ended""#) == true)
            #expect(call.complaints == "giftctl: g1 was not shown to its end: failed, notMP4: it is empty\n")
        }
        _ = try await FakeRoom.with(closes: true) { path in
            let call = Call("send", "rabbit", "--wait", "--socket", path)
            #expect(call.status == .refused)
            #expect(call.complaints == "giftctl: giftd closed the connection before g1 had ended\n")
        }
    }

    @Test("passes a refusal on")
    func refused() async throws {
        _ = try await FakeRoom.with { path in
            let call = Call("send", "unicorn", "--socket", path)
            #expect(call.status == .refused && call.output.isEmpty)
            #expect(call.complaints == "giftctl: unknownGift: there is no gift \"unicorn\"\n")
            let anchored = Call("send", "rabbit", "--offset", "5", "--socket", path)
            #expect(anchored.status == .wrongUsage && anchored.complaints.contains("--offset wants X,Y"))
        }
    }

    @Test("cancels, lists and shows the status")
    func lists() async throws {
        _ = try await FakeRoom.with { path in
            #expect(Call("cancel", "g7", "--socket", path).output == "g7: cancelled in main\n")
            #expect(Call("skip", "g8", "--socket", path).output == "g8: skipped in main\n")
            #expect(
                Call("list", "--socket", path).output == """
                    id  gift    lane  state    waited  shown  remarks
                    g1  rabbit  main  shown    0 s     1.5 s
                    g2  rocket  side  waiting                 in about 3 s
                    and 5 more

                    """)
            #expect(Call("list", "--lane", "side", "--socket", path).output.contains("g1") == false)
            #expect(
                Call("list", "--animations", "--socket", path).output == """
                    gift    size      fps  length  codec  remarks
                    rabbit  672x1504  20   2.5 s   h264   with sound
                    broken                                invalidVideo: notMP4: it is empty

                    """)
            #expect(Call("list", "--animations", "--lane", "a", "--socket", path).status == .wrongUsage)
            #expect(
                Call("status", "--socket", path).output == """
                    room     demo, giftd 1.2.3, up 1 h 5 min
                    feed     up, rtmp://h/live/***, 1 reconnect
                    program  running, 1080x1920 at 30 fps, 117000 frames, 2 dropped
                    gifts    1 on screen, 3 waiting; 1 cancelled, 12 finished

                    lane  on screen  waiting
                    main  1 of 1     3

                    destination  sent    reconnects  address             state
                    cdn          1.2 MB  4           rtmp://cdn/app/***  down (refused)

                    """)
        }
    }

    @Test("answers programs in JSON")
    func json() async throws {
        _ = try await FakeRoom.with { path in
            for line in [["status"], ["list"], ["list", "--animations"], ["cancel", "g1"]] {
                let output = Call(line + ["--json", "--socket", path]).output
                #expect(output.split(separator: "\n").count == 1 && output.hasPrefix("{"))
                #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(output.utf8)) }
            }
        }
    }

    @Test("finds the only room, and says what to do about none and several")
    func rooms() throws {
        try withDirectory { directory in
            var rooms = Rooms(environment: ["XDG_RUNTIME_DIR": directory], system: "\(directory)/none")
            let none = #expect(throws: Refusal.self) { try rooms.socket(nil) }
            #expect(none?.description.contains("name its socket with --socket PATH") == true)
            for name in ["a", "b"] {
                try FileManager.default.createDirectory(
                    atPath: "\(directory)/giftd/\(name)", withIntermediateDirectories: true)
            }
            try Data().write(to: URL(fileURLWithPath: "\(directory)/giftd/a/control.sock"))
            #expect(try rooms.socket(nil) == "\(directory)/giftd/a/control.sock")
            try Data().write(to: URL(fileURLWithPath: "\(directory)/giftd/b/control.sock"))
            let several = #expect(throws: Refusal.self) { try rooms.socket(nil) }
            #expect(several?.description.contains("a/control.sock \(directory)/giftd/b/control.sock") == true)
            rooms.environment["GIFTD_SOCKET"] = "/there"
            #expect(try rooms.socket(nil) == "/there")
            #expect(try rooms.socket("/here") == "/here")
        }
    }

    @Test("says who is not there")
    func unreachable() {
        let call = Call("status", "--socket", "/tmp/no-giftd-here.sock")
        #expect(call.status == .refused && call.output.isEmpty)
        #expect(call.complaints.hasPrefix("giftctl: /tmp/no-giftd-here.sock: cannot connect"))
    }
}
