package import Basics
internal import Pictures

/// What a reel is made for. Whoever asks again with an equal one gets the same pictures.
struct ReelKey: Hashable, Sendable {
    /// By identity: a file that was changed is another animation.
    let animation: Animation
    let place: PlacedRectangle
    let program: ProgramFormat
    let blend: Blend

    static func == (left: Self, right: Self) -> Bool {
        left.animation === right.animation && left.place == right.place && left.program == right.program
            && left.blend == right.blend
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(animation))
        hasher.combine(place)
        hasher.combine(program)
        hasher.combine(blend)
    }
}

/// Prepared pictures of the animations in demand, shared by all gifts that play them at that size: such a gift is
/// decoded once. Holds at most its budget, see `CacheLedger`. Any thread but the streaming one.
package final class ReelCache: Sendable {
    enum Answer {
        case reel(ReelLease)
        /// Leave to record one: make a `ReelRecorder`.
        case record
        case nothing
    }

    private struct Shelf: Sendable {
        var ledger: CacheLedger<ReelKey>
        var reels: [ReelKey: Reel] = [:]
    }

    private let shelf: Locked<Shelf>
    private let bytes: Gauge
    private let hits, misses: Counter

    /// `budget` in bytes; 0 keeps nothing.
    package init(budget: Int, registry: MetricsRegistry) {
        shelf = Locked(Shelf(ledger: CacheLedger(budget: budget)))
        bytes = registry.gauge(
            "giftd_picture_cache_bytes", help: "Prepared pictures that are kept for the next play.")
        func requests(_ result: String) -> Counter {
            registry.counter(
                "giftd_picture_cache_requests_total",
                help: "Plays by whether their pictures were there already.", labels: [("result", result)])
        }
        hits = requests("hit")
        misses = requests("miss")
    }

    /// How many reels are kept.
    package var count: Int { shelf.withLock { $0.reels.count } }
    /// Of what is kept and what is being recorded.
    var byteCount: Int { shelf.withLock { $0.ledger.bytes } }

    /// The reel for a play, or leave to record one.
    func reel(for key: ReelKey) -> Answer {
        let (answer, reel) = shelf.withLock { shelf in
            (shelf.ledger.asked(for: key), shelf.reels[key])
        }
        switch (answer, reel) {
        case (.there, let reel?):
            hits.add()
            return .reel(ReelLease(reel) { [self] in shelf.withLock { $0.ledger.released(key) } })
        case (.record, _):
            misses.add()
            return .record
        default:
            misses.add()
            return .nothing
        }
    }

    /// False when the recording is to end.
    func grew(_ key: ReelKey, by more: Int, seconds: Double, done: Double) -> Bool {
        // What is dropped goes when the lock is open again.
        let (victims, isGranted, total) = shelf.withLock { shelf in
            let victims = shelf.ledger.grew(key, by: more, seconds: seconds, done: done)
            let reels = (victims ?? []).map { shelf.reels.removeValue(forKey: $0) }
            return (reels, victims != nil, shelf.ledger.bytes)
        }
        withExtendedLifetime(victims) { bytes.set(Double(total)) }
        return isGranted
    }

    func finished(_ key: ReelKey, _ reel: Reel) {
        shelf.withLock { shelf in
            shelf.ledger.finished(key)
            shelf.reels[key] = reel
        }
    }

    func abandoned(_ key: ReelKey) {
        let total = shelf.withLock { shelf in
            shelf.ledger.abandoned(key)
            return shelf.ledger.bytes
        }
        bytes.set(Double(total))
    }
}
