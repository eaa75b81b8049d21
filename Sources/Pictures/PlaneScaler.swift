internal import CKernels

/// Scales one plane to rows of 15-bit values, row after row. Each source row is resampled once.
///
/// One thread. Buffers are made in `init`; scaling allocates nothing.
final class PlaneScaler {
    private let columns, rows: ScaleTable
    /// The last resampled source rows: row r lies at slot r % taps.
    private let ring: UnsafeMutablePointer<UInt16>
    private let window: UnsafeMutablePointer<UnsafePointer<UInt16>>
    private var nextRow = Int.min
    private let width: Int

    init(columns: ScaleTable, rows: ScaleTable) {
        self.columns = columns
        self.rows = rows
        width = columns.count
        ring = .allocate(capacity: max(width * rows.taps, 1))
        ring.initialize(repeating: 0, count: max(width * rows.taps, 1))
        window = .allocate(capacity: rows.taps)
        window.initialize(repeating: UnsafePointer(ring), count: rows.taps)
    }

    deinit {
        ring.deallocate()
        window.deallocate()
    }

    /// Forgets the rows of the last frame.
    func begin() { nextRow = Int.min }

    /// Writes output row `row` (of the table's outputs, rising from call to call) into `out`.
    func scale(
        _ plane: UnsafeRawPointer, stride: Int, bitDepth: Int, row: Int,
        into out: UnsafeMutablePointer<UInt16>
    ) {
        let first = Int(rows.first[row])
        for source in max(first, nextRow)..<max(first + rows.taps, nextRow) {
            resample(plane + source * stride, bitDepth, into: ring + source % rows.taps * width)
        }
        nextRow = max(first + rows.taps, nextRow)
        for tap in 0..<rows.taps { window[tap] = UnsafePointer(ring + (first + tap) % rows.taps * width) }
        rows.weights.withUnsafeBufferPointer { weights in
            guard let weights = weights.baseAddress else { return }
            ck_scale_column(out, window, weights + row * rows.taps, rows.taps, width)
        }
    }

    private func resample(_ line: UnsafeRawPointer, _ bitDepth: Int, into out: UnsafeMutablePointer<UInt16>) {
        columns.first.withUnsafeBufferPointer { first in
            columns.weights.withUnsafeBufferPointer { weights in
                guard let first = first.baseAddress, let weights = weights.baseAddress else { return }
                let shift = UInt32(7 + bitDepth - 8)
                if bitDepth == 8 {
                    ck_scale_row8(
                        out, line.assumingMemoryBound(to: UInt8.self), first, weights, columns.taps, width,
                        shift, Int32(columns.limit))
                } else {
                    ck_scale_row16(
                        out, line.assumingMemoryBound(to: UInt16.self), first, weights, columns.taps, width,
                        shift)
                }
            }
        }
    }
}
