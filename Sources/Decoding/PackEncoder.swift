internal import CLibAV
internal import VAP

/// One encoder and its track in the file. One thread.
final class PackEncoder {
    let codec: Owner<AVCodecContext>
    private let packet = Owner<AVPacket>.packet()
    private let muxer: PackMuxer
    private let track: Int32

    init(_ codec: consuming Owner<AVCodecContext>, _ muxer: PackMuxer) throws(PackError) {
        track = try muxer.add(codec.raw)
        self.codec = codec
        self.muxer = muxer
    }

    /// Encodes a frame, or flushes with nil, and writes the packets that come out.
    func encode(_ frame: UnsafeMutablePointer<AVFrame>?) throws(PackError) {
        try packCheck(.encoderFailed, "encode", avcodec_send_frame(codec.raw, frame))
        while true {
            let code = avcodec_receive_packet(codec.raw, packet.raw)
            if code == cav_error_again || code == cav_error_eof { return }
            try packCheck(.encoderFailed, "encode", code)
            try muxer.write(packet.raw, from: codec.raw.pointee.time_base, to: track)
        }
    }

    /// H.264 Main or HEVC Main, 4:2:0, no B-frames, no colour tags: as the official files.
    static func video(_ layout: Layout, _ options: PackOptions, _ muxer: PackMuxer) throws(PackError)
        -> PackEncoder
    {
        let name = options.codec == .h264 ? "libx264" : "libx265"
        let codec = try allocate(name)
        codec.raw.pointee.width = Int32(clamping: layout.coded.width)
        codec.raw.pointee.height = Int32(clamping: layout.coded.height)
        codec.raw.pointee.pix_fmt = AV_PIX_FMT_YUV420P
        codec.raw.pointee.time_base = AVRational(num: 1, den: Int32(clamping: Int(layout.framesPerSecond)))
        codec.raw.pointee.framerate = AVRational(num: Int32(clamping: Int(layout.framesPerSecond)), den: 1)
        codec.raw.pointee.max_b_frames = 0
        var settings = rate(options.rate, codec.raw)
        if options.codec == .h264 {
            settings += [("profile", "main")]
            if isWithinLevel4(layout) { settings += [("level", "4.0")] }
        } else {
            codec.raw.pointee.codec_tag = fourCC("hvc1")
            settings += [("x265-params", "log-level=none")]
        }
        try open(codec.raw, name, settings)
        return try PackEncoder(codec, muxer)
    }

    /// AAC-LC at 48 kHz, stereo, 128 kbit/s.
    static func sound(_ muxer: PackMuxer) throws(PackError) -> PackEncoder {
        let codec = try allocate("aac")
        codec.raw.pointee.sample_rate = PackSound.sampleRate
        codec.raw.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
        codec.raw.pointee.bit_rate = 128_000
        codec.raw.pointee.time_base = AVRational(num: 1, den: PackSound.sampleRate)
        av_channel_layout_default(&codec.raw.pointee.ch_layout, 2)
        try open(codec.raw, "aac", [])
        return try PackEncoder(codec, muxer)
    }

    static func allocate(_ name: String) throws(PackError) -> Owner<AVCodecContext> {
        guard let found = avcodec_find_encoder_by_name(name) else {
            throw PackError(.encoderMissing, "this libavcodec has no \(name)")
        }
        return Owner<AVCodecContext>.codec(found)
    }

    static func open(
        _ codec: UnsafeMutablePointer<AVCodecContext>, _ name: String, _ settings: [(String, String)]
    ) throws(PackError) {
        // MP4 keeps parameter sets in the track's header, not in the pictures.
        codec.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT
        for (key, value) in settings {
            try packCheck(
                .encoderMissing, "\(name): \(key)", av_opt_set(codec.pointee.priv_data, key, value, 0))
        }
        try packCheck(.encoderMissing, "open \(name)", avcodec_open2(codec, nil, nil))
    }

    private static func rate(
        _ rate: PackOptions.Rate, _ codec: UnsafeMutablePointer<AVCodecContext>
    ) -> [(String, String)] {
        switch rate {
        case .quality(let value): return [("crf", "\(value)")]
        case .bitrate(let value):
            codec.pointee.bit_rate = Int64(value)
            codec.pointee.rc_buffer_size = Int32(clamping: value)
            return []
        }
    }

    /// Level 4.0 allows so many macroblocks a picture and a second; above them the encoder writes what is true.
    private static func isWithinLevel4(_ layout: Layout) -> Bool {
        let blocks = layout.coded.width * layout.coded.height / 256
        return blocks <= 8192 && Double(blocks) * layout.framesPerSecond <= 245_760
    }

    private static func fourCC(_ text: String) -> UInt32 {
        text.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
