internal import CLibAV
internal import VAP

/// The coded pictures of a gift file, in the order of the file. One thread.
///
/// libavformat reads through our own descriptor, so it opens nothing by itself: no protocol, no second file.
struct TrackReader: ~Copyable {
    private let format: Owner<AVFormatContext>
    let stream: UnsafeMutablePointer<AVStream>
    let videoCount: Int
    /// The first sound track.
    let sound: SoundTrack?

    private init(
        _ format: consuming Owner<AVFormatContext>, _ stream: UnsafeMutablePointer<AVStream>, videoCount: Int,
        sound: SoundTrack?
    ) {
        self.format = format
        self.stream = stream
        self.videoCount = videoCount
        self.sound = sound
    }

    static func open(_ file: GiftFile) throws(AnimationError) -> TrackReader {
        let format = try Owner<AVFormatContext>.gift(file)
        var (video, sound) = ([UnsafeMutablePointer<AVStream>](), SoundTrack?.none)
        for index in 0..<Int(format.raw.pointee.nb_streams) {
            guard let stream = format.raw.pointee.streams[index] else { continue }
            let isCover = stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
            switch stream.pointee.codecpar.pointee.codec_type {
            case AVMEDIA_TYPE_VIDEO where !isCover: video.append(stream)
            case AVMEDIA_TYPE_AUDIO: sound = sound ?? SoundTrack(stream.pointee)
            default: break
            }
            if video.last != stream || video.count > 1 { stream.pointee.discard = AVDISCARD_ALL }
        }
        guard let first = video.first else {
            throw AnimationError(
                .videoMissing, "None of the \(format.raw.pointee.nb_streams) tracks is video.")
        }
        return TrackReader(format, first, videoCount: video.count, sound: sound)
    }

    /// By the track's own clock; 0 when it does not say.
    var framesPerSecond: Double {
        let rate = stream.pointee.avg_frame_rate
        return rate.den > 0 ? Double(rate.num) / Double(rate.den) : 0
    }

    /// Puts the next coded picture into `packet`; false at the end.
    func read(into packet: UnsafeMutablePointer<AVPacket>) throws(AnimationError) -> Bool {
        while true {
            av_packet_unref(packet)
            let code = av_read_frame(format.raw, packet)
            if code == cav_error_eof { return false }
            try LibAV.check(.mediaCorrupt, "The track cannot be read on", code)
            if packet.pointee.stream_index == stream.pointee.index { return true }
        }
    }
}

extension SoundTrack {
    fileprivate init(_ stream: AVStream) {
        let parameters = stream.codecpar.pointee
        codec = String(cString: avcodec_get_name(parameters.codec_id))
        sampleRate = Int(max(parameters.sample_rate, 0))
        channels = Int(max(parameters.ch_layout.nb_channels, 0))
        seconds = stream.duration > 0 ? Double(stream.duration) * av_q2d(stream.time_base) : 0
    }
}

extension Owner where Object == AVFormatContext {
    /// Opens a gift file with the MP4 reader, whatever else the file looks like. Edit lists are ignored, for pictures
    /// are numbered as they are stored, unless they are asked for.
    static func gift(_ file: GiftFile, withEdits: Bool = false) throws(AnimationError) -> Self {
        _ = LibAV.isQuiet
        let input = InputBuffer(file)
        var format = avformat_alloc_context()
        guard let context = format else { fatalError("out of memory") }
        context.pointee.pb = input.raw
        context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        av_dict_set(&options, "ignore_editlist", withEdits ? "0" : "1", 0)
        av_dict_set(&options, "use_absolute_path", "0", 0)
        // It frees the context when it fails, but not the buffer, which the closure below keeps.
        let code = withExtendedLifetime(input) {
            avformat_open_input(&format, nil, av_find_input_format("mov"), &options)
        }
        try LibAV.check(.mediaInvalid, "The movie's tables cannot be read", code)
        return Self(format) {
            var format: UnsafeMutablePointer<AVFormatContext>? = $0
            avformat_close_input(&format)
            withExtendedLifetime(input) {}
        }
    }
}

/// Lets libavformat read a `GiftFile`. One thread.
private final class InputBuffer {
    let raw: UnsafeMutablePointer<AVIOContext>
    private static let size: Int32 = 64 << 10

    /// Where libavformat stands in the file.
    private final class Cursor {
        let file: GiftFile
        var position: Int64 = 0

        init(_ file: GiftFile) { self.file = file }

        func read(_ buffer: UnsafeMutablePointer<UInt8>, _ count: Int32) -> Int32 {
            let result = file.read(
                at: position, into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(max(count, 0))))
            guard result != 0 else { return cav_error_eof }
            position += Int64(max(result, 0))
            return result
        }

        func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
            if whence & AVSEEK_SIZE != 0 { return file.count }
            // libavformat turns the other forms into this one.
            guard whence & ~AVSEEK_FORCE == 0, (0...file.count).contains(offset) else { return -22 }
            position = offset
            return offset
        }
    }

    init(_ file: GiftFile) {
        let cursor = Unmanaged.passRetained(Cursor(file))
        let context = avio_alloc_context(
            av_malloc(Int(Self.size))?.assumingMemoryBound(to: UInt8.self), Self.size, 0, cursor.toOpaque(),
            { cursor, buffer, count in
                guard let cursor, let buffer else { return cav_error_eof }
                return Unmanaged<Cursor>.fromOpaque(cursor).takeUnretainedValue().read(buffer, count)
            }, nil,
            { cursor, offset, whence in
                guard let cursor else { return -1 }
                return Unmanaged<Cursor>.fromOpaque(cursor).takeUnretainedValue().seek(offset, whence)
            })
        guard let context else { fatalError("out of memory") }
        raw = context
    }

    deinit {
        if let cursor = raw.pointee.opaque { Unmanaged<Cursor>.fromOpaque(cursor).release() }
        av_free(raw.pointee.buffer)
        var context: UnsafeMutablePointer<AVIOContext>? = raw
        avio_context_free(&context)
    }
}
