internal import Basics
internal import CLibAV
internal import VAP

/// The program's sound while it is made: the feed's own, the gifts mixed into it by what a room does it with, as AAC.
/// Every sample is waited for. One thread.
final class RenderSound {
    /// Samples of one frame of the encoder.
    private static let block = 1024

    private let mix = SoundMix(MetricsRegistry())
    private let feed: FeedSound?
    private let encoder: PackEncoder
    private var gifts: [Sound] = []
    /// The next sample.
    private var place: Int64 = 0
    private let samples: UnsafeMutablePointer<Float>

    init(_ encoder: PackEncoder, feed: FeedSound?) {
        self.encoder = encoder
        self.feed = feed
        samples = .allocate(capacity: Self.block * SampleClock.channels)
    }

    deinit { samples.deallocate() }

    /// Takes in the sound of a gift that is about to be shown.
    func add(_ sound: Sound) {
        gifts.append(sound)
        mix.add(sound)
    }

    /// Makes what lies before `time`. Everything that is shown before it has been painted.
    func advance(to time: Nanoseconds) throws(RenderError) {
        while place + Int64(Self.block) <= SampleClock.place(of: time) { try make(Self.block) }
    }

    /// Makes the rest before `time`, which need not be a whole frame.
    func finish(at time: Nanoseconds) throws(RenderError) {
        try advance(to: time)
        let rest = Int(SampleClock.place(of: time) - place)
        if rest > 0 { try make(rest) }
        try rendering { () throws(PackError) in try encoder.encode(nil) }
    }

    private func make(_ count: Int) throws(RenderError) {
        samples.update(repeating: 0, count: count * SampleClock.channels)
        let sound = LiveSound(samples: samples, count: count)
        try feed?.read(into: sound, at: place)
        for gift in gifts { gift.awaitSamples(before: place + Int64(count)) }
        mix.mix(into: sound, at: av_rescale(place, .second, Int64(SampleClock.rate)))
        gifts.removeAll(where: \.hasEnded)
        mix.sweep()
        try rendering { () throws(PackError) in try encode(count) }
        place += Int64(count)
    }

    private func encode(_ count: Int) throws(PackError) {
        let frame = Owner<AVFrame>.frame()
        frame.raw.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        frame.raw.pointee.nb_samples = Int32(count)
        frame.raw.pointee.sample_rate = Int32(SampleClock.rate)
        frame.raw.pointee.pts = place
        av_channel_layout_default(&frame.raw.pointee.ch_layout, Int32(SampleClock.channels))
        guard av_frame_get_buffer(frame.raw, 0) == 0, let planes = frame.raw.pointee.extended_data else {
            fatalError("out of memory")
        }
        for channel in 0..<SampleClock.channels {
            guard let plane = planes[channel] else { continue }
            plane.withMemoryRebound(to: Float.self, capacity: count) { plane in
                for index in 0..<count { plane[index] = samples[index * SampleClock.channels + channel] }
            }
        }
        try encoder.encode(frame.raw)
    }
}
