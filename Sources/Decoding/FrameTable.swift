/// Which place in display order each coded picture has: the number of coded pictures with an earlier stamp, or with the
/// same one and before it in the file. Counting what the decoder gives out would not do, for it gives out fewer
/// pictures than there are when some are damaged.
struct FrameTable: Sendable {
    private let indices: [Int32]

    /// The stamps of all coded pictures, in the order of the file.
    init(_ stamps: [Int64]) {
        var indices = [Int32](repeating: 0, count: stamps.count)
        let order = stamps.indices.sorted { (stamps[$0], $0) < (stamps[$1], $1) }
        for (index, picture) in order.enumerated() { indices[picture] = Int32(clamping: index) }
        self.indices = indices
    }

    var count: Int { indices.count }

    /// The display index of a coded picture, by its place in the file; nil where there were fewer.
    func index(ofCoded picture: Int) -> Int? {
        indices.indices.contains(picture) ? Int(indices[picture]) : nil
    }
}
