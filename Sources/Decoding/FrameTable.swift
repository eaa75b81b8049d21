/// Which place in display order a time stamp has: the number of coded pictures with an earlier one. Counting what
/// the decoder gives out would not do, for it gives out fewer pictures than there are when some are damaged.
struct FrameTable: Sendable {
    private let stamps: [Int64]

    /// The stamps of all coded pictures, in any order.
    init(_ stamps: [Int64]) { self.stamps = stamps.sorted() }

    var count: Int { stamps.count }

    /// The display index of the picture with this stamp, or of the nearest before it. Nil before the first.
    func index(of stamp: Int64) -> Int? {
        var (low, high) = (0, stamps.count)
        while low < high {
            let middle = (low + high) / 2
            if stamps[middle] < stamp { low = middle + 1 } else { high = middle }
        }
        if low < stamps.count, stamps[low] == stamp { return low }
        return low > 0 ? low - 1 : nil
    }
}
