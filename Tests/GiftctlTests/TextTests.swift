import Control
import Testing

@testable import giftctl

@Suite("giftctl's words")
struct TextTests {
    private func room(_ change: (inout RoomStatus) -> Void) -> [Substring] {
        var room = RoomStatus(
            room: "demo", version: "1", uptime: 1, feed: .init(uri: "test:", isUp: true),
            program: .init(width: 16, height: 16, fps: 29.97, isRunning: true), destinations: [],
            gifts: .init(waiting: 0, playing: 0))
        change(&room)
        return StatusCommand.text(room, []).split(separator: "\n")
    }

    @Test("tell a room with nothing in it")
    func emptyRoom() {
        let lines = room { _ in }
        #expect(lines.contains("program  running, 16x16 at 29.97 fps, 0 frames, 0 dropped"))
        #expect(lines.contains("gifts    0 on screen, 0 waiting") && lines.last == "no destinations")
    }

    @Test("tell what is down and why")
    func troubles() {
        let lines = room { room in
            room.feed = .init(uri: "srt://h:1", isUp: false, reason: "nothing came for 5 s", reconnects: 2)
            room.program.isRunning = false
            room.destinations = [.init(name: "cdn", uri: "rtmp://h/a/***", isUp: false)]
        }
        #expect(lines.contains("feed     down (nothing came for 5 s), srt://h:1, 2 reconnects"))
        #expect(lines.contains { $0.hasPrefix("program  not running") })
        #expect(lines.last == "cdn          0 B   0           rtmp://h/a/***  down")
    }

    @Test("tell that lists are empty")
    func emptyLists() {
        #expect(ListCommand.text(GiftList(gifts: [], total: 0)) == "no gifts")
        #expect(ListCommand.text(AnimationList(animations: [])) == "no animations")
    }

    @Test("tell a gift's place in its lane")
    func answers() {
        func line(_ state: GiftState, _ position: Int, eta: Double? = nil, outcome: String? = nil) -> String {
            SendCommand.line(
                GiftAnswer(id: "a", state: state, lane: "l", position: position, eta: eta, outcome: outcome))
        }
        #expect(line(.waiting, 0) == "a: waiting in l")
        #expect(line(.waiting, 3, eta: 90) == "a: waiting in l behind 3, about 1 min 30 s")
        #expect(line(.loading, 1, eta: 0) == "a: loading in l")
        #expect(line(.ended, 0, eta: 5, outcome: "expired") == "a: expired in l")
    }
}
