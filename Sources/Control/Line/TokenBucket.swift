internal import Basics

/// Lets `burst` requests through at once and `rate` a second in the long run.
struct TokenBucket {
    private let rate: Int
    private let burst: Int
    /// The time at which the bucket is full again; each request moves it by one interval.
    private var fullAt: Nanoseconds = .min

    init(rate: Int, burst: Int) {
        self.rate = max(1, rate)
        self.burst = max(1, burst)
    }

    /// Whether a request at this time may pass. Refused ones cost nothing.
    mutating func admits(at now: Nanoseconds) -> Bool {
        let interval = Nanoseconds.second / Nanoseconds(rate)
        let next = max(fullAt, now) + interval
        guard next - now <= interval * Nanoseconds(burst) else { return false }
        fullAt = next
        return true
    }
}
