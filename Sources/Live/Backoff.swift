/// How long to wait before the next try: doubled after every failure up to a cap, jittered so that many rooms do
/// not knock at the same moment, and small again after a time of good service. For ever.
struct Backoff {
    private static let first = 0.5
    private static let cap = 30.0
    /// Seconds of service after which the next failure counts as the first one.
    private static let goodService = 60.0

    private var failures = 0

    /// Seconds to wait after a failure that followed `served` seconds of service. `jitter` is in 0..<1.
    mutating func failed(served: Double, jitter: Double) -> Double {
        if served >= Self.goodService { failures = 0 }
        let full = min(Self.first * Double(1 << min(failures, 10)), Self.cap)
        failures += 1
        return full * (0.75 + 0.5 * jitter)
    }
}
