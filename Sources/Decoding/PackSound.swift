internal import CLibAV
internal import Glibc

/// The gift's sound: decoded, brought to 48 kHz stereo, and encoded as far as the pictures have come. One thread.
final class PackSound {
    static let sampleRate: Int32 = 48_000
    private static let block = 1024

    private let track: PackTrack
    private let encoder: PackEncoder
    private let frame = Owner<AVFrame>.frame()
    private var resampler: OpaquePointer?
    /// Decoded and not yet encoded; `taken` samples at the front are gone already.
    private var left: [Float] = []
    private var right: [Float] = []
    private var taken = 0
    private var written = 0
    private var isAtEnd = false

    init(_ track: PackTrack, _ muxer: PackMuxer) throws(PackError) {
        self.track = track
        encoder = try PackEncoder.sound(muxer)
    }

    deinit { swr_free(&resampler) }

    /// Encodes the sound that belongs before `time`, in seconds. Sound that ends earlier is not padded.
    func encode(until time: Double) throws(PackError) {
        let end = Int((time * Double(Self.sampleRate)).rounded())
        while written < end {
            let wanted = min(Self.block, end - written)
            // A short block is the encoder's last, so it waits until more time is asked for or `finish` comes.
            guard wanted == Self.block, try fill(Self.block) == Self.block else { return }
            try encode(count: Self.block)
        }
    }

    /// Encodes what is left before `time` and flushes the encoder.
    func finish(at time: Double) throws(PackError) {
        try encode(until: time)
        let rest = Int((time * Double(Self.sampleRate)).rounded()) - written
        let count = min(max(rest, 0), try fill(Self.block), Self.block)
        if count > 0 { try encode(count: count) }
        try encoder.encode(nil)
    }

    private func encode(count: Int) throws(PackError) {
        av_frame_unref(frame.raw)
        frame.raw.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        frame.raw.pointee.nb_samples = Int32(count)
        frame.raw.pointee.sample_rate = Self.sampleRate
        frame.raw.pointee.pts = Int64(written)
        av_channel_layout_default(&frame.raw.pointee.ch_layout, 2)
        guard av_frame_get_buffer(frame.raw, 0) == 0, let planes = frame.raw.pointee.extended_data else {
            fatalError("out of memory")
        }
        for (plane, samples) in [left, right].enumerated() {
            samples.withUnsafeBytes { bytes in
                let from = UnsafeRawBufferPointer(rebasing: bytes[(taken * 4)..<((taken + count) * 4)])
                if let to = planes[plane], let base = from.baseAddress { memcpy(to, base, from.count) }
            }
        }
        taken += count
        written += count
        try encoder.encode(frame.raw)
    }

    /// Decodes until `count` samples wait or the track ends; answers how many wait, at most `count`.
    private func fill(_ count: Int) throws(PackError) -> Int {
        while left.count - taken < count, !isAtEnd {
            if taken > 1 << 16 {
                left.removeFirst(taken)
                right.removeFirst(taken)
                taken = 0
            }
            if try track.next() {
                try resample(track.frame.raw)
            } else {
                isAtEnd = true
                try resample(nil)
            }
        }
        return min(count, left.count - taken)
    }

    /// Nil draws what the resampler still holds.
    private func resample(_ source: UnsafeMutablePointer<AVFrame>?) throws(PackError) {
        if resampler == nil, let source { try prepare(for: source) }
        guard let resampler else { return }
        let count = source?.pointee.nb_samples ?? 0
        let room = Int(max(swr_get_out_samples(resampler, count), 0)) + Self.block
        var (l, r) = ([Float](repeating: 0, count: room), [Float](repeating: 0, count: room))
        let made = l.withUnsafeMutableBytes { l in
            r.withUnsafeMutableBytes { r in
                var planes = [l.baseAddress, r.baseAddress].map { $0?.assumingMemoryBound(to: UInt8.self) }
                let input = UnsafeMutableRawPointer(source?.pointee.extended_data)
                return swr_convert(
                    resampler, &planes, Int32(clamping: room),
                    input?.assumingMemoryBound(to: UnsafePointer<UInt8>?.self), count)
            }
        }
        try packCheck(.soundUnreadable, "resample", made)
        left += l[..<Int(made)]
        right += r[..<Int(made)]
    }

    private func prepare(for source: UnsafeMutablePointer<AVFrame>) throws(PackError) {
        var stereo = AVChannelLayout()
        av_channel_layout_default(&stereo, 2)
        var given = AVChannelLayout()
        defer { av_channel_layout_uninit(&given) }
        try packCheck(
            .soundUnreadable, "channel layout", av_channel_layout_copy(&given, &source.pointee.ch_layout))
        if given.order == AV_CHANNEL_ORDER_UNSPEC { av_channel_layout_default(&given, given.nb_channels) }
        try packCheck(
            .soundUnreadable, "prepare the resampler",
            swr_alloc_set_opts2(
                &resampler, &stereo, AV_SAMPLE_FMT_FLTP, Self.sampleRate, &given,
                AVSampleFormat(source.pointee.format), source.pointee.sample_rate, 0, nil))
        try packCheck(
            .soundUnreadable, "prepare the resampler",
            SoundResampler.start(resampler, channels: given.nb_channels))
    }
}
