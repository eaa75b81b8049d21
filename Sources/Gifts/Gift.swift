/// One request to show something, paid for by somebody.
package struct Gift: Hashable, Sendable {
    /// Names the gift for its sender: the same id twice is one gift.
    package let id: String
    /// The name of the lane that it waits in.
    package let lane: String
    /// What it plays, as the sender named it.
    package let animation: String
    /// How long it plays, in nanoseconds, when that is known before it is loaded.
    package let duration: Int64?
    /// How long it may wait for the screen, in nanoseconds; nil is for ever.
    package let ttl: Int64?

    package init(id: String, lane: String, animation: String, duration: Int64? = nil, ttl: Int64? = nil) {
        self.id = id
        self.lane = lane
        self.animation = animation
        self.duration = duration
        self.ttl = ttl
    }

    /// Bytes of an id; ids of ended gifts are remembered, and memory is bounded.
    package static let idLimit = 256
}

/// A queue with a place on screen.
package struct Lane: Hashable, Sendable {
    package let name: String
    /// How many of its gifts are on screen at once, at least 1.
    package let concurrency: Int
    /// How many gifts may wait behind those on screen.
    package let capacity: Int
    /// Above which other lanes its gifts are drawn: higher is nearer to the viewer.
    package let z: Int

    package init(name: String, concurrency: Int = 1, capacity: Int = 1000, z: Int = 0) {
        self.name = name
        self.concurrency = min(max(concurrency, 1), 1000)
        self.capacity = max(capacity, 0)
        self.z = z
    }
}

/// How a gift ended. Every accepted gift has exactly one.
package enum Outcome: Hashable, Sendable {
    /// Played to its end.
    case finished
    case cancelled
    /// Ended early by whoever runs the room: shown as far as it was wanted.
    case skipped
    /// Waited longer than its `ttl`.
    case expired
    case failed(Failure)

    /// Stable, for metrics and clients.
    package var name: String {
        switch self {
        case .finished: "finished"
        case .cancelled: "cancelled"
        case .skipped: "skipped"
        case .expired: "expired"
        case .failed: "failed"
        }
    }
}

/// Why a gift failed: a stable kind and a sentence for a person, cut where it is too long to be remembered.
package struct Failure: Hashable, Sendable {
    package let kind: String
    package let message: String

    package init(kind: String, message: String) {
        self.kind = kind
        self.message = message.utf8.count > 500 ? "\(message.prefix(120))…" : message
    }
}
