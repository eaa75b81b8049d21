internal import Basics

/// Maps feed time to program time, behind the decoders. Audio and video share it, so they never part.
///
/// *Slack* is how long before it is due a frame arrives: `program time - now`. The anchor is set so that the first
/// frame has the feed's latency as slack; from then on:
///
/// - **settling** (a second after the anchor was set, or after nothing came for half a second): a frame that is more
///   than `latency + tolerance` early moves the mapping down at once. It was a burst (a server's cache, a publisher
///   that was stopped), and following it would leave the program behind the feed for ever.
/// - **steady**: judged once a window. A track of which some frames come too late to be shown, window after window,
///   moves the mapping up until its latest frame is in time; this is how a feed whose audio comes late and bundled
///   keeps its audio. When the *least* slack of all tracks exceeds the latency, the mapping moves down by the rest.
///   One late window is enough in the first seconds, when the lateness of the tracks is not known yet; later it may
///   be a hiccup of the network, and three in a row are asked for.
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
        var lateInARow = 0
    }

    private static let tolerance: Nanoseconds = 100 * .millisecond
    private static let settlingTime: Nanoseconds = .second
    private static let window: Nanoseconds = .second
    private static let pause: Nanoseconds = 500 * .millisecond
    /// How long one late window is enough.
    private static let learningTime: Nanoseconds = 5 * .second
    private static let hiccup = 3
    /// What the latest frame gets beyond the margin when the mapping moves up for it.
    private static let reserve: Nanoseconds = 50 * .millisecond

    let latency: Nanoseconds
    /// Less slack than this is too late to be shown.
    let margin: Nanoseconds
    /// No frame waits longer than this, whatever its stamp says.
    let cap: Nanoseconds

    private var offset: Nanoseconds?
    private var settledAt: Nanoseconds = 0
    private var learntAt: Nanoseconds = 0
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
        guard let current = offset else { return begin(track, time, now: now) }
        if now - lastArrival > Self.pause { settle(now) }
        lastArrival = now
        let slack = time + current - now
        windows[track.rawValue].least = min(windows[track.rawValue].least, slack)
        windows[track.rawValue].most = max(windows[track.rawValue].most, slack)
        var moved: Nanoseconds = 0
        if slack > cap || (now < settledAt && slack > latency + Self.tolerance) {
            moved = latency - slack
            startWindow(now)
        } else if now >= windowEnd {
            moved = judge(now)
            startWindow(now)
        }
        offset = current + moved
        return Placed(time: time + current + moved, moved: moved)
    }

    private mutating func begin(_ track: Track, _ time: Nanoseconds, now: Nanoseconds) -> Placed {
        offset = now + latency - time
        lastArrival = now
        learntAt = now + Self.learningTime
        windows = [Window(), Window()]
        settle(now)
        return Placed(time: now + latency, moved: 0)
    }

    private mutating func settle(_ now: Nanoseconds) {
        settledAt = now + Self.settlingTime
        startWindow(now)
    }

    private mutating func startWindow(_ now: Nanoseconds) {
        windowEnd = now + Self.window
        for index in windows.indices {
            windows[index].least = .max
            windows[index].most = .min
        }
    }

    /// By how much the mapping moves after a window.
    private mutating func judge(_ now: Nanoseconds) -> Nanoseconds {
        var (least, most) = (Nanoseconds.max, Nanoseconds.min)
        var isLate = false
        for index in windows.indices where windows[index].most > .min {
            least = min(least, windows[index].least)
            most = max(most, windows[index].most)
            windows[index].lateInARow = windows[index].least < margin ? windows[index].lateInARow + 1 : 0
            isLate = isLate || windows[index].lateInARow >= (now < learntAt ? 1 : Self.hiccup)
        }
        if isLate { return max(min(margin + Self.reserve - least, cap - most), 0) }
        return least < .max && least > latency + Self.tolerance ? latency - least : 0
    }
}
