internal import CLibAV
internal import FoundationEssentials
internal import VAP

/// A directory of PNG files, one picture each. Alpha is straight, by the PNG standard.
final class PackStills: PackSource {
    /// More than any 16-bit picture of the largest side.
    private static let largestFile = 256 << 20

    let size: Size
    let rate: Double? = nil
    var count: Int? { paths.count }
    var end: Double { Double(index) / framesPerSecond }

    private let paths: [String]
    private let framesPerSecond: Double
    private let decoder: Owner<AVCodecContext>
    private let packet = Owner<AVPacket>.packet()
    private let frame = Owner<AVFrame>.frame()
    private let scaler = PackScaler()
    private var index = 0
    private var sawAlpha = false

    init(directory: String, framesPerSecond: Int) throws(PackError) {
        let paths = try PackNames.pictures(in: directory)
        guard let codec = avcodec_find_decoder(AV_CODEC_ID_PNG) else {
            throw PackError(.inputUnreadable, "this libavcodec cannot read PNG files")
        }
        decoder = Owner<AVCodecContext>.codec(codec)
        decoder.raw.pointee.thread_count = 1
        try packCheck(.inputUnreadable, "open the PNG decoder", avcodec_open2(decoder.raw, codec, nil))
        self.paths = paths
        self.framesPerSecond = Double(framesPerSecond)
        try Self.decode(paths[0], decoder.raw, packet.raw, frame.raw)
        size = Size(Int(frame.raw.pointee.width), Int(frame.raw.pointee.height))
    }

    func next(into target: UnsafeMutablePointer<AVFrame>) throws(PackError) -> Double? {
        guard index < paths.count else {
            guard sawAlpha else {
                throw PackError(.alphaMissing, "none of the \(paths.count) PNG files has transparency")
            }
            return nil
        }
        let path = paths[index]
        try Self.decode(path, decoder.raw, packet.raw, frame.raw)
        let (width, height) = (Int(frame.raw.pointee.width), Int(frame.raw.pointee.height))
        guard width == size.width, height == size.height else {
            throw PackError(
                .sizeChanged,
                "\(path) is \(width)x\(height), the first picture \(size.width)x\(size.height): all must be alike"
            )
        }
        sawAlpha = sawAlpha || packHasAlpha(frame.raw.pointee.format)
        try scaler.convert(frame.raw, into: target)
        defer { index += 1 }
        return Double(index) / framesPerSecond
    }

    private static func decode(
        _ path: String, _ decoder: UnsafeMutablePointer<AVCodecContext>,
        _ packet: UnsafeMutablePointer<AVPacket>, _ frame: UnsafeMutablePointer<AVFrame>
    ) throws(PackError) {
        guard let bytes = FileManager.default.contents(atPath: path), (1...largestFile).contains(bytes.count)
        else {
            throw PackError(
                .inputUnreadable, "\(path): not readable, empty, or above \(largestFile >> 20) MiB")
        }
        try packCheck(.inputUnreadable, path, av_new_packet(packet, Int32(bytes.count)))
        bytes.copyBytes(to: packet.pointee.data, count: bytes.count)
        // Without the flag the decoder takes the file for a difference and adds it to the one before.
        packet.pointee.flags |= AV_PKT_FLAG_KEY
        defer { av_packet_unref(packet) }
        try packCheck(.inputUnreadable, path, avcodec_send_packet(decoder, packet))
        try packCheck(.inputUnreadable, path, avcodec_receive_frame(decoder, frame))
    }
}
