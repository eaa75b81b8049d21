internal import Basics

/// Decides which coded units a destination gets, so that what it receives can always be decoded.
///
/// - A fresh connection starts on a key frame; sound older than that key frame is dropped.
/// - A full queue drops pictures up to the next key frame, then goes on. Sound, which is small, goes on until the
///   queue holds half as much again.
///
/// Pure. `dts` are running times in nanoseconds, sizes bytes.
struct DeliveryGate {
    enum Verdict: Equatable {
        case deliver
        case drop(Reason)
    }

    enum Reason: String, Sendable {
        /// In front of the first key frame.
        case beforeKeyFrame
        /// The destination's queue is full, or was, and no key frame has come since.
        case queueFull
    }

    let capacity: Int
    private var start: Nanoseconds?
    private var waitsForKey = true

    init(capacity: Int) { self.capacity = capacity }

    mutating func offered(_ track: Track, isKey: Bool, dts: Nanoseconds, queuedBytes: Int) -> Verdict {
        switch track {
        case .video: offeredPicture(isKey: isKey, dts: dts, queuedBytes: queuedBytes)
        case .audio: offeredSound(dts: dts, queuedBytes: queuedBytes)
        }
    }

    private mutating func offeredPicture(isKey: Bool, dts: Nanoseconds, queuedBytes: Int) -> Verdict {
        if queuedBytes >= capacity {
            waitsForKey = true
            return .drop(.queueFull)
        }
        guard !waitsForKey || isKey else { return .drop(start == nil ? .beforeKeyFrame : .queueFull) }
        waitsForKey = false
        start = start ?? dts
        return .deliver
    }

    private func offeredSound(dts: Nanoseconds, queuedBytes: Int) -> Verdict {
        guard let start, dts >= start else { return .drop(.beforeKeyFrame) }
        return queuedBytes < capacity + capacity / 2 ? .deliver : .drop(.queueFull)
    }
}
