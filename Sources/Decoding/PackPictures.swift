internal import CLibAV
internal import VAP

/// The picture track while it is made. One thread.
final class PackPictures {
    let framesPerSecond: Int
    private(set) var count = 0
    private let composer: PackComposer
    private let encoder: PackEncoder
    private let coded: Owner<AVFrame>

    init(_ layout: Layout, _ options: PackOptions, _ muxer: PackMuxer) throws(PackError) {
        framesPerSecond = Int(layout.framesPerSecond)
        composer = PackComposer(layout, colour: options.colour)
        encoder = try PackEncoder.video(layout, options, muxer)
        coded = .picture(AV_PIX_FMT_YUV420P, layout.coded.width, layout.coded.height)
    }

    /// Composes the picture that the next `encode` calls show.
    func draw(_ source: UnsafeMutablePointer<AVFrame>) throws(PackError) {
        // The encoder may still hold the frame before: then this one gets memory of its own.
        try packCheck(.encoderFailed, "memory for a picture", av_frame_make_writable(coded.raw))
        try composer.compose(source, into: coded.raw)
    }

    func encode() throws(PackError) {
        coded.raw.pointee.pts = Int64(count)
        try encoder.encode(coded.raw)
        count += 1
    }

    func finish() throws(PackError) { try encoder.encode(nil) }
}
