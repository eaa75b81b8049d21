internal import Basics

/// Where one gift's sound stands in the mix, and how loud it is there. Pure but for the ring that it reads.
///
/// Sample n of the sound plays at the program's sample `origin` + n, or not at all: what the program has passed is
/// left out and never put later. Wherever sound sets in or ends that was not written so, it fades within 10 ms: when
/// the program is past the beginning, when samples are missing, when the gift is held, ends or is cut.
struct Voice {
    /// What the gift wants at the time of one call.
    struct Orders: Equatable {
        /// The program's sample at which the sound's first one plays; nil while it is not started, or is held.
        var origin: Int64?
        /// The sound's sample at which the gift ends.
        var end: Int64
        /// Samples that the sound has, once that is known.
        var length: Int64?
        var isCut = false
        var gain: Float = 1
    }

    struct Report: Equatable {
        /// Whether anything was added.
        var hasSounded = false
        /// Samples were due and not there. Told once for each time that they run out.
        var ranOut = false
        /// Nothing will ever be added again.
        var isOver = false
    }

    /// Samples of a fade, 10 ms, and of a change of volume, 50 ms.
    static let fade = SampleClock.rate / 100
    private static let volumeChange = SampleClock.rate / 20
    private static let step = 1 / Float(fade)

    /// As `Orders.origin`, as far as it is followed: a new one counts from when the old one has faded out.
    private var origin: Int64?
    private var level: Float = 0
    private var gain: Ramp?
    private var isStarving = false

    /// Adds the sound's part to `out`, whose first sample is the program's `place`.
    mutating func mix(
        into out: LiveSound, at place: Int64, _ orders: Orders, from ring: SampleRing
    ) -> Report {
        var report = Report()
        gain?.aim(at: orders.gain, within: Self.volumeChange)
        let (first, written) = (ring.first, ring.end)
        let last = max(min(orders.end, orders.length ?? orders.end), 0)
        for index in 0..<out.count {
            if level == 0 { origin = orders.isCut ? nil : orders.origin }
            guard let origin else { break }
            let at = place + Int64(index) - origin
            guard at >= 0 else { continue }
            guard at < last || level > 0 else { break }
            guard at >= first, at < written else {
                level = 0
                if at >= written, at < last { noteStarving(&report) }
                continue
            }
            move(at, left: min(last, written) - at, goesOn: !orders.isCut && origin == orders.origin)
            add(ring.sample(at), to: out.samples + 2 * index, orders)
            report.hasSounded = true
        }
        if let origin { ring.release(before: place + Int64(out.count) - origin) }
        report.isOver = level == 0 && isOver(place + Int64(out.count), last, orders)
        return report
    }

    private mutating func move(_ at: Int64, left: Int64, goesOn: Bool) {
        isStarving = false
        if goesOn, Float(left) > level * Float(Self.fade) {
            level = at == 0 ? 1 : min(1, level + Self.step)
        } else {
            level = max(0, level - Self.step)
        }
    }

    private mutating func add(
        _ sample: UnsafePointer<Float>, to out: UnsafeMutablePointer<Float>, _ orders: Orders
    ) {
        // A gift that has not been heard yet has its volume at once.
        var ramp = gain ?? Ramp(orders.gain)
        let factor = level * ramp.next()
        gain = ramp
        out[0] += sample[0] * factor
        out[1] += sample[1] * factor
    }

    private mutating func noteStarving(_ report: inout Report) {
        if !isStarving { report.ranOut = true }
        isStarving = true
    }

    private func isOver(_ place: Int64, _ last: Int64, _ orders: Orders) -> Bool {
        guard !orders.isCut else { return true }
        guard let origin = orders.origin else { return false }
        return place - origin >= last
    }
}
