internal import CLibAV
internal import Glibc
internal import VAP

/// Decodes the pictures of a gift file in display order. One thread.
///
/// Coded pictures go in with their display index for a stamp, so that whatever the decoder gives out says where it
/// belongs. Damage does not stop it.
struct TrackDecoder: ~Copyable {
    let codecName: VideoCodec
    /// The four letters of the sample entry, for instance `avc1`.
    let sampleEntry: String
    let frame = Owner<AVFrame>.frame()
    private let reader: TrackReader
    private let frames: FrameTable
    /// Coded pictures read so far.
    private var fed = 0
    private let codec: Owner<AVCodecContext>
    private let packet = Owner<AVPacket>.packet()
    private var isDraining = false
    /// Coded pictures that it may still read.
    private var budget: Int
    /// Refusals since a coded picture was last fed.
    private var refusals = 0
    private static let tags: Set<String> = ["avc1", "avc3", "hvc1", "hev1"]

    private init(
        _ reader: consuming TrackReader, _ frames: FrameTable, _ codec: consuming Owner<AVCodecContext>,
        _ codecName: VideoCodec, _ sampleEntry: String, _ budget: Int
    ) {
        self.frames = frames
        self.sampleEntry = sampleEntry
        self.budget = budget
        self.reader = reader
        self.codec = codec
        self.codecName = codecName
    }

    /// Decodes the pictures of a track, or of its first `packets` coded ones.
    static func open(
        _ reader: consuming TrackReader, _ frames: FrameTable, packets: Int = .max
    ) throws(AnimationError) -> TrackDecoder {
        let stream = reader.stream.pointee
        let (name, tag) = try name(stream.codecpar.pointee)
        guard let found = avcodec_find_decoder(stream.codecpar.pointee.codec_id) else {
            throw AnimationError(.codecUnsupported, "This libavcodec has no decoder for \(name.rawValue).")
        }
        let codec = Owner<AVCodecContext>.codec(found)
        try LibAV.check(
            .decoderFailed, "The track's parameters are not taken",
            avcodec_parameters_to_context(codec.raw, stream.codecpar))
        codec.raw.pointee.pkt_timebase = stream.time_base
        codec.raw.pointee.thread_count = 1
        // Exact cropping: otherwise columns at the left stay where their bytes would not be aligned.
        codec.raw.pointee.flags |= AV_CODEC_FLAG_UNALIGNED
        // Twice: room for what a coded size is rounded up to.
        codec.raw.pointee.max_pixels = Int64(2 * Limits.pixels)
        try LibAV.check(.decoderFailed, "The decoder does not open", avcodec_open2(codec.raw, found, nil))
        return TrackDecoder(reader, frames, codec, name, tag, packets)
    }

    /// As libav names it; told by the stream itself, so good once a picture is decoded.
    var profile: String {
        avcodec_profile_name(codec.raw.pointee.codec_id, codec.raw.pointee.profile).map {
            String(cString: $0)
        }
            ?? "unknown"
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

    /// The display index of `frame`; nil where the decoder does not know which coded picture it comes from.
    var index: Int? {
        let stamp = frame.raw.pointee.pts
        return stamp == cav_no_pts ? nil : Int(exactly: stamp)
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
        packet.raw.pointee.pts = frames.index(ofCoded: fed).map(Int64.init) ?? cav_no_pts
        packet.raw.pointee.dts = cav_no_pts
        fed += 1
        let code = avcodec_send_packet(codec.raw, packet.raw)
        if code < 0 { try note(code) }
    }

    /// Passes over damage: it shows as a picture that is missing. Only a lack of memory, or a decoder that moves no
    /// more, ends the decoding.
    private mutating func note(_ code: Int32) throws(AnimationError) {
        refusals += 1
        if code == -ENOMEM || refusals > 100 {
            try LibAV.check(.mediaCorrupt, "A picture cannot be decoded", code)
        }
    }

    private static func name(_ parameters: AVCodecParameters) throws(AnimationError) -> (
        VideoCodec, String
    ) {
        let tag = String(
            decoding: (0..<4).map { UInt8(truncatingIfNeeded: parameters.codec_tag >> (8 * $0)) },
            as: UTF8.self)
        let name = String(cString: avcodec_get_name(parameters.codec_id))
        guard let codec = VideoCodec(rawValue: name), tags.contains(tag) else {
            throw AnimationError(
                .codecUnsupported,
                "The track is \(name) ('\(tag)'); H.264 (avc1, avc3) and HEVC (hvc1, hev1) are played.")
        }
        return (codec, tag)
    }
}
