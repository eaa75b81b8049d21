import Gifts
import Testing

@Suite("Gift queue")
struct GiftQueueTests {
    @Test("takes one gift from its offer to its end")
    func one() {
        var room = Room(Lane(name: "main", z: 7))
        let status = room.offer("a").status
        #expect(status?.number == 1 && status?.position == 0 && status?.eta == 0 && status?.state == .waiting)
        #expect(room.take() == ["accepted 1", "load 1"])
        room.now += 10
        room.loaded(1)
        #expect(room.actions == [.show(1, z: 7)])
        #expect(room.take() == ["show 1"])
        room.now += 10
        room.started(1)
        #expect(room.take() == ["started 1"])
        room.now += 2 * second
        room.finished(1)
        #expect(room.take() == ["remove 1", "finished 1"])
        #expect(room.queue.list(at: room.now) == [])
        #expect(room.queue.nextDeadline == nil)
    }

    @Test("tells the whole story of a gift at its end")
    func times() {
        var room = Room(Lane(name: "main"))
        room.offer("a")
        room.now += 1
        room.loaded(1)
        room.now += 1
        room.started(1)
        room.now += 1
        room.finished(1)
        guard case .announce(.ended(let end)) = room.actions.last else {
            Issue.record("no end")
            return
        }
        let start = 100 * second
        #expect(end.times.accepted == start && end.times.loadBegan == start)
        #expect(end.times.loaded == start + 1 && end.times.due == start + 1)
        #expect(end.times.started == start + 2 && end.times.ended == start + 3)
        #expect(end.gift.animation == "a-a" && end.outcome == .finished)
    }

    @Test("loads the next gift ahead, and no more, and shows it the moment its place is free")
    func prefetch() {
        var room = Room(Lane(name: "main"))
        for id in ["a", "b", "c"] { room.offer(id) }
        #expect(room.take() == ["accepted 1", "load 1", "accepted 2", "load 2", "accepted 3"])
        room.loaded(2)
        #expect(room.take() == [])
        room.loaded(1)
        room.started(1)
        #expect(room.take() == ["show 1", "started 1"])
        room.finished(1)
        #expect(room.take() == ["remove 1", "finished 1", "show 2", "load 3"])
    }

    @Test("shows a gift that finishes loading after its place has become free")
    func lateLoad() {
        var room = Room(Lane(name: "main"))
        room.offer("a")
        room.offer("b")
        room.loaded(1)
        room.started(1)
        room.finished(1)
        #expect(room.take().suffix(2) == ["remove 1", "finished 1"])
        room.loaded(2)
        #expect(room.take() == ["show 2"])
    }

    @Test("plays as many gifts of a lane at once as it may, in order, although they load in another")
    func concurrency() {
        var room = Room(Lane(name: "main", concurrency: 2))
        for id in ["a", "b", "c", "d"] { room.offer(id) }
        #expect(room.take().filter { $0.hasPrefix("load") } == ["load 1", "load 2", "load 3"])
        room.loaded(3, 2)
        #expect(room.take() == [])
        room.loaded(1)
        #expect(room.take() == ["show 1", "show 2"])
        room.started(1, 2)
        #expect(room.queue.playingCount() == 2)
        room.finished(2)
        #expect(room.take().suffix(4) == ["remove 2", "finished 2", "show 3", "load 4"])
    }

    @Test("runs lanes beside each other: a slow gift holds up its own lane alone")
    func lanes() {
        var room = Room(Lane(name: "main"), Lane(name: "top", z: 1))
        room.offer("slow")
        room.offer("behind")
        room.offer("quick", lane: "top")
        room.loaded(2, 3)
        #expect(room.take().suffix(1) == ["show 3"])
        room.pass(5 * second)
        #expect(room.take() == ["remove 1", "failed 1", "show 2"])
    }

    @Test(
        "plays the good gifts around a bad one, wherever it fails",
        arguments: ["loading", "ready", "showing", "playing"])
    func badBetweenGood(stage: String) {
        var room = Room(Lane(name: "main"))
        for id in ["good", "bad", "good too"] { room.offer(id) }
        room.loaded(1)
        room.started(1)
        if stage != "loading" { room.loaded(2) }
        if stage == "showing" || stage == "playing" { room.finished(1) }
        if stage == "playing" { room.started(2) }
        let before = room.take()
        room.failed(2)
        let actions = room.take()
        #expect(actions.prefix(2) == ["remove 2", "failed 2"])
        #expect((before + actions).count { $0 == "load 3" } == 1)
        room.failed(2)
        room.loaded(2)
        room.finished(2)
        #expect(room.take() == [])
        room.finished(1)
        room.loaded(3)
        #expect(room.take().last == "show 3")
    }

    @Test("ends 20 gifts of one frame, 20 times, in order")
    func singleFrames() {
        var room = Room(Lane(name: "main"))
        for index in 1...20 { room.offer("\(index)", duration: second / 10) }
        #expect(room.playAll() == Array(1...20))
        #expect(room.queue.list(at: room.now) == [])
    }

    @Test("takes the end of a gift whose start was never told, and ignores a start told too late")
    func finishedBeforeStarted() {
        var room = Room(Lane(name: "main"))
        room.offer("a")
        room.loaded(1)
        _ = room.take()
        room.finished(1)
        #expect(room.take() == ["remove 1", "finished 1"])
        room.started(1)
        #expect(room.take() == [])
    }

    @Test("ignores what does not fit the stage of a gift or belongs to none")
    func strayEvents() {
        var room = Room(Lane(name: "main"))
        for id in ["a", "b", "c"] { room.offer(id) }
        _ = room.take()
        room.started(1, 2, 3)
        room.finished(1, 2, 3)
        room.loaded(3, 99)
        room.failed(3)
        room.failed(99)
        #expect(room.take() == [])
        room.loaded(1, 1)
        room.started(1, 1)
        #expect(room.take() == ["show 1", "started 1"])
    }

    @Test("keeps the order of acceptance with 1000 gifts of four clients")
    func order() {
        var room = Room(Lane(name: "main"))
        for index in 0..<1000 { room.offer("client-\(index % 4)-\(index / 4)") }
        #expect(room.playAll() == Array(1...1000))
    }
}

@Suite("Gift queue: cancelling")
struct CancelTests {
    @Test("says where the gift was, and takes off what is there")
    func stages() {
        var room = Room(Lane(name: "main"))
        for id in ["a", "b", "c"] { room.offer(id) }
        room.loaded(1)
        room.started(1)
        _ = room.take()
        #expect(room.cancel("c") == .done(.waiting))
        #expect(room.take() == ["cancelled 3"])
        #expect(room.cancel("b") == .done(.loading))
        #expect(room.take() == ["remove 2", "cancelled 2"])
        #expect(room.cancel("a") == .done(.playing))
        #expect(room.take() == ["remove 1", "cancelled 1"])
    }

    @Test("changes nothing about a gift that has ended, and hits no other")
    func ended() {
        var room = Room(Lane(name: "main"))
        room.offer("a")
        room.offer("b")
        room.loaded(1, 2)
        room.started(1)
        room.finished(1)
        _ = room.take()
        #expect(room.cancel("a") == .ended(.finished))
        #expect(room.cancel("never") == .unknown)
        #expect(room.cancel("b") == .done(.loading))
        #expect(room.cancel("b") == .ended(.cancelled))
        #expect(room.take() == ["remove 2", "cancelled 2"])
    }

    @Test("frees the place for the next gift at once")
    func frees() {
        var room = Room(Lane(name: "main"))
        for id in ["a", "b", "c"] { room.offer(id) }
        room.loaded(1, 2)
        room.started(1)
        _ = room.take()
        room.cancel("a")
        #expect(room.take() == ["remove 1", "cancelled 1", "show 2", "load 3"])
    }

    @Test("goes on to the next gift when one is skipped, and remembers that it was")
    func skipped() {
        var room = Room(Lane(name: "main"))
        for id in ["a", "b", "c"] { room.offer(id) }
        room.loaded(1, 2)
        room.started(1)
        _ = room.take()
        #expect(room.cancel("a", as: .skipped) == .done(.playing))
        #expect(room.take() == ["remove 1", "skipped 1", "show 2", "load 3"])
        #expect(room.cancel("c", as: .skipped) == .done(.loading))
        #expect(room.cancel("a") == .ended(.skipped))
        #expect(room.take() == ["remove 3", "skipped 3"])
    }
}
