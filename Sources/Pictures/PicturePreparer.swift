internal import CKernels
package import VAP

/// Turns decoded frames of one gift into pictures: cuts colour and alpha out, scales both to their place, maps the
/// colours to the program's, multiplies where the blend asks for it, and draws what the sender has filled in.
///
/// Colour and alpha are two samples of the same decoded frame. Alpha is the luma of its rectangle, expanded from the
/// gift's range; below 4/255 it is 0 and above 251/255 it is 1, so that codec noise neither veils the live picture nor
/// leaves holes in solid parts (vap-guide: noise of up to 3.5 levels where the source is clear, 243 where it is solid).
/// Chroma is taken to lie in the middle of its four luma samples, in the gift and in the program alike: rectangles are
/// cut at any position, and only the symmetric choice keeps their edges where they are.
///
/// Tables are made with the first frame; from then on `prepare` allocates nothing for frames without fusion elements.
/// One thread.
package final class PicturePreparer {
    /// Alpha below is codec noise, alpha above is solid.
    static let floor: UInt8 = 4
    static let ceiling: UInt8 = 251

    private let layout: Layout
    private let place: PlacedRectangle
    private let program: ProgramFormat
    let blend: Blend
    private let fusion: FusionPainter?
    private var tables: Tables?

    /// `art` is what the gift's sender has filled in, if anything.
    package init(
        layout: Layout, place: PlacedRectangle, program: ProgramFormat, blend: Blend, art: FusionArt? = nil
    ) {
        self.layout = layout
        self.place = place
        self.program = program
        self.blend = blend
        fusion = art.map { FusionPainter($0, layout: layout, place: place, program: program) }
    }

    /// Fills `picture`, which was made for the same place and program. `index` is the frame's display index, which says
    /// what is drawn into it. Throws `trackMismatch` for a frame of another size than the layout's and
    /// `pixelFormatUnsupported` for sample sizes that no codec in use has.
    package func prepare(
        _ frame: DecodedFrame, index: Int = 0, into picture: Picture
    ) throws(AnimationError) {
        guard frame.size == layout.coded else {
            throw AnimationError(
                .trackMismatch,
                "a frame is \(frame.size.width)x\(frame.size.height), the layout says "
                    + "\(layout.coded.width)x\(layout.coded.height)")
        }
        guard (8...16).contains(frame.bitDepth) else {
            throw AnimationError(.pixelFormatUnsupported, "\(frame.bitDepth) bits a sample are not supported")
        }
        let tables = tables(for: frame)
        guard picture.width > 0, picture.height > 0 else { return }
        tables.begin()
        fusion?.begin(index, frame)
        picture.lumaRuns.removeAll()
        picture.chromaRuns.removeAll()
        for row in stride(from: 0, to: picture.height, by: 2) { preparePair(row, frame, tables, picture) }
    }

    private func tables(for frame: DecodedFrame) -> Tables {
        if let tables, tables.form == frame.form { return tables }
        let made = Tables(frame.form, layout, place, program)
        tables = made
        return made
    }

    /// Two luma rows and their chroma row. Rows without alpha cost no more than to find that out.
    private func preparePair(_ row: Int, _ frame: DecodedFrame, _ tables: Tables, _ picture: Picture) {
        if let fusion, fusion.touches(row) { return preparePair(row, frame, tables, picture, fusion) }
        // Measured and cleared by the gift's own alpha: its square rounds to 0 where there still is colour.
        let hasUpper = prepareAlpha(row, frame, tables, picture)
        let hasLower = prepareAlpha(row + 1, frame, tables, picture)
        guard hasUpper || hasLower else { return }
        let chroma = picture.chromaU
        let chromaAlpha = chroma.alpha + row / 2 * chroma.stride
        halveAlpha(row, picture, into: chromaAlpha)
        if hasUpper { prepareLuma(row, frame, tables, picture) }
        if hasLower { prepareLuma(row + 1, frame, tables, picture) }
        if picture.chromaRuns.append(row: row / 2, alpha: chromaAlpha, width: chroma.width) {
            prepareChroma(row / 2, frame, tables, picture)
        }
        if blend == .ios { squareAlpha(row, tables, picture) }
    }

    /// False when the row is clear from end to end.
    private func prepareAlpha(_ row: Int, _ frame: DecodedFrame, _ tables: Tables, _ picture: Picture) -> Bool
    {
        let plane = picture.luma
        scaleAlpha(row, frame, tables, picture)
        return picture.lumaRuns.append(
            row: row, alpha: plane.alpha + row * plane.stride, width: plane.width)
    }

    func scaleAlpha(_ row: Int, _ frame: DecodedFrame, _ tables: Tables, _ picture: Picture) {
        let (plane, line) = (picture.luma, tables.lumaLine)
        let alpha = plane.alpha + row * plane.stride
        tables.alpha.scale(
            frame.planes.0, stride: frame.strides.0, bitDepth: frame.bitDepth, row: row, into: line)
        if blend != .premultiplied { tables.weights.take(line, row: row) }
        ck_alpha(
            alpha, line, plane.width, Int32(frame.colour.black) << 7, tables.alphaGain, Self.floor,
            Self.ceiling)
    }

    func prepareLuma(_ row: Int, _ frame: DecodedFrame, _ tables: Tables, _ picture: Picture) {
        let plane = picture.luma
        let colour = plane.colour + row * plane.stride
        let (luma, u, v) = (tables.lumaLine, tables.uLine, tables.vLine)
        tables.luma.scale(
            frame.planes.0, stride: frame.strides.0, bitDepth: frame.bitDepth, row: row, into: luma)
        if blend != .premultiplied { tables.weights.weigh(luma: luma, row: row) }
        if let map = tables.map, let wideU = tables.wideU, let wideV = tables.wideV {
            wideU.scale(frame.planes.1, stride: frame.strides.1, bitDepth: frame.bitDepth, row: row, into: u)
            wideV.scale(frame.planes.2, stride: frame.strides.2, bitDepth: frame.bitDepth, row: row, into: v)
            if blend != .premultiplied {
                tables.weights.weigh(wide: u, row: row)
                tables.weights.weigh(wide: v, row: row)
            }
            ck_map(colour, luma, u, v, plane.width, map.luma.luma, map.luma.u, map.luma.v, map.luma.offset)
        } else {
            ck_narrow(colour, luma, plane.width)
        }
        clearColour(plane, row)
    }

    func prepareChroma(_ row: Int, _ frame: DecodedFrame, _ tables: Tables, _ picture: Picture) {
        let plane = picture.chromaU
        let (u, v) = (tables.uLine, tables.vLine)
        tables.u.scale(frame.planes.1, stride: frame.strides.1, bitDepth: frame.bitDepth, row: row, into: u)
        tables.v.scale(frame.planes.2, stride: frame.strides.2, bitDepth: frame.bitDepth, row: row, into: v)
        if blend != .premultiplied { tables.weights.weighChroma(u, v) }
        let (outU, outV) = (
            picture.chromaU.colour + row * plane.stride, picture.chromaV.colour + row * plane.stride
        )
        if let map = tables.map {
            ck_map(outU, u, u, v, plane.width, map.u.luma, map.u.u, map.u.v, map.u.offset)
            ck_map(outV, u, u, v, plane.width, map.v.luma, map.v.u, map.v.v, map.v.offset)
        } else {
            ck_narrow(outU, u, plane.width)
            ck_narrow(outV, v, plane.width)
        }
        clearColour(picture.chromaU, row)
        clearColour(picture.chromaV, row)
    }

    /// No colour where there is no alpha.
    private func clearColour(_ plane: Picture.Plane, _ row: Int) {
        let offset = row * plane.stride
        ck_clear(plane.colour + offset, plane.alpha + offset, plane.width, plane.zero)
    }

    func halveAlpha(_ row: Int, _ picture: Picture, into chroma: UnsafeMutablePointer<UInt8>) {
        let upper = picture.luma.alpha + row * picture.luma.stride
        ck_halve_alpha(chroma, upper, upper + picture.luma.stride, picture.chromaU.width)
    }

    /// Squares the alpha of two luma rows and of their chroma row.
    func squareAlpha(_ row: Int, _ tables: Tables, _ picture: Picture) {
        let (luma, chroma) = (picture.luma, picture.chromaU)
        for row in row...(row + 1) {
            tables.weights.square(row: row, into: luma.alpha + row * luma.stride)
        }
        halveAlpha(row, picture, into: chroma.alpha + row / 2 * chroma.stride)
    }
}
