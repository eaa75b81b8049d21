internal import Basics
internal import Synchronization

/// Stereo samples on their way from one thread that decodes to one that mixes, numbered from the sound's beginning.
/// Neither thread takes a lock here, and the memory is made once.
///
/// Sendable: each sample belongs to one thread at a time, and the two counts hand it over.
final class SampleRing: Sendable {
    /// Samples that it holds: 0.68 s.
    static let capacity = 1 << 15

    private nonisolated(unsafe) let samples: UnsafeMutablePointer<Float>
    private let written = Atomic<Int64>(0)
    private let released = Atomic<Int64>(0)

    init() {
        samples = .allocate(capacity: Self.capacity * SampleClock.channels)
        samples.initialize(repeating: 0, count: Self.capacity * SampleClock.channels)
    }

    deinit { samples.deallocate() }

    /// The first sample that is still there. Any thread.
    var first: Int64 { released.load(ordering: .sequentiallyConsistent) }

    /// The sample that comes next: those from `first` to here may be read. Any thread.
    var end: Int64 { written.load(ordering: .sequentiallyConsistent) }

    /// How many more samples fit in. Any thread.
    var room: Int { Self.capacity - Int(end - first) }

    /// Both channels of a sample that is there. Mixing thread.
    func sample(_ place: Int64) -> UnsafePointer<Float> { UnsafePointer(address(place)) }

    /// Gives back what lies before `place`; the mixing thread needs it no more.
    func release(before place: Int64) {
        let place = min(place, end)
        if place > first { released.store(place, ordering: .sequentiallyConsistent) }
    }

    /// Appends `count` samples, which must fit in; nil stands for silence. What is not a number becomes silence, and
    /// nothing is louder than four times full scale: that is no sound but damage. Decoding thread.
    func append(_ source: UnsafePointer<Float>?, count: Int) {
        let begin = end
        for offset in 0..<count {
            let target = address(begin + Int64(offset))
            for channel in 0..<SampleClock.channels {
                let value = source?[offset * SampleClock.channels + channel] ?? 0
                target[channel] = value.isFinite ? min(max(value, -4), 4) : 0
            }
        }
        written.store(begin + Int64(count), ordering: .sequentiallyConsistent)
    }

    private func address(_ place: Int64) -> UnsafeMutablePointer<Float> {
        samples + Int(place & Int64(Self.capacity - 1)) * SampleClock.channels
    }
}
