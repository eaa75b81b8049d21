internal import Basics
internal import Pictures
internal import Synchronization

/// One gift of the show. The streaming thread moves it on; the control plane reads it and takes it off.
final class ShowEntry: Sendable {
    enum Phase: Int {
        /// Not painted yet.
        case waiting
        case playing
        /// Its time is over; no longer painted.
        case over
        /// Taken off before that.
        case removed
    }

    /// What a frame has changed.
    enum Change {
        case nothing, started, ended
    }

    let id: UInt64
    let player: Player
    let z: Int
    /// Whether the control plane has told of the start.
    let isStartTold = Atomic<Bool>(false)
    private let rawPhase = Atomic<Int>(Phase.waiting.rawValue)
    private let start = Atomic<Nanoseconds>(0)
    private let painted = Atomic<Nanoseconds>(0)

    init(id: UInt64, player: Player, z: Int) {
        self.id = id
        self.player = player
        self.z = z
    }

    var phase: Phase { Phase(rawValue: rawPhase.load(ordering: .acquiring)) ?? .removed }

    /// The running time of the first frame that shows it, and when that was painted. Good once it has played.
    var began: (at: Nanoseconds, paintedAt: Nanoseconds) {
        (start.load(ordering: .acquiring), painted.load(ordering: .acquiring))
    }

    /// Draws what is due. Streaming thread.
    func paint(on frame: LiveFrame, at time: Nanoseconds) -> Change {
        switch phase {
        case .waiting:
            guard player.isReady else { return .nothing }
            player.paint(on: frame, mediaTime: 0)
            start.store(time, ordering: .releasing)
            player.sound?.play(from: time)
            painted.store(Monotonic.now(), ordering: .releasing)
            return move(from: .waiting, to: .playing) ? .started : .nothing
        case .playing:
            let mediaTime = time &- start.load(ordering: .relaxed)
            if mediaTime >= player.end {
                player.sound?.playedOut()
                return move(from: .playing, to: .over) ? .ended : .nothing
            }
            player.paint(on: frame, mediaTime: mediaTime)
            return .nothing
        case .over, .removed: return .nothing
        }
    }

    /// True when it was still to be shown. Any thread.
    func remove() -> Bool {
        let old = rawPhase.exchange(Phase.removed.rawValue, ordering: .acquiringAndReleasing)
        return old == Phase.waiting.rawValue || old == Phase.playing.rawValue
    }

    private func move(from old: Phase, to new: Phase) -> Bool {
        rawPhase.compareExchange(
            expected: old.rawValue, desired: new.rawValue, ordering: .acquiringAndReleasing
        ).exchanged
    }
}
