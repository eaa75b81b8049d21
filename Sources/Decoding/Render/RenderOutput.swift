internal import CLibAV
internal import Pictures
internal import VAP

/// Where the frames go. One thread.
protocol RenderOutput: AnyObject {
    /// Of what is written.
    var size: Size { get }
    /// Takes the sound; nil where there is none.
    var sound: PackEncoder? { get }
    func write(_ canvas: RenderCanvas) throws(RenderError)
    /// Puts the whole file at its place.
    func finish() throws(RenderError)
}

/// A YUV4MPEG2 or MP4 file, written beside its place. Whoever lets it go unfinished leaves nothing behind.
final class RenderMovie: RenderOutput {
    let size: Size
    private let path: String
    private let temporary: PackFile.Temporary
    private let muxer: PackMuxer
    private let encoder: PackEncoder
    let sound: PackEncoder?
    /// H.264 in 4:2:0 has no odd sizes.
    private let isEven: Bool
    private var count: Int64 = 0

    /// Not compressed, at the feed's own size.
    static func raw(_ path: String, _ format: RenderFormat) throws(RenderError) -> RenderMovie {
        try RenderMovie(path, "yuv4mpegpipe", format.size, isEven: false) { muxer throws(PackError) in
            try .program("wrapped_avframe", format, format.size, [], muxer)
        }
    }

    /// H.264 of a quality at which nothing is seen to be missing. The same on every processor and every time: the
    /// number of threads is fixed.
    static func movie(_ path: String, _ format: RenderFormat, hasSound: Bool) throws(RenderError)
        -> RenderMovie
    {
        let settings = [("preset", "fast"), ("crf", "16"), ("x264-params", "cpu-independent=1")]
        let size = Size((format.size.width + 1) & ~1, (format.size.height + 1) & ~1)
        return try RenderMovie(path, "mp4", size, isEven: true, hasSound: hasSound) {
            muxer throws(PackError) in
            try .program("libx264", format, size, settings, muxer)
        }
    }

    private init(
        _ path: String, _ container: String, _ size: Size, isEven: Bool, hasSound: Bool = false,
        _ encoder: (PackMuxer) throws(PackError) -> PackEncoder
    ) throws(RenderError) {
        self.path = path
        self.size = size
        self.isEven = isEven
        let temporary = try rendering { () throws(PackError) in try PackFile.Temporary(beside: path) }
        let muxer = try rendering { () throws(PackError) in try PackMuxer(container, file: temporary.path) }
        self.encoder = try rendering { () throws(PackError) in try encoder(muxer) }
        sound = try rendering { () throws(PackError) in hasSound ? try PackEncoder.sound(muxer) : nil }
        (self.temporary, self.muxer) = (temporary, muxer)
    }

    func write(_ canvas: RenderCanvas) throws(RenderError) {
        let frame = canvas.reference(isEven: isEven)
        frame.raw.pointee.pts = count
        count += 1
        try rendering { () throws(PackError) in try encoder.encode(frame.raw) }
    }

    func finish() throws(RenderError) {
        try rendering { () throws(PackError) in
            try encoder.encode(nil)
            try muxer.close()
            try temporary.publish(as: path)
        }
    }
}

/// One picture, as a PNG file.
final class RenderStill: RenderOutput {
    let size: Size
    let sound: PackEncoder? = nil
    private let path: String
    private let wanted: Int
    private var index = 0
    private var file: [UInt8]?

    /// `wanted` is the frame that is kept.
    init(_ path: String, _ size: Size, frame wanted: Int) {
        self.size = size
        self.path = path
        self.wanted = wanted
    }

    func write(_ canvas: RenderCanvas) throws(RenderError) {
        defer { index += 1 }
        guard index == wanted else { return }
        let source = canvas.reference(isEven: false)
        file = try rendering { () throws(PackError) in try Self.png(source.raw) }
    }

    func finish() throws(RenderError) {
        guard let file else {
            throw RenderError(
                .timeOutside, "picture \(wanted) is asked for, but the program has only \(index) pictures")
        }
        try rendering { () throws(PackError) in try PackFile.write(file, to: path) }
    }

    private static func png(_ source: UnsafeMutablePointer<AVFrame>) throws(PackError) -> [UInt8] {
        let (width, height) = (source.pointee.width, source.pointee.height)
        let picture = Owner<AVFrame>.picture(AV_PIX_FMT_RGB24, Int(width), Int(height))
        try PackScaler().convert(source, into: picture.raw)
        guard let found = avcodec_find_encoder(AV_CODEC_ID_PNG) else {
            throw PackError(.encoderMissing, "this libavcodec has no PNG encoder")
        }
        let codec = Owner<AVCodecContext>.codec(found)
        codec.raw.pointee.width = width
        codec.raw.pointee.height = height
        codec.raw.pointee.pix_fmt = AV_PIX_FMT_RGB24
        codec.raw.pointee.time_base = AVRational(num: 1, den: 1)
        codec.raw.pointee.thread_count = 1
        try packCheck(.encoderMissing, "open the PNG encoder", avcodec_open2(codec.raw, found, nil))
        try packCheck(.encoderFailed, "encode a PNG", avcodec_send_frame(codec.raw, picture.raw))
        try packCheck(.encoderFailed, "encode a PNG", avcodec_send_frame(codec.raw, nil))
        let packet = Owner<AVPacket>.packet()
        try packCheck(.encoderFailed, "encode a PNG", avcodec_receive_packet(codec.raw, packet.raw))
        return Array(UnsafeBufferPointer(start: packet.raw.pointee.data, count: Int(packet.raw.pointee.size)))
    }
}

extension PackEncoder {
    /// An encoder for the program's pictures, tagged with their colours.
    fileprivate static func program(
        _ name: String, _ format: RenderFormat, _ size: Size, _ settings: [(String, String)],
        _ muxer: PackMuxer
    ) throws(PackError) -> PackEncoder {
        let codec = try allocate(name)
        codec.raw.pointee.width = Int32(clamping: size.width)
        codec.raw.pointee.height = Int32(clamping: size.height)
        codec.raw.pointee.pix_fmt = AV_PIX_FMT_YUV420P
        let rate = format.rate
        codec.raw.pointee.time_base = AVRational(
            num: Int32(clamping: rate.denominator), den: Int32(clamping: rate.numerator))
        codec.raw.pointee.framerate = AVRational(
            num: Int32(clamping: rate.numerator), den: Int32(clamping: rate.denominator))
        codec.raw.pointee.sample_aspect_ratio = format.aspect
        codec.raw.pointee.chroma_sample_location = format.chromaLocation
        codec.raw.pointee.thread_count = 2
        let isHD = format.colour.matrix == .bt709
        codec.raw.pointee.colorspace = isHD ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M
        codec.raw.pointee.color_primaries = isHD ? AVCOL_PRI_BT709 : AVCOL_PRI_SMPTE170M
        codec.raw.pointee.color_trc = isHD ? AVCOL_TRC_BT709 : AVCOL_TRC_SMPTE170M
        codec.raw.pointee.color_range = format.colour.range == .full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        try open(codec.raw, name, settings)
        return try PackEncoder(codec, muxer)
    }
}
