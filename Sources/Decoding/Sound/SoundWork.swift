internal import Basics
internal import CLibAV
internal import VAP

/// What a sound's worker does. Runs once, on one thread.
///
/// Samples are put where their stamps say, counted from the animation's first picture: silence where there is a hole
/// of more than 10 ms, nothing twice. Behind the animation's end nothing is decoded.
struct SoundWork {
    let animation: Animation
    let state: SoundState
    /// A deviation of stamps that is taken for rounding.
    private static let slip = Int64(SampleClock.rate / 100)

    func run() {
        do {
            try decode()
        } catch {
            state.note(error)
        }
        state.finish()
    }

    private var end: Int64 { SampleClock.place(of: animation.layout.duration) }

    private func decode() throws(AnimationError) {
        var decoder = try SoundDecoder.open(animation.file)
        let resampler = SoundResampler()
        while try decoder.next() {
            if let damage = decoder.damage { state.note(damage) }
            guard try put(decoder, resampler) else { return }
        }
        if let damage = decoder.damage { state.note(damage) }
        try resampler.drain { _ = write($0, $1) }
    }

    /// Puts one decoded frame into the ring; false when the decoding shall end.
    private func put(
        _ decoder: borrowing SoundDecoder, _ resampler: SoundResampler
    ) throws(AnimationError) -> Bool {
        let frame = decoder.frame.raw
        let place = decoder.place ?? resampler.next
        var goesOn = true
        if !resampler.takes(frame) || abs(place - resampler.next) > Self.slip {
            try resampler.drain { goesOn = write($0, $1) }
            try resampler.prepare(for: frame, at: place)
            goesOn = goesOn && fill(upTo: place)
            resampler.skip = Int(clamping: max(state.ring.end - place, 0))
        }
        try resampler.convert(frame) { goesOn = goesOn && write($0, $1) }
        return goesOn
    }

    /// Appends silence up to a place.
    private func fill(upTo place: Int64) -> Bool {
        let count = min(place, end) - state.ring.end
        return count <= 0 ? state.ring.end < end : write(nil, Int(count))
    }

    /// Appends samples, as many as belong before the end; false when no more shall come.
    private func write(_ samples: UnsafePointer<Float>?, _ count: Int) -> Bool {
        let count = min(count, Int(clamping: end - state.ring.end))
        var done = 0
        while done < count {
            let portion = min(count - done, SoundState.portion)
            guard state.waitForRoom(portion) else { return false }
            state.ring.append(samples.map { $0 + done * SampleClock.channels }, count: portion)
            state.announce()
            done += portion
        }
        return state.ring.end < end
    }
}
