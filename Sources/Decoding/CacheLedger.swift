/// Decides what a cache with a byte budget keeps. Pure: it knows keys and numbers, no pictures and no clock.
///
/// What is asked for and not there may be recorded while it is made; a recording asks for room as it grows. The value of
/// a byte is `demand * cost / bytes`: how often it was asked for lately (a count that halves every `halfLife` questions
/// of any key) times the seconds of work that each further use saves. Room is made by dropping the least valuable first,
/// never what is in use, and only for what is worth clearly more: things that are asked for in turn do not push each
/// other out. Demand is remembered for a while beyond that.
struct CacheLedger<Key: Hashable & Sendable>: Sendable {
    enum Answer: Equatable {
        /// It is there, and in use until `released`.
        case there
        /// It is not: record it, and call `grew`, then `finished` or `abandoned`.
        case record
        /// It is not, and is not to be recorded now.
        case absent
    }

    private enum State {
        /// Only its demand is remembered. `isTooLarge`: it would not fit alone.
        case remembered(isTooLarge: Bool)
        case recording
        case kept(users: Int)
    }

    private struct Entry {
        var state = State.remembered(isTooLarge: false)
        var bytes = 0
        /// Seconds.
        var cost = 0.0
        var demand = 0.0
        var askedAt = 0
    }

    private static var halfLife: Double { 64 }
    private static var margin: Double { 1.25 }
    private static var memory: Int { 512 }

    let budget: Int
    /// Bytes of everything that is kept or being recorded.
    private(set) var bytes = 0
    private var entries: [Key: Entry] = [:]
    private var questions = 0

    init(budget: Int) { self.budget = budget }

    /// How many keys it knows anything of.
    var keyCount: Int { entries.count }

    mutating func asked(for key: Key) -> Answer {
        questions += 1
        var entry = entries[key] ?? Entry()
        entry.demand = demand(entry) + 1
        entry.askedAt = questions
        defer {
            entries[key] = entry
            forget()
        }
        switch entry.state {
        case .kept(let users):
            entry.state = .kept(users: users + 1)
            return .there
        case .remembered(isTooLarge: false) where budget > 0:
            entry.state = .recording
            return .record
        case .recording, .remembered: return .absent
        }
    }

    /// A user of something kept has let go.
    mutating func released(_ key: Key) {
        guard case .kept(let users) = entries[key]?.state else { return }
        entries[key]?.state = .kept(users: max(users - 1, 0))
    }

    /// A recording has grown by `bytes` that took `seconds` to make, and is the share `done` (0 ... 1) of the whole.
    /// Answers what to drop for it, or nil: it is not worth its room, and is to be abandoned.
    mutating func grew(_ key: Key, by more: Int, seconds: Double, done: Double) -> [Key]? {
        guard var entry = entries[key], case .recording = entry.state else { return nil }
        entry.bytes += more
        entry.cost += seconds
        bytes += more
        entries[key] = entry
        let whole = Double(entry.bytes) / max(done, 0.01)
        if entry.bytes > budget || (done >= 0.25 && whole > 1.5 * Double(budget)) {
            leave(key, isTooLarge: true)
            return nil
        }
        guard let victims = victims(for: entry) else {
            leave(key, isTooLarge: false)
            return nil
        }
        for victim in victims { leave(victim, isTooLarge: false) }
        return victims
    }

    mutating func finished(_ key: Key) {
        guard case .recording = entries[key]?.state else { return }
        entries[key]?.state = .kept(users: 0)
    }

    mutating func abandoned(_ key: Key) {
        guard case .recording = entries[key]?.state else { return }
        leave(key, isTooLarge: false)
    }

    /// What has to go so that everything fits; nil when too little of it may go.
    private func victims(for entry: Entry) -> [Key]? {
        var excess = bytes - budget
        guard excess > 0 else { return [] }
        let limit = value(entry)
        let candidates = entries.filter { if case .kept(users: 0) = $0.value.state { true } else { false } }
            .map { (key: $0.key, value: value($0.value), bytes: $0.value.bytes) }
            .filter { $0.value * Self.margin < limit }
            .sorted { $0.value < $1.value }
        var victims: [Key] = []
        for candidate in candidates where excess > 0 {
            victims.append(candidate.key)
            excess -= candidate.bytes
        }
        return excess > 0 ? nil : victims
    }

    private func demand(_ entry: Entry) -> Double {
        guard entry.demand > 0 else { return 0 }
        var (demand, age) = (entry.demand, Double(questions - entry.askedAt) / Self.halfLife)
        // Halves by whole half-lives, and along a straight line in between.
        while age >= 1, demand > 1e-9 {
            demand /= 2
            age -= 1
        }
        return demand * (1 - min(age, 1) / 2)
    }

    private func value(_ entry: Entry) -> Double { demand(entry) * entry.cost / Double(max(entry.bytes, 1)) }

    private mutating func leave(_ key: Key, isTooLarge: Bool) {
        bytes -= entries[key]?.bytes ?? 0
        entries[key]?.bytes = 0
        entries[key]?.cost = 0
        entries[key]?.state = .remembered(isTooLarge: isTooLarge)
    }

    /// Forgets the demand that is least when too many keys are remembered.
    private mutating func forget() {
        let remembered = entries.filter { if case .remembered = $0.value.state { true } else { false } }
        guard remembered.count > Self.memory,
            let least = remembered.min(by: { demand($0.value) < demand($1.value) })
        else { return }
        entries[least.key] = nil
    }
}
