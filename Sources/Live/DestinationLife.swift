internal import Basics

/// When a destination's connection is opened, given up and tried again: for ever, with growing pauses.
///
/// `progress` counts buffers that have entered the sink: the second one proves that the first was taken, so two mean
/// connected, and a count that stands still while units are waiting means that the peer swallows nothing. Pure;
/// running times in nanoseconds.
struct DestinationLife {
    enum State: Equatable {
        case waiting(until: Nanoseconds)
        case connecting(since: Nanoseconds)
        case up(since: Nanoseconds)
        /// The connection is being taken down; nothing is opened before that is done.
        case closing(retryAt: Nanoseconds)
    }

    enum Action: Equatable {
        case none, open, announceUp
        case close(reason: String)
    }

    static let connectLimit: Nanoseconds = 10 * .second
    static let stallLimit: Nanoseconds = 5 * .second

    private(set) var state: State
    private var backoff: Backoff
    private var lastProgress = 0
    private var movedAt: Nanoseconds = 0

    /// The first attempt is due at `now`.
    init(now: Nanoseconds, backoff: Backoff = Backoff(first: 0.5, cap: 30)) {
        state = .waiting(until: now)
        self.backoff = backoff
    }

    var isUp: Bool { if case .up = state { true } else { false } }

    mutating func timePassed(_ now: Nanoseconds, progress: Int, isWaiting: Bool, jitter: Double) -> Action {
        if progress != lastProgress || !isWaiting { movedAt = now }
        lastProgress = progress
        switch state {
        case .waiting(let until):
            guard now >= until else { return .none }
            state = .connecting(since: now)
            (lastProgress, movedAt) = (0, now)
            return .open
        case .connecting(let since):
            if progress >= 2 {
                state = .up(since: now)
                return .announceUp
            }
            guard now - since >= Self.connectLimit else { return .none }
            return failed(now, "no connection within \(Self.connectLimit / .second) s", jitter: jitter)
        case .up:
            guard now - movedAt >= Self.stallLimit else { return .none }
            return failed(
                now, "the peer has taken nothing for \(Self.stallLimit / .second) s", jitter: jitter)
        case .closing: return .none
        }
    }

    /// The connection failed. Answers `close`, once.
    mutating func failed(_ now: Nanoseconds, _ reason: String, jitter: Double) -> Action {
        let served: Nanoseconds
        switch state {
        case .up(let since): served = now - since
        case .connecting: served = 0
        case .waiting, .closing: return .none
        }
        let pause = backoff.failed(served: served.seconds, jitter: jitter)
        state = .closing(retryAt: now + Nanoseconds(seconds: pause))
        return .close(reason: reason)
    }

    /// What was left of the connection is gone.
    mutating func closed() {
        if case .closing(let retryAt) = state { state = .waiting(until: retryAt) }
    }
}
