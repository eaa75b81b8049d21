internal import VAP

/// Turns pictures at any times into pictures at a constant rate: every output frame shows the picture whose time is
/// nearest before it. Pure: seconds in, counts out.
struct PackCadence {
    private let framesPerSecond: Double
    /// Makes 23.976 play as 24 and 29.97 as 30, frame for frame, instead of repeating one now and then.
    private let stretch: Double
    /// Output frames given out so far.
    private(set) var count = 0

    /// `sourceRate` is the input's own rate, if it has a constant one.
    init(framesPerSecond: Int, sourceRate: Double?) {
        self.framesPerSecond = Double(framesPerSecond)
        let ratio = (sourceRate ?? 0) / Double(framesPerSecond)
        stretch = (0.99...1.01).contains(ratio) ? 1 / ratio : 1
    }

    /// How many output frames show the picture before the one that begins `time` seconds after the first.
    mutating func frames(until time: Double) throws(PackError) -> Int {
        guard time.isFinite, time <= Limits.duration else {
            throw PackError(
                .tooLong,
                "a picture lies \(time) s after the first: a gift lasts at most \(Int(Limits.duration)) s")
        }
        let end = Int((max(time, 0) / stretch * framesPerSecond).rounded())
        let due = max(0, end - count)
        count += due
        return due
    }
}
