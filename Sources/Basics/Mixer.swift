/// Sound of the program lent for the time of one call: interleaved stereo, 48 kHz, full scale at 1.
///
/// The samples are valid and writable only while the call runs, on the calling thread. `count` is in samples of both
/// channels together, as everywhere.
package struct LiveSound {
    package let samples: UnsafeMutablePointer<Float>
    package let count: Int

    package init(samples: UnsafeMutablePointer<Float>, count: Int) {
        self.samples = samples
        self.count = count
    }
}

/// Who adds sound to the program: the twin of the `Painter`. Called by the program's streaming thread for every
/// buffer: an implementation does not block, allocate, log or await.
package protocol Mixer: Sendable {
    /// Whether anything is to be added; false keeps the sound untouched and uncopied.
    var isSounding: Bool { get }

    /// Adds what is due from `time` on, the running time of the first sample in the program. Times of two calls in
    /// a row leave no hole.
    func mix(into sound: LiveSound, at time: Nanoseconds)
}

/// Samples and running times of the program's sound. A place is a number of samples since running time 0.
package enum SampleClock {
    package static let rate = 48_000
    package static let channels = 2

    /// The sample nearest to a time.
    package static func place(of time: Nanoseconds) -> Int64 {
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: .second)
        return seconds * Int64(rate) + (rest * Int64(rate) + .second / 2) / .second
    }
}
