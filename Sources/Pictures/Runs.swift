internal import CKernels

/// The runs of samples with alpha in a plane, row by row: what blending has to visit.
///
/// The memory is made once, for the worst plane of the size, and is touched only as far as runs need it. Owned by a
/// picture, which frees it.
struct Runs {
    struct Run {
        let row, begin, end: Int32
    }

    private let storage: UnsafeMutablePointer<Run>
    private(set) var count = 0
    let byteCount: Int

    init(width: Int, height: Int) {
        // A run and the gap behind it take at least a block and CK_RUN_GAP samples.
        let distance = CK_RUN_BLOCK + CK_RUN_GAP
        let capacity = (width + distance - 1) / distance * height
        storage = .allocate(capacity: max(capacity, 1))
        byteCount = capacity * MemoryLayout<Run>.stride
    }

    func deallocate() { storage.deallocate() }

    mutating func removeAll() { count = 0 }

    /// Adds the runs of row `row`, whose alpha is `alpha`; false when it has none. Rows come in rising order, each once.
    mutating func append(row: Int, alpha: UnsafePointer<UInt8>, width: Int) -> Bool {
        let before = count
        var (begin, end) = (0, 0)
        while ck_next_run(alpha, width, end, &begin, &end) != 0 {
            (storage + count).initialize(to: Run(row: Int32(row), begin: Int32(begin), end: Int32(end)))
            count += 1
        }
        return count > before
    }

    subscript(index: Int) -> Run { storage[index] }
}
