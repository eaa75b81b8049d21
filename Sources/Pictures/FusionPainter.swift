internal import CKernels
internal import VAP

/// Draws the fusion elements of a gift into its prepared pictures, over the gift's own colour and in the order of z.
///
/// With m the source's alpha times the mask, S its colour, D and DA what is below: D' = S m + D (1-m) and
/// DA' = m + DA (1-m) (vap-guide.md section 5.1, "to do"). Whatever the gift's blend is, elements are laid over what it
/// has made of the gift: a name is not paler because the gift is. Chroma is the mean of what its four samples would be.
///
/// One thread. Of elements that lie where they lay in the frame before, the tables are kept.
final class FusionPainter {
    private let art: FusionArt
    private let plan: FusionPlan
    private let lines: FusionLines
    private var strokes: [FusionStroke] = []
    /// Turned copies of masks, by the stroke that uses them.
    private var turned: [Int: [UInt8]] = [:]
    /// From the first row to the last that is drawn on.
    private var rows = 0..<0
    private var range: MaskRange

    init(_ art: FusionArt, layout: Layout, place: PlacedRectangle, program: ProgramFormat) {
        self.art = art
        plan = FusionPlan(layout: layout, place: place, program: program)
        lines = FusionLines(width: plan.width)
        range = MaskRange(program.colour)
    }

    /// Takes on the elements of the picture with this display index.
    func begin(_ index: Int, _ frame: DecodedFrame) {
        let old = strokes
        strokes = (art.elements[index] ?? []).compactMap { element in
            old.first { $0.element == element } ?? FusionStroke(element, art, plan)
        }
        // The same element twice in a frame is the same stroke twice, which the scalers would not bear.
        for (index, stroke) in strokes.enumerated() where strokes[..<index].contains(where: { $0 === stroke })
        {
            if let other = FusionStroke(stroke.element, art, plan) { strokes[index] = other }
        }
        turned = [:]
        for (index, stroke) in strokes.enumerated() {
            stroke.begin()
            if stroke.element.isTurned { turned[index] = MaskArea.turned(stroke.element, frame) }
        }
        rows = (strokes.map(\.rows.lowerBound).min() ?? 0)..<(strokes.map(\.rows.upperBound).max() ?? 0)
        range = MaskRange(frame.colour)
    }

    /// Whether anything is drawn on this row and the one below; `row` is even.
    func touches(_ row: Int) -> Bool { rows.contains(row) && strokes.contains { $0.rows.contains(row) } }

    /// Draws on rows `row` and `row + 1` and their chroma row, all of which must hold whole rows of the gift. The alpha
    /// of chroma is left to the caller.
    func paint(_ row: Int, _ frame: DecodedFrame, on picture: Picture) {
        for (index, stroke) in strokes.enumerated() where stroke.rows.contains(row) {
            for (row, lines) in [(row, lines.upper), (row + 1, lines.lower)] {
                weigh(index, row, frame, into: lines.weights)
                stroke.draw(row, zero: picture.luma.zero, into: lines)
                fuse(lines.luma, lines.alpha, picture.luma, row, stroke.columns)
            }
            fuseChroma(row / 2, stroke.columns.lowerBound / 2, stroke.columns.count / 2, picture)
        }
    }

    private func weigh(
        _ index: Int, _ row: Int, _ frame: DecodedFrame, into weights: UnsafeMutablePointer<UInt16>
    ) {
        let stroke = strokes[index]
        guard let copy = turned[index] else {
            return stroke.weigh(
                row, frame.planes.0, stride: frame.strides.0, bitDepth: frame.bitDepth, range, into: weights)
        }
        let stride = MaskArea(stroke.element, coded: plan.coded).columns.count * (frame.bitDepth == 8 ? 1 : 2)
        copy.withUnsafeBytes { bytes in
            guard let plane = bytes.baseAddress else { return }
            stroke.weigh(row, plane, stride: stride, bitDepth: frame.bitDepth, range, into: weights)
        }
    }

    private func fuse(
        _ colour: UnsafePointer<UInt16>, _ alpha: UnsafePointer<UInt16>, _ plane: Picture.Plane, _ row: Int,
        _ columns: Range<Int>
    ) {
        let offset = row * plane.stride + columns.lowerBound
        ck_fuse(plane.colour + offset, colour, alpha, columns.count, plane.zero)
        ck_fuse(plane.alpha + offset, alpha, alpha, columns.count, 0)
    }

    private func fuseChroma(_ row: Int, _ column: Int, _ count: Int, _ picture: Picture) {
        ck_halve(lines.u, lines.upper.u, lines.lower.u, count)
        ck_halve(lines.v, lines.upper.v, lines.lower.v, count)
        ck_halve(lines.alpha, lines.upper.alpha, lines.lower.alpha, count)
        let offset = row * picture.chromaU.stride + column
        ck_fuse(picture.chromaU.colour + offset, lines.u, lines.alpha, count, picture.chromaU.zero)
        ck_fuse(picture.chromaV.colour + offset, lines.v, lines.alpha, count, picture.chromaV.zero)
    }
}
