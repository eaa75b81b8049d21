/// Which samples of a line make which output sample, and how much: a triangle filter, as wide as a source sample when
/// enlarging (linear interpolation) and as wide as an output sample when shrinking (no aliasing).
///
/// Samples lie at the middle of their pixel. Nothing outside the source's bounds is read: what lies beyond is the
/// outermost sample. Immutable.
struct ScaleTable {
    /// Weights of one output sum to this.
    static let one = 1 << 14

    /// Source samples per output sample, the same for all.
    let taps: Int
    /// One past the last source sample that may be read.
    let limit: Int
    let first: [Int32]
    /// `taps` for every output.
    let weights: [Int16]

    /// `start` and `length` of the source in samples, `bounds` the samples that may be read (not empty);
    /// `outputs` are the wanted ones of `total`. With `inFours`, more than two taps become a multiple of four where
    /// the bounds allow it, which row kernels are fastest at; the added ones weigh nothing.
    init(
        start: Double, length: Double, bounds: ClosedRange<Int>, total: Int, outputs: Range<Int>,
        inFours: Bool
    ) {
        self.init(
            start: start, step: length / Double(total), bounds: bounds, outputs: outputs, inFours: inFours)
    }

    /// `start` is where the left side of output 0 lies in the source, `step` how far apart outputs are there; neither
    /// need be whole. Both are finite and `step` is at least 0.
    init(start: Double, step: Double, bounds: ClosedRange<Int>, outputs: Range<Int>, inFours: Bool) {
        let radius = max(step, 1)
        var taps = step == 1 && start == start.rounded() ? 1 : Int((2 * radius).rounded(.up))
        if inFours, taps > 2 { taps = (taps + 3) & ~3 }
        taps = min(taps, bounds.count)
        var first: [Int32] = []
        var weights: [Int16] = []
        first.reserveCapacity(outputs.count)
        weights.reserveCapacity(outputs.count * taps)
        for output in outputs {
            let centre = start + (Double(output) + 0.5) * step - 0.5
            let left = taps == 1 ? Int(centre.rounded()) : Int((centre - radius).rounded(.down)) + 1
            let begin = min(max(left, bounds.lowerBound), bounds.upperBound - taps + 1)
            first.append(Int32(begin))
            Self.append(to: &weights, centre, radius, left: left, begin: begin, taps: taps, bounds)
        }
        self.taps = taps
        limit = bounds.upperBound + 1
        self.first = first
        self.weights = weights
    }

    var count: Int { first.count }

    /// The filter at `centre`, with everything beyond the bounds added to the outermost samples, scaled to `one`.
    private static func append(
        to weights: inout [Int16], _ centre: Double, _ radius: Double, left: Int, begin: Int, taps: Int,
        _ bounds: ClosedRange<Int>
    ) {
        withUnsafeTemporaryAllocation(of: Double.self, capacity: taps) { exact in
            exact.initialize(repeating: 0)
            var sum = 0.0
            for sample in left...(left + max(taps, Int(2 * radius) + 1)) {
                let weight = max(0, 1 - abs(Double(sample) - centre) / radius)
                let place = min(max(sample, bounds.lowerBound), bounds.upperBound) - begin
                guard place >= 0, place < taps else { continue }
                exact[place] += weight
                sum += weight
            }
            if sum <= 0 { (exact[0], sum) = (1, 1) }
            // Rounding the running sum keeps the whole exact without moving any weight by more than 1.
            var (running, given) = (0.0, 0)
            for weight in exact {
                running += weight / sum * Double(one)
                weights.append(Int16(Int(running.rounded()) - given))
                given = Int(running.rounded())
            }
        }
    }
}
