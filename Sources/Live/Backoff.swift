/// How long to wait before the next try: doubled after every failure up to a cap, jittered so that many rooms do
/// not knock at the same moment, and small again after a time of good service. For ever.
struct Backoff {
    /// Seconds of service after which the next failure counts as the first one.
    private static let goodService = 60.0

    /// Seconds: the first pause and the longest.
    let first, cap: Double
    private var failures = 0

    init(first: Double, cap: Double) {
        self.first = first
        self.cap = cap
    }

    /// Seconds to wait after a failure that followed `served` seconds of service. `jitter` is in 0..<1.
    mutating func failed(served: Double, jitter: Double) -> Double {
        if served >= Self.goodService { failures = 0 }
        let full = min(first * Double(1 << min(failures, 10)), cap)
        failures += 1
        return full * (0.75 + 0.5 * jitter)
    }
}
