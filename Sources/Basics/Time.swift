internal import Glibc

/// Nanoseconds. Signed, so that differences need no care. Running times and monotonic times are of this type.
package typealias Nanoseconds = Int64

package enum Monotonic {
    /// The system's monotonic clock: the one that GStreamer's system clock shows. Any thread.
    package static func now() -> Nanoseconds {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
    }

    /// The processor time that the calling thread has used.
    package static func threadTime() -> Nanoseconds {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
    }
}

extension Nanoseconds {
    package static let second: Nanoseconds = 1_000_000_000
    package static let millisecond: Nanoseconds = 1_000_000

    /// From seconds, saturating: no value of the argument traps.
    package init(seconds: Double) {
        let scaled = (seconds * 1e9).rounded()
        self = scaled >= 9.2e18 ? .max : scaled <= -9.2e18 ? .min : scaled.isNaN ? 0 : Nanoseconds(scaled)
    }

    package var seconds: Double { Double(self) / 1e9 }
}
