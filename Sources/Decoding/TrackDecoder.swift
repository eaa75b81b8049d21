internal import CLibAV
internal import Glibc
internal import VAP

/// Decodes the pictures of a gift file in display order. One thread.
///
/// Damage does not stop it: it is noted by the stamp of the coded picture, and decoding goes on.
struct TrackDecoder: ~Copyable {
    let codecName: VideoCodec
    let frame = Owner<AVFrame>.frame()
    /// The stamp of the first coded picture that the decoder refused.
    private(set) var refused: Int64?
    private let reader: TrackReader
    private let codec: Owner<AVCodecContext>
    private let packet = Owner<AVPacket>.packet()
    private var isDraining = false
    /// Coded pictures that it may still read.
    private var budget: Int
    /// Refusals since a coded picture was last fed.
    private var refusals = 0
    private static let tags: Set<String> = ["avc1", "avc3", "hvc1", "hev1"]

    private init(
        _ reader: consuming TrackReader, _ codec: consuming Owner<AVCodecContext>, _ codecName: VideoCodec,
        _ budget: Int
    ) {
        self.budget = budget
        self.reader = reader
        self.codec = codec
        self.codecName = codecName
    }

    /// Decodes the pictures of a track, or of its first `packets` coded ones.
    static func open(
        _ reader: consuming TrackReader, packets: Int = .max
    ) throws(AnimationError) -> TrackDecoder {
        let stream = reader.stream.pointee
        let name = try name(stream.codecpar.pointee)
        guard let found = avcodec_find_decoder(stream.codecpar.pointee.codec_id) else {
            throw AnimationError(.codecUnsupported, "This libavcodec has no decoder for \(name.rawValue).")
        }
        let codec = Owner<AVCodecContext>.codec(found)
        try LibAV.check(
            .decoderFailed, "The track's parameters are not taken",
            avcodec_parameters_to_context(codec.raw, stream.codecpar))
        codec.raw.pointee.pkt_timebase = stream.time_base
        codec.raw.pointee.thread_count = 1
        // Twice: room for what a coded size is rounded up to.
        codec.raw.pointee.max_pixels = Int64(2 * Limits.pixels)
        try LibAV.check(.decoderFailed, "The decoder does not open", avcodec_open2(codec.raw, found, nil))
        return TrackDecoder(reader, codec, name, packets)
    }

    /// Decodes the next picture into `frame`; false at the end.
    mutating func next() throws(AnimationError) -> Bool {
        while true {
            let code = avcodec_receive_frame(codec.raw, frame.raw)
            if code >= 0 { return true }
            if code == cav_error_eof { return false }
            if code == cav_error_again { try feed() } else { try note(code) }
        }
    }

    /// The presentation stamp of `frame`.
    var stamp: Int64 {
        let stamp = frame.raw.pointee.pts
        return stamp != cav_no_pts ? stamp : frame.raw.pointee.best_effort_timestamp
    }

    /// Whether the decoder has patched `frame` up.
    var isPatched: Bool {
        frame.raw.pointee.decode_error_flags != 0 || frame.raw.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0
    }

    private mutating func feed() throws(AnimationError) {
        guard !isDraining else { throw AnimationError(.mediaCorrupt, "The decoder does not come to an end.") }
        refusals = 0
        budget -= 1
        guard budget >= 0, try reader.read(into: packet.raw) else {
            isDraining = true
            return try LibAV.check(
                .mediaCorrupt, "The decoder does not come to an end", avcodec_send_packet(codec.raw, nil))
        }
        let code = avcodec_send_packet(codec.raw, packet.raw)
        if code < 0 { try note(code) }
    }

    /// Remembers damage, which is the last coded picture's as far as anybody can say. Only a lack of memory, or a
    /// decoder that moves no more, ends the decoding.
    private mutating func note(_ code: Int32) throws(AnimationError) {
        refusals += 1
        if code == -ENOMEM || refusals > 100 {
            try LibAV.check(.mediaCorrupt, "A picture cannot be decoded", code)
        }
        if refused == nil { refused = packet.raw.pointee.pts }
    }

    private static func name(_ parameters: AVCodecParameters) throws(AnimationError) -> VideoCodec {
        let tag = String(
            decoding: (0..<4).map { UInt8(truncatingIfNeeded: parameters.codec_tag >> (8 * $0)) },
            as: UTF8.self)
        let name = String(cString: avcodec_get_name(parameters.codec_id))
        guard let codec = VideoCodec(rawValue: name), tags.contains(tag) else {
            throw AnimationError(
                .codecUnsupported,
                "The track is \(name) ('\(tag)'); H.264 (avc1, avc3) and HEVC (hvc1, hev1) are played.")
        }
        return codec
    }
}
