internal import CLibAV
internal import Pictures
internal import VAP

/// The picture that is painted on: I420 with even sides. Of an odd feed the last column or row is there twice, and is
/// cut off again where the output can be odd. One thread.
final class RenderCanvas {
    /// The feed's own size.
    let size: Size
    /// What is painted on.
    let program: ProgramFormat
    private let frame: Owner<AVFrame>
    private let scaler = PackScaler(keepsColour: true)

    init(_ format: RenderFormat) {
        size = format.size
        program = ProgramFormat(
            width: (size.width + 1) & ~1, height: (size.height + 1) & ~1, colour: format.colour)
        frame = .picture(AV_PIX_FMT_YUV420P, program.width, program.height)
        frame.raw.pointee.sample_aspect_ratio = format.aspect
        frame.raw.pointee.chroma_location = format.chromaLocation
        frame.raw.pointee.colorspace =
            format.colour.matrix == .bt709 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M
        frame.raw.pointee.color_range =
            format.colour.range == .full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    }

    /// Lends the picture to a painter.
    func paint(_ body: (LiveFrame) -> Void) {
        let raw = frame.raw.pointee
        guard let luma = raw.data.0, let u = raw.data.1, let v = raw.data.2 else { return }
        body(
            LiveFrame(
                luma: luma, chromaU: u, chromaV: v, lumaStride: Int(raw.linesize.0),
                chromaStride: Int(raw.linesize.1), width: program.width, height: program.height))
    }

    /// One colour everywhere.
    func fill(_ luma: UInt8, _ u: UInt8, _ v: UInt8) throws(RenderError) {
        try makeWritable()
        paint { live in
            for row in 0..<live.height {
                (live.luma + row * live.lumaStride).update(repeating: luma, count: live.width)
            }
            for row in 0..<live.height / 2 {
                (live.chromaU + row * live.chromaStride).update(repeating: u, count: live.width / 2)
                (live.chromaV + row * live.chromaStride).update(repeating: v, count: live.width / 2)
            }
        }
    }

    /// Takes a decoded picture over, sample by sample where it is 4:2:0 with 8 bits and of the feed's size.
    func take(_ source: UnsafeMutablePointer<AVFrame>) throws(RenderError) {
        try makeWritable()
        let format = AVPixelFormat(source.pointee.format)
        let isPlain = format == AV_PIX_FMT_YUV420P || format == AV_PIX_FMT_YUVJ420P
        if isPlain, Size(Int(source.pointee.width), Int(source.pointee.height)) == size {
            copy(source.pointee)
        } else {
            let target = reference(isEven: false)
            try rendering { () throws(PackError) in try scaler.convert(source, into: target.raw) }
        }
        repeatEdges()
    }

    private func copy(_ source: AVFrame) {
        let target = frame.raw.pointee
        let (width, height) = (Int32(clamping: size.width), Int32(clamping: size.height))
        let (halfWidth, halfHeight) = ((width + 1) / 2, (height + 1) / 2)
        av_image_copy_plane(
            target.data.0, target.linesize.0, source.data.0, source.linesize.0, width, height)
        av_image_copy_plane(
            target.data.1, target.linesize.1, source.data.1, source.linesize.1, halfWidth, halfHeight)
        av_image_copy_plane(
            target.data.2, target.linesize.2, source.data.2, source.linesize.2, halfWidth, halfHeight)
    }

    /// The same samples for an encoder, with even sides or the feed's own.
    func reference(isEven: Bool) -> Owner<AVFrame> {
        let owner = Owner<AVFrame>.frame()
        guard av_frame_ref(owner.raw, frame.raw) == 0 else { fatalError("out of memory") }
        guard !isEven else { return owner }
        owner.raw.pointee.width = Int32(clamping: size.width)
        owner.raw.pointee.height = Int32(clamping: size.height)
        return owner
    }

    /// An encoder may still hold the picture before: then this one gets memory of its own.
    private func makeWritable() throws(RenderError) {
        try rendering { () throws(PackError) in
            try packCheck(.encoderFailed, "memory for a picture", av_frame_make_writable(frame.raw))
        }
    }

    private func repeatEdges() {
        paint { live in
            if size.width < live.width {
                for row in 0..<size.height {
                    let end = live.luma + row * live.lumaStride + size.width
                    end.pointee = (end - 1).pointee
                }
            }
            if size.height < live.height {
                let last = live.luma + size.height * live.lumaStride
                last.update(from: last - live.lumaStride, count: live.width)
            }
        }
    }
}
