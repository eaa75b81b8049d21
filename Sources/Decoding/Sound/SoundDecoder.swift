internal import Basics
internal import CLibAV
internal import Glibc
internal import VAP

/// Decodes the sound of a gift file: the first audio track that libavcodec knows. One thread.
///
/// Unlike for pictures edit lists count, for the encoder's delay is told by them. Damage does not stop it: a packet
/// that cannot be decoded leaves a hole.
struct SoundDecoder: ~Copyable {
    let frame = Owner<AVFrame>.frame()
    /// The first damage, in words; nil while all went well.
    private(set) var damage: AnimationError?
    private let format: Owner<AVFormatContext>
    private let stream: UnsafeMutablePointer<AVStream>
    private let codec: Owner<AVCodecContext>
    private let packet = Owner<AVPacket>.packet()
    /// The stamp of the animation's first picture, in the sound's time base.
    private let zero: Int64
    private var isDraining = false
    /// Refusals since a packet was last fed.
    private var refusals = 0
    /// Samples of one frame; the largest that a codec of MP4 makes is 65535.
    private static let longestFrame: Int64 = 1 << 16

    private init(
        _ format: consuming Owner<AVFormatContext>, _ stream: UnsafeMutablePointer<AVStream>,
        _ codec: consuming Owner<AVCodecContext>, zero: Int64
    ) {
        self.format = format
        self.stream = stream
        self.codec = codec
        self.zero = zero
    }

    static func open(_ file: GiftFile) throws(AnimationError) -> SoundDecoder {
        let picture = try firstPicture(of: file)
        let format = try Owner<AVFormatContext>.gift(file, withEdits: true)
        var chosen: UnsafeMutablePointer<AVStream>?
        for index in 0..<Int(format.raw.pointee.nb_streams) {
            guard let stream = format.raw.pointee.streams[index] else { continue }
            let isSound = stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
            if isSound, chosen == nil { chosen = stream } else { stream.pointee.discard = AVDISCARD_ALL }
        }
        guard let stream = chosen else { throw AnimationError(.mediaInvalid, "There is no sound track.") }
        let codec = try decoder(for: stream)
        let zero = picture.map { av_rescale_q($0.stamp, $0.base, stream.pointee.time_base) }
        return SoundDecoder(format, stream, codec, zero: zero ?? 0)
    }

    /// Decodes on into `frame`; false at the end.
    mutating func next() throws(AnimationError) -> Bool {
        while true {
            let code = avcodec_receive_frame(codec.raw, frame.raw)
            if code >= 0, frame.raw.pointee.nb_samples > 0 { return true }
            if code == cav_error_eof { return false }
            if code == cav_error_again { try feed() } else if code < 0 { try note(code) }
        }
    }

    /// Where the first sample of `frame` belongs, in the program's samples since the first picture. Nil: behind the
    /// frame before.
    var place: Int64? {
        let stamp = frame.raw.pointee.pts
        guard stamp != cav_no_pts else { return nil }
        let (time, overflow) = stamp.subtractingReportingOverflow(zero)
        guard !overflow else { return nil }
        return av_rescale_q(
            time, stream.pointee.time_base, AVRational(num: 1, den: Int32(SampleClock.rate)))
    }

    private mutating func feed() throws(AnimationError) {
        guard !isDraining else { throw AnimationError(.mediaCorrupt, "The sound does not come to an end.") }
        refusals = 0
        guard try readPacket() else {
            isDraining = true
            return try LibAV.check(
                .mediaCorrupt, "The sound does not come to an end", avcodec_send_packet(codec.raw, nil))
        }
        let code = avcodec_send_packet(codec.raw, packet.raw)
        if code < 0 { try note(code) }
    }

    private mutating func readPacket() throws(AnimationError) -> Bool {
        while true {
            av_packet_unref(packet.raw)
            let code = av_read_frame(format.raw, packet.raw)
            if code == cav_error_eof { return false }
            try LibAV.check(.mediaCorrupt, "The sound cannot be read on", code)
            if packet.raw.pointee.stream_index == stream.pointee.index { return true }
        }
    }

    /// Remembers damage. Only a lack of memory, or a decoder that moves no more, ends the decoding.
    private mutating func note(_ code: Int32) throws(AnimationError) {
        refusals += 1
        if code == -ENOMEM || refusals > 100 {
            try LibAV.check(.mediaCorrupt, "The sound cannot be decoded", code)
        }
        let base = stream.pointee.time_base
        let time = Double(packet.raw.pointee.pts &- zero) * Double(base.num) / Double(max(base.den, 1))
        let where_ = packet.raw.pointee.pts == cav_no_pts ? "" : " at \((time * 100).rounded() / 100) s"
        damage =
            damage ?? AnimationError(.mediaCorrupt, "The sound is damaged\(where_): \(LibAV.text(code)).")
    }

    private static func decoder(
        for stream: UnsafeMutablePointer<AVStream>
    ) throws(AnimationError) -> Owner<AVCodecContext> {
        let parameters = stream.pointee.codecpar.pointee
        guard let found = avcodec_find_decoder(parameters.codec_id) else {
            let name = String(cString: avcodec_get_name(parameters.codec_id))
            throw AnimationError(.codecUnsupported, "This libavcodec has no decoder for the sound, \(name).")
        }
        let codec = Owner<AVCodecContext>.codec(found)
        try LibAV.check(
            .decoderFailed, "The sound's parameters are not taken",
            avcodec_parameters_to_context(codec.raw, stream.pointee.codecpar))
        codec.raw.pointee.pkt_timebase = stream.pointee.time_base
        codec.raw.pointee.thread_count = 1
        codec.raw.pointee.max_samples = longestFrame
        try LibAV.check(
            .decoderFailed, "The sound's decoder does not open", avcodec_open2(codec.raw, found, nil))
        return codec
    }

    /// The stamp of the first picture as it is stored. Nil when there is none that says.
    private static func firstPicture(of file: GiftFile) throws(AnimationError) -> (
        stamp: Int64, base: AVRational
    )? {
        let format = try Owner<AVFormatContext>.gift(file, withEdits: true)
        let packet = Owner<AVPacket>.packet()
        while av_read_frame(format.raw, packet.raw) >= 0 {
            defer { av_packet_unref(packet.raw) }
            guard let stream = format.raw.pointee.streams[Int(packet.raw.pointee.stream_index)]?.pointee,
                stream.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO,
                stream.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
            else { continue }
            return packet.raw.pointee.pts == cav_no_pts ? nil : (packet.raw.pointee.pts, stream.time_base)
        }
        return nil
    }
}
