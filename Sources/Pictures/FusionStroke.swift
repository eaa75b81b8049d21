internal import CKernels
internal import VAP

/// One element in one frame: which samples of the picture it covers, and how mask and source come to each of them.
///
/// Mask and source are resampled straight to program pixels, with the filters of everything else; pixels that the
/// target covers in part are weighed by that part. One thread.
final class FusionStroke {
    let element: FusionElement
    /// Of the picture, even at both ends.
    let columns, rows: Range<Int>
    private let bitmap: FusionBitmap
    /// In the picture's pixels.
    private let target: Rectangle
    private let mask: PlaneScaler
    private let luma, u, v, alpha: PlaneScaler

    /// Nil when it covers nothing of the picture, or less of a pixel than can be seen.
    init?(_ element: FusionElement, _ art: FusionArt, _ plan: FusionPlan) {
        guard let bitmap = art.bitmaps[element.source] else { return nil }
        let target = plan.target(element.target)
        let columns = Self.covered(target.x, target.width, plan.width)
        let rows = Self.covered(target.y, target.height, plan.height)
        guard min(target.width, target.height) > 1.0 / 64, !columns.isEmpty, !rows.isEmpty else { return nil }
        self.element = element
        self.bitmap = bitmap
        self.target = target
        self.columns = columns
        self.rows = rows
        mask = Self.mask(element, target, columns, rows, coded: plan.coded)

        let window = FusionGeometry.window(
            of: art.sources[element.source], picture: bitmap.natural, targetWidth: element.target.width,
            targetHeight: element.target.height)
        let across = Double(bitmap.size.width) / Double(bitmap.natural.width)
        let down = Double(bitmap.size.height) / Double(bitmap.natural.height)
        let sourceColumns = Self.table(
            window.x * across, window.width * across, 0...bitmap.size.width - 1, target.x, target.width,
            columns, inFours: true)
        let sourceRows = Self.table(
            window.y * down, window.height * down, 0...bitmap.size.height - 1, target.y, target.height, rows,
            inFours: false)
        luma = PlaneScaler(columns: sourceColumns, rows: sourceRows)
        u = PlaneScaler(columns: sourceColumns, rows: sourceRows)
        v = PlaneScaler(columns: sourceColumns, rows: sourceRows)
        alpha = PlaneScaler(columns: sourceColumns, rows: sourceRows)
    }

    /// A new frame: no row of the last one counts.
    func begin() {
        for scaler in [mask, luma, u, v, alpha] { scaler.begin() }
    }

    /// The weights of row `row` of the picture: the mask, less where the target covers a pixel in part.
    func weigh(
        _ row: Int, _ plane: UnsafeRawPointer, stride: Int, bitDepth: Int, _ range: MaskRange,
        into weights: UnsafeMutablePointer<UInt16>
    ) {
        mask.scale(
            plane, stride: stride, bitDepth: bitDepth, row: row - rows.lowerBound, into: weights)
        ck_mask(weights, columns.count, range.black, range.gain, range.floor, range.ceiling)
        let share = Self.share(row, target.y, target.height)
        if share < 1 {
            for index in 0..<columns.count { weights[index] = Self.part(weights[index], share) }
        }
        // Only the two columns at either end can be covered in part.
        weighEnds(0..<2, weights)
        if columns.count > 2 { weighEnds(columns.count - 2..<columns.count, weights) }
    }

    private func weighEnds(_ indices: Range<Int>, _ weights: UnsafeMutablePointer<UInt16>) {
        for index in indices {
            let share = Self.share(columns.lowerBound + index, target.x, target.width)
            if share < 1 { weights[index] = Self.part(weights[index], share) }
        }
    }

    /// Row `row` of the source, scaled and weighed: 15-bit values, colour about its zero. `lines.weights` holds the
    /// weights.
    func draw(_ row: Int, zero: UInt8, into lines: FusionLines.Row) {
        let (row, count) = (row - rows.lowerBound, columns.count)
        bitmap.withPlanes { plane, bytes in
            let stride = bitmap.size.width
            luma.scale(plane, stride: stride, bitDepth: 8, row: row, into: lines.luma)
            u.scale(plane + bytes, stride: stride, bitDepth: 8, row: row, into: lines.u)
            v.scale(plane + 2 * bytes, stride: stride, bitDepth: 8, row: row, into: lines.v)
            alpha.scale(plane + 3 * bytes, stride: stride, bitDepth: 8, row: row, into: lines.alpha)
        }
        ck_weigh(lines.luma, lines.weights, count, UInt16(zero) << 7)
        ck_weigh(lines.u, lines.weights, count, 128 << 7)
        ck_weigh(lines.v, lines.weights, count, 128 << 7)
        ck_weigh(lines.alpha, lines.weights, count, 0)
    }

    // MARK: Tables

    private static func mask(
        _ element: FusionElement, _ target: Rectangle, _ columns: Range<Int>, _ rows: Range<Int>, coded: Size
    ) -> PlaneScaler {
        let area = MaskArea(element, coded: coded)
        return PlaneScaler(
            columns: table(
                area.x, area.width, area.columns, target.x, target.width, columns, inFours: true),
            rows: table(area.y, area.height, area.rows, target.y, target.height, rows, inFours: false))
    }

    /// From `length` samples at `start` to the target's pixels of `outputs`.
    private static func table(
        _ start: Double, _ length: Double, _ bounds: ClosedRange<Int>, _ targetStart: Double,
        _ targetLength: Double, _ outputs: Range<Int>, inFours: Bool
    ) -> ScaleTable {
        let step = length / targetLength
        return ScaleTable(
            start: start - targetStart * step, step: step, bounds: bounds, outputs: outputs, inFours: inFours)
    }

    /// The whole pixels, in pairs, that a length of the target touches.
    private static func covered(_ start: Double, _ length: Double, _ limit: Int) -> Range<Int> {
        let begin = Int(min(max(start, 0), Double(limit))) & ~1
        let end = (Int(min(max(start + length, 0), Double(limit)).rounded(.up)) + 1) & ~1
        return begin..<max(begin, min(end, limit))
    }

    /// How much of a pixel the target covers in one direction.
    private static func share(_ pixel: Int, _ start: Double, _ length: Double) -> Double {
        min(max(min(Double(pixel) + 1, start + length) - max(Double(pixel), start), 0), 1)
    }

    private static func part(_ weight: UInt16, _ share: Double) -> UInt16 {
        UInt16((Double(weight) * share).rounded())
    }
}
