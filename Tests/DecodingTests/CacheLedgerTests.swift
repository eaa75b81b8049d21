import Testing

@testable import Decoding

@Suite("What the cache keeps")
struct CacheLedgerTests {
    private typealias Ledger = CacheLedger<String>

    /// Asks for a key, records it whole, lets it go; whether it was kept.
    @discardableResult
    private func play(_ key: String, bytes: Int, cost: Double = 1, in ledger: inout Ledger) -> Bool {
        switch ledger.asked(for: key) {
        case .there:
            ledger.released(key)
            return true
        case .absent: return false
        case .record:
            for part in 1...4 {
                let done = Double(part) / 4
                guard ledger.grew(key, by: bytes / 4, seconds: cost / 4, done: done) != nil else {
                    return false
                }
            }
            ledger.finished(key)
            return true
        }
    }

    @Test("what was recorded is there at the next question")
    func hit() {
        var ledger = Ledger(budget: 100)
        #expect(ledger.asked(for: "a") == .record)
        #expect(ledger.asked(for: "a") == .absent, "it is being made")
        #expect(ledger.grew("a", by: 40, seconds: 1, done: 1) == [])
        #expect(ledger.asked(for: "a") == .absent, "it is not told finished yet")
        ledger.finished("a")
        #expect(ledger.asked(for: "a") == .there)
        #expect(ledger.bytes == 40)
    }

    @Test("an abandoned recording leaves nothing and may be tried again")
    func abandoned() {
        var ledger = Ledger(budget: 100)
        #expect(ledger.asked(for: "a") == .record)
        #expect(ledger.grew("a", by: 40, seconds: 1, done: 0.5) == [])
        ledger.abandoned("a")
        #expect(ledger.bytes == 0)
        #expect(ledger.grew("a", by: 40, seconds: 1, done: 0.5) == nil)
        #expect(ledger.asked(for: "a") == .record)
    }

    @Test("what would not fit alone is given up early and not tried again")
    func tooLarge() {
        var ledger = Ledger(budget: 100)
        #expect(ledger.asked(for: "huge") == .record)
        #expect(ledger.grew("huge", by: 20, seconds: 1, done: 0.1) == [])
        #expect(ledger.grew("huge", by: 25, seconds: 1, done: 0.25) == nil)
        #expect(ledger.bytes == 0)
        #expect(ledger.asked(for: "huge") == .absent)
        #expect(Ledger(budget: 0).bytes == 0)
        var none = Ledger(budget: 0)
        #expect(none.asked(for: "a") == .absent)
    }

    @Test("the least valuable goes first, in demand for each byte and the work it saves")
    func leastValuable() {
        var ledger = Ledger(budget: 100)
        play("often", bytes: 40, in: &ledger)
        play("seldom", bytes: 40, in: &ledger)
        for _ in 0..<5 { play("often", bytes: 40, in: &ledger) }
        for _ in 0..<3 { play("new", bytes: 40, in: &ledger) }
        #expect(ledger.asked(for: "often") == .there)
        #expect(ledger.asked(for: "new") == .there)
        #expect(ledger.asked(for: "seldom") != .there)
        #expect(ledger.bytes <= 100)

        var costs = Ledger(budget: 100)
        play("dear", bytes: 40, cost: 9, in: &costs)
        play("cheap", bytes: 40, cost: 1, in: &costs)
        play("middle", bytes: 40, cost: 5, in: &costs)
        #expect(costs.asked(for: "dear") == .there)
        #expect(costs.asked(for: "middle") == .there)
        #expect(costs.asked(for: "cheap") != .there)
    }

    @Test("what is in use stays, and a recording that would need its room ends")
    func inUse() {
        var ledger = Ledger(budget: 100)
        play("a", bytes: 80, in: &ledger)
        #expect(ledger.asked(for: "a") == .there)
        for _ in 0..<9 { play("b", bytes: 80, in: &ledger) }
        #expect(ledger.bytes == 80, "a is kept, b is not")
        ledger.released("a")
        for _ in 0..<9 { play("b", bytes: 80, in: &ledger) }
        #expect(ledger.asked(for: "b") == .there)
        #expect(ledger.bytes == 80)
    }

    @Test("gifts that are sent in turn do not push each other out")
    func roundRobin() {
        var ledger = Ledger(budget: 100)
        var hits = 0
        for _ in 0..<50 {
            for key in ["a", "b", "c", "d"] {
                if ledger.asked(for: key) == .there {
                    hits += 1
                    ledger.released(key)
                } else if ledger.grew(key, by: 45, seconds: 1, done: 1) != nil {
                    ledger.finished(key)
                }
            }
        }
        #expect(hits > 80, "two of four fit, \(hits) of 200 were there")
    }

    @Test("what is not asked for any more makes room")
    func fashion() {
        var ledger = Ledger(budget: 100)
        for _ in 0..<40 { play("old", bytes: 80, in: &ledger) }
        var plays = 0
        while ledger.asked(for: "new") != .there {
            if ledger.grew("new", by: 80, seconds: 1, done: 1) != nil { ledger.finished("new") }
            plays += 1
            if plays > 500 { break }
        }
        #expect(plays < 300, "after \(plays) plays")
    }

    @Test("remembers a bounded number of keys and never holds more than its budget")
    func bounds() {
        var ledger = Ledger(budget: 1000)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<5000 {
            let key = "\(Int.random(in: 0..<3000, using: &random))"
            play(key, bytes: 4 * Int.random(in: 1..<120, using: &random), in: &ledger)
            #expect(ledger.bytes <= 1000)
        }
        #expect(ledger.keyCount < 1600)
    }
}
