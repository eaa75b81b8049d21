internal import Basics
internal import CLibAV
internal import VAP

/// Turns decoded sound of any format, rate and up to eight channels into the program's: 48 kHz, stereo, interleaved
/// float. One thread.
final class SoundResampler {
    /// The samples to leave out before the next that is given out.
    var skip = 0
    private var context: OpaquePointer?
    private var layout = AVChannelLayout()
    private var format = AV_SAMPLE_FMT_NONE
    private var rate: Int32 = 0
    /// Where the first sample since `prepare` belongs, and how many came since, at the track's rate.
    private var base: Int64 = 0
    private var consumed: Int64 = 0
    private var buffer: [Float] = []
    private static let rates: ClosedRange<Int32> = 4_000...192_000
    private static let channels = 8

    typealias Receiver = (_ samples: UnsafePointer<Float>, _ count: Int) -> Void

    deinit {
        swr_free(&context)
        av_channel_layout_uninit(&layout)
    }

    /// Where the next frame's first sample is expected, in the program's samples.
    var next: Int64 { rate > 0 ? base + consumed * Int64(SampleClock.rate) / Int64(rate) : base }

    /// Whether it is prepared for sound like this frame's.
    func takes(_ frame: UnsafeMutablePointer<AVFrame>) -> Bool {
        context != nil && frame.pointee.sample_rate == rate && frame.pointee.format == format.rawValue
            && av_channel_layout_compare(&frame.pointee.ch_layout, &layout) == 0
    }

    /// Begins anew, for sound like this frame's, whose first sample belongs at `place`. What it held is lost.
    func prepare(for frame: UnsafeMutablePointer<AVFrame>, at place: Int64) throws(AnimationError) {
        let channels = frame.pointee.ch_layout.nb_channels
        guard Self.rates.contains(frame.pointee.sample_rate), (1...Self.channels).contains(Int(channels))
        else {
            throw AnimationError(
                .codecUnsupported,
                "The sound has \(channels) channels at \(frame.pointee.sample_rate) Hz; up to \(Self.channels) at "
                    + "\(Self.rates.lowerBound) to \(Self.rates.upperBound) Hz are played.")
        }
        swr_free(&context)
        try Self.check(av_channel_layout_copy(&layout, &frame.pointee.ch_layout))
        format = AVSampleFormat(frame.pointee.format)
        rate = frame.pointee.sample_rate
        (base, consumed, skip) = (place, 0, 0)
        try makeContext()
    }

    private func makeContext() throws(AnimationError) {
        var stereo = AVChannelLayout()
        av_channel_layout_default(&stereo, Int32(SampleClock.channels))
        var given = AVChannelLayout()
        defer { av_channel_layout_uninit(&given) }
        try Self.check(av_channel_layout_copy(&given, &layout))
        if given.order == AV_CHANNEL_ORDER_UNSPEC { av_channel_layout_default(&given, given.nb_channels) }
        try Self.check(
            swr_alloc_set_opts2(
                &context, &stereo, AV_SAMPLE_FMT_FLT, Int32(SampleClock.rate), &given, format, rate, 0, nil))
        try Self.check(Self.start(context, channels: given.nb_channels))
    }

    /// Readies a context whose output is stereo. Several channels at full scale come out at full scale, not above; one
    /// alone comes out as it is, on both sides.
    static func start(_ context: OpaquePointer?, channels: Int32) -> Int32 {
        av_opt_set_double(UnsafeMutableRawPointer(context), "rematrix_maxval", 1, 0)
        if channels == 1 {
            let code = swr_set_matrix(context, [1, 1], 1)
            guard code >= 0 else { return code }
        }
        return swr_init(context)
    }

    /// Lends what comes out for a frame.
    func convert(_ frame: UnsafeMutablePointer<AVFrame>, _ body: Receiver) throws(AnimationError) {
        consumed += Int64(frame.pointee.nb_samples)
        let input = UnsafeMutableRawPointer(frame.pointee.extended_data)
        try convert(
            input?.assumingMemoryBound(to: UnsafePointer<UInt8>?.self), frame.pointee.nb_samples, body)
    }

    /// Lends what it still holds.
    func drain(_ body: Receiver) throws(AnimationError) {
        if context != nil { try convert(nil, 0, body) }
    }

    private func convert(
        _ input: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ count: Int32, _ body: Receiver
    ) throws(AnimationError) {
        let room = Int(max(swr_get_out_samples(context, count), 0)) + 64
        if buffer.count < room * SampleClock.channels {
            buffer = [Float](repeating: 0, count: room * SampleClock.channels)
        }
        let made = buffer.withUnsafeMutableBytes { bytes in
            var plane = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return swr_convert(context, &plane, Int32(clamping: room), input, count)
        }
        try Self.check(made)
        let left = min(skip, Int(made))
        skip -= left
        buffer.withUnsafeBufferPointer { samples in
            guard let first = samples.baseAddress, Int(made) > left else { return }
            body(first + left * SampleClock.channels, Int(made) - left)
        }
    }

    private static func check(_ code: Int32) throws(AnimationError) {
        try LibAV.check(.decoderFailed, "The sound cannot be resampled", code)
    }
}
