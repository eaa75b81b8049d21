/// Decides when which gift is loaded and shown: events in, actions out.
///
/// - Lanes run beside each other. Within a lane gifts are loaded and shown in the order in which they were
///   accepted; a gift that loads slowly holds up those behind it until its deadline, never those of other
///   lanes.
/// - The first `concurrency` gifts of a lane are loaded and shown; the one behind them is loaded ahead, so
///   that it can follow without a gap.
/// - Every accepted gift ends exactly once. A gift that fails, is cancelled or expires frees its place with
///   the same event, and every stage but plain waiting has a deadline.
/// - Events about a gift that has ended, or that do not fit its stage, change nothing: whoever reports may be
///   late.
/// - Memory is bounded by the lanes' capacities and the number of ended gifts that are remembered.
///
/// Owned by one thread. Knows no clock: every event brings the time, in nanoseconds of one monotonic clock.
/// The owner carries out the actions in order and calls `timePassed` when `nextDeadline` is reached.
package struct GiftQueue {
    /// Deadlines and memory.
    package struct Policy: Sendable {
        /// Nanoseconds for loading one gift.
        package var loadTimeout: Int64
        /// Nanoseconds that a gift may be on screen beyond its duration before it counts as stuck.
        package var playGrace: Int64
        /// How many ended gifts are remembered.
        package var remembered: Int

        package init(
            loadTimeout: Int64 = 5_000_000_000, playGrace: Int64 = 15_000_000_000, remembered: Int = 10_000
        ) {
            self.loadTimeout = loadTimeout
            self.playGrace = playGrace
            self.remembered = remembered
        }
    }

    enum Stage { case waiting, loading, ready, showing, playing }

    struct Entry {
        let gift: Gift
        let lane: Int
        var stage = Stage.waiting
        var duration: Int64?
        var times: GiftTimes
        /// When the present stage must be over.
        var deadline: Int64?
    }

    package let lanes: [Lane]
    let policy: Policy
    /// Gifts that have not ended, by number, by id and, in order, by lane.
    private(set) var entries: [GiftNumber: Entry] = [:]
    private(set) var numbers: [String: GiftNumber] = [:]
    private(set) var lines: [[GiftNumber]]
    private(set) var ended: EndedGifts
    private(set) var deadlines = Deadlines()
    private var last: GiftNumber = 0

    /// Of lanes with the same name only the first gets gifts.
    package init(lanes: [Lane], policy: Policy = Policy()) {
        self.lanes = lanes
        self.policy = policy
        lines = Array(repeating: [], count: lanes.count)
        ended = EndedGifts(capacity: policy.remembered)
    }

    // MARK: Events from clients

    /// A client wants a gift shown.
    package mutating func offered(_ gift: Gift, at now: Int64) -> (answer: Offer, actions: [GiftAction]) {
        guard !gift.id.isEmpty, gift.id.utf8.count <= Gift.idLimit else { return (.refused(.idInvalid), []) }
        if let known = lookUp(gift.id, at: now) { return (.duplicate(known), []) }
        guard let lane = lanes.firstIndex(where: { $0.name == gift.lane }) else {
            return (.refused(.laneUnknown(gift.lane)), [])
        }
        guard lines[lane].count - lanes[lane].concurrency < lanes[lane].capacity else {
            return (.refused(.queueFull(lane: gift.lane, capacity: lanes[lane].capacity)), [])
        }
        last += 1
        var entry = Entry(
            gift: gift, lane: lane, duration: gift.duration, times: GiftTimes(accepted: now))
        entry.deadline = expiry(of: entry)
        numbers[gift.id] = last
        lines[lane].append(last)
        set(entry, last)
        let number = last
        let status = status(of: entry, number, at: now)
        return (.accepted(status), [.announce(.accepted(status))] + advance(lane, at: now))
    }

    /// A client wants a gift not shown, or not any longer: it ends as cancelled, or as skipped.
    package mutating func cancelled(_ id: String, as outcome: Outcome = .cancelled, at now: Int64) -> (
        answer: Cancellation, actions: [GiftAction]
    ) {
        guard let number = numbers[id], let entry = entries[number] else {
            return (ended[id].map { .ended($0.outcome) } ?? .unknown, [])
        }
        return (.done(entry.state), end(number, outcome, at: now))
    }

    // MARK: Events from the players

    /// The first picture is ready.
    package mutating func loadFinished(_ number: GiftNumber, duration: Int64, at now: Int64) -> [GiftAction] {
        guard var entry = entries[number], entry.stage == .loading else { return [] }
        entry.stage = .ready
        entry.duration = duration
        entry.times.loaded = now
        entry.deadline = expiry(of: entry)
        set(entry, number)
        return advance(entry.lane, at: now)
    }

    /// It cannot be loaded, or cannot play on.
    package mutating func failed(_ number: GiftNumber, _ failure: Failure, at now: Int64) -> [GiftAction] {
        guard let entry = entries[number], entry.stage != .waiting else { return [] }
        return end(number, .failed(failure), at: now)
    }

    /// The first frame that shows it was painted at `now`; `runningTime` is that frame's in the program.
    package mutating func started(_ number: GiftNumber, runningTime: Int64, at now: Int64) -> [GiftAction] {
        guard var entry = entries[number], entry.stage == .showing else { return [] }
        entry.stage = .playing
        entry.times.started = now
        entry.deadline = overdue(entry, at: now)
        set(entry, number)
        return [.announce(.started(status(of: entry, number, at: now), runningTime: runningTime))]
    }

    /// It has played to its end. Counts also when the news of its start got lost.
    package mutating func finished(_ number: GiftNumber, at now: Int64) -> [GiftAction] {
        guard let entry = entries[number], entry.stage == .showing || entry.stage == .playing else {
            return []
        }
        return end(number, .finished, at: now)
    }

    // MARK: Time

    /// When `timePassed` is to be called at the latest; nil while nothing has a deadline.
    package var nextDeadline: Int64? { deadlines.first?.time }

    /// Ends what has not been loaded, shown or finished in time.
    package mutating func timePassed(at now: Int64) -> [GiftAction] {
        var actions: [GiftAction] = []
        while let due = deadlines.first, due.time <= now {
            deadlines.removeFirst()
            guard let entry = entries[due.number], entry.deadline == due.time else { continue }
            actions += end(due.number, outcome(ofLate: entry), at: now)
        }
        return actions
    }

    private func outcome(ofLate entry: Entry) -> Outcome {
        switch entry.stage {
        case .loading where entry.deadline != expiry(of: entry):
            let seconds = Double(policy.loadTimeout) / 1e9
            return .failed(Failure(kind: "loadTimeout", message: "It was not loaded within \(seconds) s."))
        case .waiting, .loading, .ready:
            return .expired
        case .showing, .playing:
            let seconds = Double(policy.playGrace) / 1e9
            return .failed(
                Failure(
                    kind: "playTimeout", message: "It was not over \(seconds) s after it should have been."))
        }
    }

    // MARK: Deciding

    /// Loads and shows what is due in a lane.
    private mutating func advance(_ lane: Int, at now: Int64) -> [GiftAction] {
        var actions: [GiftAction] = []
        let concurrency = lanes[lane].concurrency
        var mayShow = true
        for (place, number) in lines[lane].prefix(concurrency + 1).enumerated() {
            guard var entry = entries[number] else { continue }
            if entry.stage == .waiting {
                entry.stage = .loading
                entry.times.loadBegan = now
                let timeout = now.saturating(adding: policy.loadTimeout)
                entry.deadline = min(timeout, entry.deadline ?? timeout)
                actions.append(.load(number, entry.gift))
                set(entry, number)
            } else if entry.stage == .ready, mayShow, place < concurrency {
                entry.stage = .showing
                entry.times.due = now
                entry.deadline = overdue(entry, at: now)
                actions.append(.show(number, z: lanes[lane].z))
                set(entry, number)
            }
            mayShow = mayShow && (entry.stage == .showing || entry.stage == .playing)
        }
        return actions
    }

    /// The one way out.
    private mutating func end(_ number: GiftNumber, _ outcome: Outcome, at now: Int64) -> [GiftAction] {
        guard var entry = entries.removeValue(forKey: number) else { return [] }
        entry.times.ended = now
        numbers[entry.gift.id] = nil
        if let place = lines[entry.lane].firstIndex(of: number) { lines[entry.lane].remove(at: place) }
        ended.remember(
            entry.gift.id, EndedGifts.Record(number: number, lane: entry.gift.lane, outcome: outcome))
        dropStaleDeadlines()
        let end = GiftEnd(gift: entry.gift, number: number, outcome: outcome, times: entry.times)
        let removal: [GiftAction] = entry.stage == .waiting ? [] : [.remove(number)]
        return removal + [.announce(.ended(end))] + advance(entry.lane, at: now)
    }

    private mutating func set(_ entry: Entry, _ number: GiftNumber) {
        if let deadline = entry.deadline, deadline != entries[number]?.deadline {
            deadlines.insert(Deadlines.Entry(time: deadline, number: number))
        }
        entries[number] = entry
        dropStaleDeadlines()
    }

    /// What is first is always a deadline that counts, and stale ones are never the most.
    private mutating func dropStaleDeadlines() {
        while let first = deadlines.first, entries[first.number]?.deadline != first.time {
            deadlines.removeFirst()
        }
        guard deadlines.count > 2 * entries.count + 64 else { return }
        let entries = entries
        deadlines.compact { entries[$0.number]?.deadline == $0.time }
    }

    /// When a gift that is on screen from now on counts as stuck.
    private func overdue(_ entry: Entry, at now: Int64) -> Int64 {
        now.saturating(adding: max(entry.duration ?? 0, 0)).saturating(adding: policy.playGrace)
    }

    /// When it must be on screen.
    private func expiry(of entry: Entry) -> Int64? {
        entry.gift.ttl.map { entry.times.accepted.saturating(adding: max($0, 0)) }
    }
}
