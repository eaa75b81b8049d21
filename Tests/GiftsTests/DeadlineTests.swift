import Testing

@testable import Gifts

@Suite("Gift queue: time")
struct DeadlineTests {
    @Test("a gift that does not load in time fails, and the next is shown")
    func loadTimeout() {
        var room = Room(Lane(name: "main"))
        room.offer("a")
        room.offer("b")
        room.now += second
        room.loaded(2)
        _ = room.take()
        #expect(room.queue.nextDeadline == 105 * second)
        room.pass(4 * second - 1)
        #expect(room.take() == [])
        room.pass(1)
        guard case .announce(.ended(let end)) = room.actions.dropFirst().first else {
            Issue.record("no end")
            return
        }
        #expect(
            end.outcome == .failed(Failure(kind: "loadTimeout", message: "It was not loaded within 5.0 s.")))
        #expect(room.take() == ["remove 1", "failed 1", "show 2"])
    }

    @Test(
        "a gift expires before it is on screen, wherever it is", arguments: ["waiting", "loading", "ready"])
    func expires(stage: String) {
        var room = Room(Lane(name: "main"))
        room.offer("first", duration: 20 * second)
        room.loaded(1, duration: 20 * second)
        room.started(1)
        if stage == "waiting" { room.offer("between") }
        let number: GiftNumber = stage == "waiting" ? 3 : 2
        room.offer("late", ttl: 3 * second)
        if stage == "ready" { room.loaded(2) }
        if stage == "waiting" { room.loaded(2) }
        _ = room.take()
        #expect(room.queue.nextDeadline == 103 * second)
        room.pass(3 * second)
        #expect(room.take() == (stage == "waiting" ? [] : ["remove \(number)"]) + ["expired \(number)"])
        #expect(room.queue.nextDeadline == 135 * second)
    }

    @Test("a gift on screen does not expire")
    func onScreen() {
        var room = Room(Lane(name: "main"))
        room.offer("a", ttl: second)
        room.loaded(1)
        room.started(1)
        _ = room.take()
        room.pass(2 * second)
        #expect(room.take() == [])
    }

    @Test("a gift that never starts or never finishes frees its lane")
    func stuck() {
        var room = Room(Lane(name: "main"))
        for id in ["a", "b", "c"] { room.offer(id) }
        room.loaded(1, 2)
        _ = room.take()
        room.pass(17 * second)
        #expect(room.take() == ["remove 1", "failed 1", "show 2", "load 3"])
        room.loaded(3)
        room.pass(10 * second)
        room.started(2)
        _ = room.take()
        room.pass(17 * second - 1)
        #expect(room.take() == [])
        room.pass(1)
        #expect(room.take() == ["remove 2", "failed 2", "show 3"])
    }

    @Test("keeps no deadlines of gifts that are gone, however far off they are")
    func memory() {
        var room = Room(Lane(name: "main"))
        room.offer("first")
        for index in 0..<5000 {
            room.offer("\(index)", ttl: 86_400 * second)
            room.cancel("\(index)")
        }
        #expect(room.queue.deadlines.count < 100)
        #expect(room.queue.nextDeadline == 105 * second)
    }

    @Test("counts what waits and what plays, lane by lane")
    func counts() {
        var room = Room(Lane(name: "main"), Lane(name: "top"))
        for id in ["a", "b", "c"] { room.offer(id) }
        room.offer("d", lane: "top")
        room.loaded(1, 4)
        room.started(1, 4)
        #expect(room.queue.depth(lane: "main") == 2 && room.queue.depth(lane: "top") == 0)
        #expect(room.queue.playingCount() == 2 && room.queue.playingCount(lane: "main") == 1)
        #expect(room.queue.list(lane: "top", at: room.now)?.map(\.gift.id) == ["d"])
        #expect(room.queue.list(lane: "none", at: room.now) == nil && room.queue.depth(lane: "none") == 0)
    }
}
