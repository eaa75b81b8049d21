internal import VAP

extension PicturePreparer {
    /// Everything that depends on the form of the decoded frames, and the lines that rows are made in.
    final class Tables {
        let form: DecodedFrame.Form
        let luma, alpha, u, v: PlaneScaler
        /// Chroma at luma resolution, for luma that depends on it.
        let wideU, wideV: PlaneScaler?
        let map: ColourMap?
        let alphaGain: Int32
        let weights: AlphaWeights
        /// 15-bit values of one row.
        let lumaLine, uLine, vLine: UnsafeMutablePointer<UInt16>

        init(_ form: DecodedFrame.Form, _ layout: Layout, _ place: PlacedRectangle, _ program: ProgramFormat)
        {
            self.form = form
            let visible = place.visible(in: program)
            let cut = Cut(form: form, place: place, columns: visible.columns, rows: visible.rows)
            luma = cut.scaler(layout.colour, isChroma: false, halved: false)
            alpha = cut.scaler(layout.alpha, isChroma: false, halved: false)
            u = cut.scaler(layout.colour, isChroma: true, halved: true)
            v = cut.scaler(layout.colour, isChroma: true, halved: true)
            map = ColourMap(from: form.colour, to: program.colour)
            wideU = map.map { _ in cut.scaler(layout.colour, isChroma: true, halved: false) }
            wideV = map.map { _ in cut.scaler(layout.colour, isChroma: true, halved: false) }
            alphaGain = Int32((255.0 * 2_097_152 / Double(form.colour.lumaSpan * 128)).rounded())
            weights = AlphaWeights(width: visible.columns.count, colour: form.colour)
            let width = max(visible.columns.count, 1)
            lumaLine = .allocate(capacity: width)
            uLine = .allocate(capacity: width)
            vLine = .allocate(capacity: width)
            for line in [lumaLine, uLine, vLine] { line.initialize(repeating: 0, count: width) }
        }

        deinit {
            for line in [lumaLine, uLine, vLine] { line.deallocate() }
        }

        /// A new frame: no row of the last one counts.
        func begin() {
            luma.begin()
            alpha.begin()
            u.begin()
            v.begin()
            wideU?.begin()
            wideV?.begin()
        }
    }

    /// Which part of a decoded plane goes to which part of the program.
    private struct Cut {
        let form: DecodedFrame.Form
        let place: PlacedRectangle
        let columns, rows: Range<Int>

        /// A scaler from `rectangle` (luma coordinates of the coded picture) to the visible rows and columns;
        /// `halved`: at the program's chroma resolution.
        func scaler(_ rectangle: Rectangle, isChroma: Bool, halved: Bool) -> PlaneScaler {
            let divisor = halved ? 2 : 1
            return PlaneScaler(
                columns: table(
                    rectangle.x, rectangle.width, shift: isChroma ? form.chromaShiftX : 0,
                    limit: form.size.width,
                    total: place.width, outputs: columns, divisor, inFours: true),
                rows: table(
                    rectangle.y, rectangle.height, shift: isChroma ? form.chromaShiftY : 0,
                    limit: form.size.height,
                    total: place.height, outputs: rows, divisor, inFours: false))
        }

        private func table(
            _ begin: Double, _ length: Double, shift: Int, limit: Int, total: Int, outputs: Range<Int>,
            _ divisor: Int, inFours: Bool
        ) -> ScaleTable {
            let scale = Double(1 << shift)
            let (start, extent) = (begin / scale, length / scale)
            let last = ((limit + (1 << shift) - 1) >> shift) - 1
            // Only samples that lie wholly inside; a sliver without one gets the nearest.
            let lower = min(max(Int(start.rounded(.up)), 0), last)
            let upper = min(max(Int((start + extent).rounded(.down)) - 1, lower), last)
            return ScaleTable(
                start: start, length: extent, bounds: lower...upper, total: total / divisor,
                outputs: outputs.lowerBound / divisor..<outputs.upperBound / divisor, inFours: inFours)
        }
    }
}
