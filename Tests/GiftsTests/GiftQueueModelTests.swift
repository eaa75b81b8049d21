import Gifts
import Testing

/// What must hold whatever happens, checked from the actions alone.
private struct Model {
    let concurrency: [String: Int]
    var lane: [GiftNumber: String] = [:]
    var loaded: Set<GiftNumber> = []
    var held: Set<GiftNumber> = []
    var shown: [String: [GiftNumber]] = [:]
    var onScreen: [String: Set<GiftNumber>] = [:]
    var ends: [GiftNumber: Int] = [:]

    mutating func carryOut(_ actions: [GiftAction]) {
        for action in actions {
            switch action {
            case .load(let number, _):
                #expect(loaded.insert(number).inserted && ends[number] == nil)
                held.insert(number)
                let lane = lane[number, default: ""]
                let inLane = held.count { self.lane[$0] == lane }
                #expect(inLane <= concurrency[lane, default: 0] + 1)
            case .show(let number, _):
                let lane = lane[number, default: ""]
                #expect(held.contains(number) && ends[number] == nil)
                #expect(shown[lane]?.last ?? 0 < number, "shown in the order of acceptance")
                shown[lane, default: []].append(number)
                onScreen[lane, default: []].insert(number)
                #expect(onScreen[lane, default: []].count <= concurrency[lane, default: 0])
            case .remove(let number):
                #expect(held.remove(number) != nil, "removed once, and only what was loaded")
                onScreen[lane[number, default: ""]]?.remove(number)
            case .announce(.accepted(let status)):
                lane[status.number] = status.gift.lane
            case .announce(.started(let status, _)):
                #expect(onScreen[status.gift.lane]?.contains(status.number) == true)
            case .announce(.ended(let end)):
                ends[end.number, default: 0] += 1
                #expect(ends[end.number] == 1 && !held.contains(end.number))
            }
        }
    }
}

@Suite("Gift queue: anything may happen")
struct GiftQueueModelTests {
    private let lanes = [
        Lane(name: "one", capacity: 5), Lane(name: "two", concurrency: 2, capacity: 3),
        Lane(name: "three", concurrency: 3),
    ]

    @Test("every accepted gift ends once, in order, within its lane's room", arguments: 0..<60)
    func randomly(seed: Int) {
        var random = Random(seed: UInt64(seed))
        var queue = GiftQueue(lanes: lanes, policy: .init(remembered: 20))
        var model = Model(
            concurrency: Dictionary(uniqueKeysWithValues: lanes.map { ($0.name, $0.concurrency) }))
        var now: Int64 = 0
        for _ in 0..<600 {
            now += Int64(random.next(upTo: 400)) * 1_000_000
            let number = GiftNumber(max(1, model.lane.count - random.next(upTo: 14)))
            switch random.next(upTo: 12) {
            case 0...3: model.carryOut(offer(to: &queue, &random, at: now))
            case 4, 5:
                model.carryOut(
                    queue.loadFinished(number, duration: Int64(random.next(upTo: 3)) * second, at: now))
            case 6: model.carryOut(queue.started(number, runningTime: now, at: now))
            case 7, 8: model.carryOut(queue.finished(number, at: now))
            case 9: model.carryOut(queue.failed(number, Failure(kind: "x", message: "y"), at: now))
            case 10: model.carryOut(queue.cancelled("\(random.next(upTo: 40))", at: now).actions)
            default: model.carryOut(queue.timePassed(at: now))
            }
            check(queue, model, at: now)
        }
        while let next = queue.nextDeadline { model.carryOut(queue.timePassed(at: next)) }
        for lane in lanes {
            for status in queue.list(lane: lane.name, at: now) ?? [] {
                model.carryOut(queue.cancelled(status.gift.id, at: now).actions)
            }
        }
        #expect(model.ends.count == model.lane.count && model.held.isEmpty)
        #expect(queue.list(at: now) == [])
    }

    private func offer(to queue: inout GiftQueue, _ random: inout Random, at now: Int64) -> [GiftAction] {
        let gift = Gift(
            id: "\(random.next(upTo: 40))", lane: lanes[random.next(upTo: lanes.count)].name, animation: "x",
            duration: random.next(upTo: 2) == 0 ? nil : second,
            ttl: random.next(upTo: 3) == 0 ? Int64(random.next(upTo: 5)) * second : nil)
        return queue.offered(gift, at: now).actions
    }

    /// The queue and what was seen of it tell the same, and nothing stands still that could move.
    private func check(_ queue: GiftQueue, _ model: Model, at now: Int64) {
        let live = queue.list(at: now) ?? []
        #expect(live.count == model.lane.count - model.ends.count)
        for lane in lanes {
            let line = live.filter { $0.gift.lane == lane.name }
            #expect(line.map(\.number) == line.map(\.number).sorted())
            #expect(line.map(\.position) == Array(line.indices))
            #expect(line.count <= lane.capacity + lane.concurrency)
            let begun = line.prefix(lane.concurrency + 1)
            #expect(begun.allSatisfy { $0.state != .waiting }, "what may be loaded is loaded")
        }
        if live.isEmpty { #expect(queue.nextDeadline == nil) }
        if live.contains(where: { $0.state == .playing }) { #expect(queue.nextDeadline != nil) }
    }
}
