import Gifts

let second: Int64 = 1_000_000_000

/// A queue with a clock that is moved by hand, and what it has asked for so far.
struct Room {
    var queue: GiftQueue
    var now: Int64 = 100 * second
    /// Everything that was asked for and not yet taken by `take`.
    private(set) var actions: [GiftAction] = []

    init(_ lanes: Lane..., policy: GiftQueue.Policy = .init()) {
        queue = GiftQueue(lanes: lanes, policy: policy)
    }

    @discardableResult
    mutating func offer(
        _ id: String, lane: String = "main", duration: Int64? = 2 * second, ttl: Int64? = nil
    ) -> Offer {
        let gift = Gift(id: id, lane: lane, animation: "a-\(id)", duration: duration, ttl: ttl)
        let (answer, actions) = queue.offered(gift, at: now)
        self.actions += actions
        return answer
    }

    @discardableResult
    mutating func cancel(_ id: String, as outcome: Outcome = .cancelled) -> Cancellation {
        let (answer, actions) = queue.cancelled(id, as: outcome, at: now)
        self.actions += actions
        return answer
    }

    mutating func loaded(_ numbers: GiftNumber..., duration: Int64 = 2 * second) {
        for number in numbers { actions += queue.loadFinished(number, duration: duration, at: now) }
    }

    mutating func started(_ numbers: GiftNumber...) {
        for number in numbers { actions += queue.started(number, runningTime: now - 50 * second, at: now) }
    }

    mutating func finished(_ numbers: GiftNumber...) {
        for number in numbers { actions += queue.finished(number, at: now) }
    }

    mutating func failed(_ number: GiftNumber, kind: String = "mediaCorrupt") {
        actions += queue.failed(number, Failure(kind: kind, message: "Broken."), at: now)
    }

    mutating func pass(_ time: Int64) {
        now += time
        actions += queue.timePassed(at: now)
    }

    /// What was asked for since the last call, in short words.
    mutating func take() -> [String] {
        defer { actions = [] }
        return actions.map(\.short)
    }

    /// Loads, starts and finishes whatever comes up until nothing is left; the order of the starts.
    mutating func playAll() -> [GiftNumber] {
        var starts: [GiftNumber] = []
        while !actions.isEmpty {
            switch actions.removeFirst() {
            case .load(let number, _): loaded(number)
            case .show(let number, _):
                starts.append(number)
                started(number)
                now += 2 * second
                finished(number)
            case .remove, .announce: break
            }
        }
        return starts
    }
}

extension GiftAction {
    var short: String {
        switch self {
        case .load(let number, _): "load \(number)"
        case .show(let number, _): "show \(number)"
        case .remove(let number): "remove \(number)"
        case .announce(.accepted(let status)): "accepted \(status.number)"
        case .announce(.started(let status, _)): "started \(status.number)"
        case .announce(.ended(let end)): "\(end.outcome.name) \(end.number)"
        }
    }
}

extension Offer {
    var status: GiftStatus? {
        guard case .accepted(let status) = self else { return nil }
        return status
    }
}

/// Repeatable numbers (SplitMix64).
struct Random {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next(upTo bound: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return Int((z ^ (z >> 31)) % UInt64(bound))
    }
}
