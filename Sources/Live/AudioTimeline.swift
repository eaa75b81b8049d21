internal import Basics

/// Decides where the feed's sound goes in the program, so that its audio is gapless for ever.
///
/// A 64-bit count of samples is the truth: the stamp of the next sample is `count / rate`, never a sum of rounded
/// durations. Sound that lies where it is expected, within `slip`, is appended untouched.
///
/// - **Behind a hole**: silence is put in front of it. **Missing** `margin` before it is due: silence (`tick`).
/// - **Overlapping** what is already there (it came late, or stamps went back): the overlap is cut; all of it: dropped.
///
/// Pure; times are running times in nanoseconds; samples are sample frames (all channels together).
struct AudioTimeline {
    struct Verdict: Equatable {
        /// Silence to push first.
        var silence = 0
        /// Samples to cut from the front.
        var skip = 0
        /// Samples to push then; 0 when all of it came too late.
        var take = 0
    }

    /// Deviation that is accepted in silence: less than one AAC frame.
    static let slip: Nanoseconds = 20 * .millisecond

    let rate: Int
    /// Samples since running time 0: the position of the next one.
    private(set) var position: Int64

    init(rate: Int, start: Nanoseconds) {
        self.rate = rate
        position = Self.samples(start, rate)
    }

    /// Running time of the next sample.
    var end: Nanoseconds { time(of: position) }

    func time(of sample: Int64) -> Nanoseconds {
        let (seconds, rest) = sample.quotientAndRemainder(dividingBy: Int64(rate))
        return seconds * .second + rest * .second / Int64(rate)
    }

    /// How far sound with program time `time` lies behind the place it will get; positive is late.
    func deviation(of time: Nanoseconds) -> Nanoseconds { end - time }

    /// `count` samples with program time `time` came from the feed.
    mutating func arrived(_ time: Nanoseconds, count: Int) -> Verdict {
        let deviation = Self.samples(time, rate) - position
        let slip = Self.samples(Self.slip, rate)
        var verdict = Verdict(take: count)
        if deviation >= slip {
            verdict.silence = Int(clamping: deviation)
        } else if deviation <= -slip {
            verdict.skip = min(count, Int(clamping: -deviation))
            verdict.take = count - verdict.skip
        }
        position += Int64(verdict.silence + verdict.take)
        return verdict
    }

    /// Samples of silence that are owed now.
    mutating func tick(now: Nanoseconds, margin: Nanoseconds) -> Int {
        let owed = Self.samples(now + margin, rate) - position
        guard owed >= Int64(rate / 100) else { return 0 }
        position += owed
        return Int(clamping: owed)
    }

    private static func samples(_ time: Nanoseconds, _ rate: Int) -> Int64 {
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: .second)
        return seconds * Int64(rate) + (rest * Int64(rate) + .second / 2) / .second
    }
}
