internal import Basics
internal import Gifts

/// The cells that gifts are counted in, per lane. On the control plane.
struct GiftMetrics {
    fileprivate static let outcomeNames = ["finished", "cancelled", "skipped", "expired", "failed"]

    fileprivate struct LaneCells {
        let firstFrame, queueWait: Histogram
        let depth: Gauge
        let outcomes: [String: Counter]
    }

    let playing: Gauge
    private let lanes: [String: LaneCells]

    init(_ registry: MetricsRegistry, lanes names: [String]) {
        playing = registry.gauge("giftd_gifts_playing", help: "Gifts on screen.")
        lanes = Dictionary(
            uniqueKeysWithValues: names.map { ($0, LaneCells(registry, lane: $0)) })
    }

    /// A gift became visible `latency` seconds after nothing but the machine was in its way, having waited in its
    /// lane before that.
    func started(lane: String, latency: Double, waited: Double) {
        lanes[lane]?.firstFrame.observe(seconds: latency)
        lanes[lane]?.queueWait.observe(seconds: waited)
    }

    func ended(lane: String, outcome: String) { lanes[lane]?.outcomes[outcome]?.add() }

    func depth(lane: String, _ count: Int) { lanes[lane]?.depth.set(Double(count)) }

    /// Ends since the start by outcome, those that have happened.
    var ends: [String: Int] {
        var sums: [String: Int] = [:]
        for cells in lanes.values {
            for (outcome, counter) in cells.outcomes where counter.value > 0 {
                sums[outcome, default: 0] += counter.value
            }
        }
        return sums
    }
}

extension GiftMetrics.LaneCells {
    fileprivate init(_ registry: MetricsRegistry, lane: String) {
        let label = [("lane", lane)]
        firstFrame = registry.histogram(
            "giftd_gift_event_to_first_frame_seconds",
            help:
                "From a gift's line on the socket (or, when it had to wait, its turn) to the first frame that shows it.",
            labels: label)
        queueWait = registry.histogram(
            "giftd_gift_queue_wait_seconds", help: "Time a gift waited for its turn in its lane.",
            bounds: [0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800], labels: label)
        depth = registry.gauge(
            "giftd_queue_depth", help: "Gifts of a lane that are not on screen yet.", labels: label)
        outcomes = Dictionary(
            uniqueKeysWithValues: GiftMetrics.outcomeNames.map { outcome in
                let counter = registry.counter(
                    "giftd_gifts_total", help: "Gifts that ended, by outcome.",
                    labels: label + [("outcome", outcome)])
                return (outcome, counter)
            })
    }
}
