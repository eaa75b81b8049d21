internal import Basics

/// The cells that the sounds of gifts are counted in. Any thread; allocates nothing once it is made.
struct SoundMetrics: Sendable {
    let ended: [Sound.Outcome: Counter]
    let late: Counter
    let limiterGain: Gauge

    init(_ registry: MetricsRegistry) {
        ended = Dictionary(
            uniqueKeysWithValues: Sound.Outcome.allCases.map { outcome in
                let counter = registry.counter(
                    "giftd_sounds_total", help: "Sounds of gifts that have ended, by outcome.",
                    labels: [("outcome", outcome.rawValue)])
                return (outcome, counter)
            })
        late = registry.counter(
            "giftd_sound_late_total",
            help: "Times that a gift's sound was due and not decoded: silence until it was.")
        limiterGain = registry.gauge(
            "giftd_limiter_gain_ratio", help: "The least gain of the limiter in the last buffer that it saw.")
        limiterGain.set(1)
    }
}
