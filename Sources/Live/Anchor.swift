internal import Basics

/// Maps feed time to program time, behind the decoders. Audio and video share it, so they never part.
///
/// *Slack* is how long before it is due a frame arrives: `program time - now`. The anchor is set so that the first
/// frame has the feed's latency as slack; from then on:
///
/// - **settling** (a second after the anchor was set, or after nothing came for half a second): a frame that is more
///   than `latency + tolerance` early moves the mapping down at once. It was a burst (a server's cache, a publisher
///   that was stopped), and following it would leave the program behind the feed for ever.
/// - **steady**: judged once a window. A track of which *every* frame came too late to be shown moves the mapping up,
///   until its best frame has the latency as slack; this is how a feed whose audio is bundled keeps its audio. When
///   the *least* slack of all tracks exceeds the latency, the mapping moves down by the rest.
///
/// - At no time a frame waits longer than `cap`.
///
/// Moving down makes later frames fall behind the last one; the timelines drop them. Moving up leaves a hole; the
/// timelines fill it. Pure; nanoseconds.
struct Anchor {
    struct Placed {
        let time: Nanoseconds
        let moved: Nanoseconds
    }

    private struct Window {
        var least = Nanoseconds.max
        var most = Nanoseconds.min

        mutating func add(_ slack: Nanoseconds) {
            least = min(least, slack)
            most = max(most, slack)
        }
    }

    private static let tolerance: Nanoseconds = 100 * .millisecond
    private static let settlingTime: Nanoseconds = .second
    private static let window: Nanoseconds = .second
    private static let pause: Nanoseconds = 500 * .millisecond

    let latency: Nanoseconds
    /// Less slack than this is too late to be shown.
    let margin: Nanoseconds
    /// No frame waits longer than this, whatever its stamp says.
    let cap: Nanoseconds

    private var offset: Nanoseconds?
    private var settledAt: Nanoseconds = 0
    private var lastArrival: Nanoseconds = 0
    private var windowEnd: Nanoseconds = 0
    private var windows = [Window(), Window()]

    init(latency: Nanoseconds, margin: Nanoseconds, cap: Nanoseconds = 3 * .second) {
        self.latency = latency
        self.margin = margin
        self.cap = cap
    }

    /// Forgets the mapping: the next frame, of a new connection, sets it anew.
    mutating func reset() { offset = nil }

    /// The program time of a decoded frame with feed time `time` that arrives at `now`.
    mutating func place(_ track: Track, _ time: Nanoseconds, now: Nanoseconds) -> Placed {
        var moved: Nanoseconds = 0
        guard let current = offset else {
            let first = now + latency - time
            offset = first
            settle(now)
            lastArrival = now
            windows[track.rawValue].add(latency)
            return Placed(time: time + first, moved: 0)
        }
        if now - lastArrival > Self.pause { settle(now) }
        lastArrival = now
        let slack = time + current - now
        windows[track.rawValue].add(slack)
        if slack > cap || (now < settledAt && slack > latency + Self.tolerance) {
            moved = latency - slack
            startWindow(now)
        } else if now >= windowEnd {
            moved = judge()
            startWindow(now)
        }
        offset = current + moved
        return Placed(time: time + current + moved, moved: moved)
    }

    private mutating func settle(_ now: Nanoseconds) {
        settledAt = now + Self.settlingTime
        startWindow(now)
    }

    private mutating func startWindow(_ now: Nanoseconds) {
        windowEnd = now + Self.window
        windows = [Window(), Window()]
    }

    private func judge() -> Nanoseconds {
        let seen = windows.filter { $0.most > .min }
        guard let least = seen.map(\.least).min(), let most = seen.map(\.most).max() else { return 0 }
        let worst = seen.map(\.most).min() ?? most
        if worst < margin { return max(min(latency - worst, cap - most), 0) }
        return least > latency + Self.tolerance ? latency - least : 0
    }
}
