internal import CLibAV
internal import VAP

/// Collects encoded tracks into a file: a gift, which is a few megabytes, in memory, anything else on the disk. One
/// thread.
final class PackMuxer {
    private let context: Owner<AVFormatContext>
    private var isStarted = false

    /// An MP4 file in memory.
    init() throws(PackError) {
        context = try Self.allocate("mp4", nil) { PackMuxer.discard(&$0.pointee.pb) }
        try packCheck(.encoderFailed, "memory for the file", avio_open_dyn_buf(&context.raw.pointee.pb))
    }

    /// A file that is there, whose content goes.
    init(_ container: String, file path: String) throws(PackError) {
        context = try Self.allocate(container, path) { avio_closep(&$0.pointee.pb) }
        let url = "file:\(path)"
        try packCheck(.outputUnwritable, path, avio_open(&context.raw.pointee.pb, url, AVIO_FLAG_WRITE))
    }

    private static func allocate(
        _ container: String, _ path: String?,
        close: @escaping (UnsafeMutablePointer<AVFormatContext>) -> Void
    ) throws(PackError) -> Owner<AVFormatContext> {
        var raw: UnsafeMutablePointer<AVFormatContext>?
        try packCheck(
            .encoderMissing, "\(container) muxer",
            avformat_alloc_output_context2(&raw, nil, container, path))
        let context = Owner(raw) { context in
            close(context)
            avformat_free_context(context)
        }
        context.raw.pointee.flags |= AVFMT_FLAG_BITEXACT
        return context
    }

    /// A track for an opened encoder. Only before the first packet.
    func add(_ codec: UnsafeMutablePointer<AVCodecContext>) throws(PackError) -> Int32 {
        guard let stream = avformat_new_stream(context.raw, nil) else { fatalError("out of memory") }
        stream.pointee.time_base = codec.pointee.time_base
        stream.pointee.avg_frame_rate = codec.pointee.framerate
        stream.pointee.sample_aspect_ratio = codec.pointee.sample_aspect_ratio
        try packCheck(
            .encoderFailed, "describe a track",
            avcodec_parameters_from_context(stream.pointee.codecpar, codec))
        return stream.pointee.index
    }

    /// Takes the packet's content; the packet is empty afterwards.
    func write(
        _ packet: UnsafeMutablePointer<AVPacket>, from base: AVRational, to track: Int32
    ) throws(PackError) {
        if !isStarted {
            try packCheck(.encoderFailed, "begin the file", avformat_write_header(context.raw, nil))
            isStarted = true
        }
        guard let stream = context.raw.pointee.streams[Int(track)] else { return }
        packet.pointee.stream_index = track
        if packet.pointee.duration == 0 { packet.pointee.duration = 1 }
        av_packet_rescale_ts(packet, base, stream.pointee.time_base)
        try packCheck(.encoderFailed, "write", av_interleaved_write_frame(context.raw, packet))
    }

    /// Ends a file on the disk.
    func close() throws(PackError) {
        guard isStarted else { throw PackError(.inputUnreadable, "there was no picture to encode") }
        try packCheck(.outputUnwritable, "end the file", av_write_trailer(context.raw))
        try packCheck(.outputUnwritable, "end the file", avio_closep(&context.raw.pointee.pb))
    }

    /// Ends the file and answers its bytes: `ftyp free mdat moov`.
    func finish() throws(PackError) -> [UInt8] {
        guard isStarted else { throw PackError(.inputUnreadable, "there was no picture to encode") }
        try packCheck(.encoderFailed, "end the file", av_write_trailer(context.raw))
        var buffer: UnsafeMutablePointer<UInt8>?
        let count = avio_close_dyn_buf(context.raw.pointee.pb, &buffer)
        context.raw.pointee.pb = nil
        defer { av_free(buffer) }
        guard let buffer, count > 0 else {
            throw PackError(.encoderFailed, "the file is too large for memory")
        }
        return Array(UnsafeBufferPointer(start: buffer, count: Int(count)))
    }

    private static func discard(_ output: inout UnsafeMutablePointer<AVIOContext>?) {
        guard let context = output else { return }
        var buffer: UnsafeMutablePointer<UInt8>?
        avio_close_dyn_buf(context, &buffer)
        av_free(buffer)
        output = nil
    }
}
