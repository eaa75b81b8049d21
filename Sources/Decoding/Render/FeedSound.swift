internal import Basics
internal import CLibAV
internal import VAP

/// The sound of a feed's file, put where its stamps say. What cannot be decoded is silence. One thread.
final class FeedSound {
    private let track: PackTrack
    private let resampler = SoundResampler()
    /// When the first picture is on, in seconds of the file.
    private let zero: Double
    /// Interleaved samples from `first` on that are not read yet.
    private var samples: [Float] = []
    private var first: Int64 = 0
    private var isAtEnd = false
    private var refusals = 0
    /// A deviation of stamps that is taken for rounding.
    private static let slip = Int64(SampleClock.rate / 100)
    /// Frames that may fail one behind the other before the rest counts as silence.
    private static let patience = 300

    /// Nil where the file has no sound that can be decoded.
    init?(_ path: String, zero: Double) {
        guard let track = try? PackTrack(AVMEDIA_TYPE_AUDIO, of: "file:\(path)", errors: .inputUnreadable)
        else { return nil }
        self.track = track
        self.zero = zero
    }

    private var end: Int64 { first + Int64(samples.count / SampleClock.channels) }

    /// Fills `sound`, whose first sample is the program's `place`; places only rise.
    func read(into sound: LiveSound, at place: Int64) throws(RenderError) {
        drop(before: place)
        while end < place + Int64(sound.count), !isAtEnd { decode() }
        let begin = max(Int(first - place), 0)
        let count = min(sound.count - begin, samples.count / SampleClock.channels)
        guard count > 0 else { return }
        for index in 0..<count * SampleClock.channels {
            let value = samples[index]
            sound.samples[begin * SampleClock.channels + index] = value.isFinite ? value : 0
        }
    }

    private func drop(before place: Int64) {
        guard place > first else { return }
        samples.removeFirst(min(Int(place - first) * SampleClock.channels, samples.count))
        first = place
    }

    private func decode() {
        do throws(PackError) {
            isAtEnd = try !track.next()
            refusals = 0
        } catch {
            refusals += 1
            isAtEnd = refusals > Self.patience
            return
        }
        // A sound that no longer fits the resampler ends here.
        if (try? put()) == nil { isAtEnd = true }
    }

    private func put() throws(AnimationError) {
        guard !isAtEnd else { return try resampler.drain { append($0, $1) } }
        let frame = track.frame.raw
        let stamp = frame.pointee.best_effort_timestamp
        let seconds = Double(stamp) * av_q2d(track.stream.pointee.time_base) - zero
        let isKnown = stamp != cav_no_pts && seconds.magnitude < 1e6
        let place = isKnown ? Int64((seconds * Double(SampleClock.rate)).rounded()) : resampler.next
        if !resampler.takes(frame) || abs(place - resampler.next) > Self.slip {
            try resampler.drain { append($0, $1) }
            try resampler.prepare(for: frame, at: place)
            pad(to: place)
            resampler.skip = Int(clamping: max(end - place, 0))
        }
        try resampler.convert(frame) { append($0, $1) }
    }

    private func append(_ new: UnsafePointer<Float>, _ count: Int) {
        samples += UnsafeBufferPointer(start: new, count: count * SampleClock.channels)
    }

    /// Silence where nothing is. A hole of more than ten minutes is none: the stamps are wrong.
    private func pad(to place: Int64) {
        let count = place - end
        guard count > 0, count < Int64(600 * SampleClock.rate) else { return }
        if samples.isEmpty {
            first = place
        } else {
            samples += [Float](repeating: 0, count: Int(count) * SampleClock.channels)
        }
    }
}
