internal import Basics

/// Decides which frame carries which stamp in the program, so that its video never stops, never steps back and
/// never leaves a hole.
///
/// - A frame is pushed with its own program time, so a feed within 2 % of the program's rate keeps its cadence.
/// - **Early**: a faster feed is thinned: a frame that comes well before the next one is due is dropped.
/// - **Late** (not after the last pushed frame, e.g. because it was repeated meanwhile): dropped.
/// - **Missing**: when nothing is there `margin` before it is due, the last frame is repeated (`tick`). A frame that
///   arrives behind a hole of more than 1.5 frames is preceded by repeats.
///
/// Pure; program times and `now` are running times in nanoseconds. Stamps rise strictly.
struct VideoTimeline {
    enum Verdict: Equatable {
        /// Push `repeats` copies of the last frame, stamped one frame duration apart behind `previous`, then the
        /// frame itself at `at`.
        case push(repeats: Int, after: Nanoseconds, at: Nanoseconds)
        case drop(Reason)
    }

    enum Reason: String, Sendable {
        case late, surplus
    }

    /// Part of the frame duration by which a frame may precede its due time.
    private static let allowance = 0.45
    /// How quickly the due time follows the feed's own phase.
    private static let pull = 0.1

    let frameDuration: Nanoseconds
    private(set) var last: Nanoseconds
    private var due: Nanoseconds

    /// The first frame is due at `start`.
    init(frameDuration: Nanoseconds, start: Nanoseconds) {
        self.frameDuration = frameDuration
        last = start - frameDuration
        due = start
    }

    /// A frame with program time `time` came from the feed.
    mutating func arrived(_ time: Nanoseconds) -> Verdict {
        guard time > last + frameDuration / 4 else { return .drop(.late) }
        let allowance = Nanoseconds(Double(frameDuration) * Self.allowance)
        guard time >= due - allowance else { return .drop(.surplus) }
        let previous = last
        let hole = time - previous
        let repeats = hole > frameDuration * 3 / 2 ? Int((hole - frameDuration / 2) / frameDuration) : 0
        let pulled = due + frameDuration + Nanoseconds(Double(time - due) * Self.pull)
        due = max(pulled, time + frameDuration / 2)
        last = time
        return .push(repeats: repeats, after: previous, at: time)
    }

    /// Whether a repeat is owed: its stamp, or nil. Called until it answers nil.
    mutating func tick(now: Nanoseconds, margin: Nanoseconds) -> Nanoseconds? {
        guard last + frameDuration <= now + margin else { return nil }
        last += frameDuration
        due = last + frameDuration
        return last
    }
}
