internal import CKernels

extension PicturePreparer {
    /// Two luma rows and their chroma row that fusion elements are drawn on. The runs are those of what is there in the
    /// end; rows of the gift are made whole, for elements may lie anywhere on them.
    func preparePair(
        _ row: Int, _ frame: DecodedFrame, _ tables: Tables, _ picture: Picture, _ fusion: FusionPainter
    ) {
        let chroma = picture.chromaU
        let chromaAlpha = chroma.alpha + row / 2 * chroma.stride
        for row in row...(row + 1) { scaleAlpha(row, frame, tables, picture) }
        halveAlpha(row, picture, into: chromaAlpha)
        prepareWholeRows(row, frame, tables, picture)
        let own = blend == .ios ? OwnAlpha(row, picture) : nil
        if blend == .ios { squareAlpha(row, tables, picture) }
        fusion.paint(row, frame, on: picture)
        halveAlpha(row, picture, into: chromaAlpha)
        appendRuns(row, own, picture)
    }

    /// The gift's own colour, and none where it has no alpha.
    private func prepareWholeRows(_ row: Int, _ frame: DecodedFrame, _ tables: Tables, _ picture: Picture) {
        for row in row...(row + 1) {
            if isClear(picture.luma, row) {
                clear(picture.luma, row)
            } else {
                prepareLuma(row, frame, tables, picture)
            }
        }
        if isClear(picture.chromaU, row / 2) {
            clear(picture.chromaU, row / 2)
            clear(picture.chromaV, row / 2)
        } else {
            prepareChroma(row / 2, frame, tables, picture)
        }
    }

    private func isClear(_ plane: Picture.Plane, _ row: Int) -> Bool {
        var (begin, end) = (0, 0)
        return ck_next_run(plane.alpha + row * plane.stride, plane.width, 0, &begin, &end) == 0
    }

    private func clear(_ plane: Picture.Plane, _ row: Int) {
        (plane.colour + row * plane.stride).update(repeating: plane.zero, count: plane.width)
    }

    private func appendRuns(_ row: Int, _ own: OwnAlpha?, _ picture: Picture) {
        let (luma, chroma) = (picture.luma, picture.chromaU)
        for (index, row) in [row, row + 1].enumerated() {
            let alpha = luma.alpha + row * luma.stride
            _ = picture.lumaRuns.append(row: row, alpha: alpha, width: luma.width, or: own?.luma[index])
        }
        _ = picture.chromaRuns.append(
            row: row / 2, alpha: chroma.alpha + row / 2 * chroma.stride, width: chroma.width, or: own?.chroma)
    }
}

/// The gift's own alpha before it is squared: there is colour of the gift wherever it is not 0.
private struct OwnAlpha {
    let luma: [[UInt8]]
    let chroma: [UInt8]

    init(_ row: Int, _ picture: Picture) {
        func copy(_ plane: Picture.Plane, _ row: Int) -> [UInt8] {
            Array(UnsafeBufferPointer(start: plane.alpha + row * plane.stride, count: plane.width))
        }
        luma = [copy(picture.luma, row), copy(picture.luma, row + 1)]
        chroma = copy(picture.chromaU, row / 2)
    }
}

extension Runs {
    /// Adds the runs of samples that have alpha, or had it before.
    fileprivate mutating func append(
        row: Int, alpha: UnsafePointer<UInt8>, width: Int, or earlier: [UInt8]?
    ) -> Bool {
        guard var both = earlier else { return append(row: row, alpha: alpha, width: width) }
        for index in 0..<width { both[index] |= alpha[index] }
        return append(row: row, alpha: both, width: width)
    }
}
