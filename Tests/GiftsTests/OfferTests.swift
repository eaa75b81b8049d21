import Gifts
import Testing

@Suite("Gift queue: offers")
struct OfferTests {
    @Test("answers an id that is known with what became of it, and plays it once")
    func duplicate() {
        var room = Room(Lane(name: "main"), Lane(name: "top"))
        room.offer("a")
        _ = room.take()
        guard case .duplicate(.live(let status)) = room.offer("a", lane: "top") else {
            Issue.record("not a duplicate")
            return
        }
        #expect(status.number == 1 && status.gift.lane == "main" && status.state == .loading)
        room.failed(1)
        let failure = Failure(kind: "mediaCorrupt", message: "Broken.")
        #expect(room.offer("a") == .duplicate(.ended(number: 1, lane: "main", .failed(failure))))
        #expect(room.take() == ["remove 1", "failed 1"])
    }

    @Test("forgets the gifts that ended longest ago, and no others")
    func memory() {
        var room = Room(Lane(name: "main"), policy: .init(remembered: 3))
        for id in ["a", "b", "c", "d", "e"] {
            room.offer(id)
            room.cancel(id)
        }
        #expect(
            ["a", "b", "c", "d", "e"].map { room.queue.lookUp($0, at: room.now) != nil } == [
                false, false, true, true, true,
            ])
        #expect(room.offer("a").status?.number == 6)
        room.cancel("a")
        #expect(room.queue.lookUp("c", at: room.now) == nil)
        #expect(room.queue.lookUp("e", at: room.now) == .ended(number: 5, lane: "main", .cancelled))
    }

    @Test("refuses lanes that are not there, ids that are no ids, and gifts beyond the capacity")
    func refused() {
        var room = Room(Lane(name: "main", capacity: 2))
        #expect(room.offer("a", lane: "side") == .refused(.laneUnknown("side")))
        #expect(room.offer("") == .refused(.idInvalid))
        #expect(room.offer(String(repeating: "x", count: Gift.idLimit + 1)) == .refused(.idInvalid))
        for id in ["a", "b", "c"] { #expect(room.offer(id).status != nil) }
        #expect(room.offer("d") == .refused(.queueFull(lane: "main", capacity: 2)))
        room.cancel("b")
        #expect(room.offer("d").status?.position == 2)
    }

    @Test("a lane without room to wait takes what it can show")
    func noWaiting() {
        var room = Room(Lane(name: "main", concurrency: 2, capacity: 0))
        #expect(room.offer("a").status != nil && room.offer("b").status != nil)
        #expect(room.offer("c") == .refused(.queueFull(lane: "main", capacity: 0)))
    }

    @Test("estimates when a gift is on screen")
    func eta() {
        var room = Room(Lane(name: "main"))
        room.offer("a", duration: 4 * second)
        room.loaded(1, duration: 4 * second)
        room.started(1)
        room.now += second
        #expect(room.offer("b", duration: 2 * second).status?.eta == 3 * second)
        #expect(room.offer("c", duration: nil).status?.eta == 5 * second)
        #expect(room.offer("d").status?.eta == nil)
        #expect(room.queue.list(at: room.now)?.map(\.eta) == [0, 3 * second, 5 * second, nil])
        #expect(room.queue.list(at: room.now)?.map(\.position) == [0, 1, 2, 3])
        room.now += 60 * second
        #expect(room.queue.list(at: room.now)?.map(\.eta) == [0, 0, 2 * second, nil])
    }

    @Test("estimates over all places of a lane")
    func etaOfPlaces() {
        var room = Room(Lane(name: "main", concurrency: 2))
        for (id, length) in [("a", 10), ("b", 3), ("c", 4), ("d", 1), ("e", 1)] {
            room.offer(id, duration: Int64(length) * second)
        }
        #expect(room.queue.list(at: room.now)?.map(\.eta) == [0, 0, 3, 7, 8].map { $0 * second })
    }

    @Test("no duration or time to live overflows", arguments: [Int64.max, .min, -1, 0])
    func overflow(time: Int64) {
        var room = Room(Lane(name: "main"))
        for id in ["a", "b", "c"] { room.offer(id, duration: time, ttl: time) }
        room.loaded(1, 2, duration: time)
        room.started(1)
        let etas = room.queue.list(at: room.now)?.compactMap(\.eta) ?? []
        #expect(etas.count == 3 && etas.allSatisfy { $0 >= 0 })
        room.pass(3600 * second)
        #expect((room.queue.list(at: room.now) ?? []).count == (time == .max ? 3 : 0))
    }
}
