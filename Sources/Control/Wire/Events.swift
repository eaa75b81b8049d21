/// Something that happened, told to who subscribed: a notification of this method with these parameters.
package protocol Event: Codable, Hashable, Sendable {
    static var name: String { get }
}

package enum Events {
    /// All names that `events.subscribe` knows.
    package static let names: [String] = [
        GiftAccepted.name, GiftStarted.name, GiftEnded.name, FeedUp.name, FeedDown.name, DestinationUp.name,
        DestinationDown.name,
    ]
}

package struct GiftAccepted: Event {
    package static let name = "gift.accepted"
    package var id: String
    package var gift: String
    package var lane: String
    package var position: Int

    package init(id: String, gift: String, lane: String, position: Int) {
        self.id = id
        self.gift = gift
        self.lane = lane
        self.position = position
    }
}

package struct GiftStarted: Event {
    package static let name = "gift.started"
    package var id: String
    package var gift: String
    package var lane: String
    /// The program's running time of the first frame that shows it, in seconds.
    package var pts: Double
    /// Seconds from the request's line to the painting of that frame.
    package var latency: Double

    package init(id: String, gift: String, lane: String, pts: Double, latency: Double) {
        self.id = id
        self.gift = gift
        self.lane = lane
        self.pts = pts
        self.latency = latency
    }
}

package struct GiftEnded: Event {
    package static let name = "gift.ended"
    package var id: String
    package var gift: String
    package var lane: String
    /// finished, skipped, cancelled, expired, merged or failed.
    package var outcome: String
    package var reason: String?
    /// Seconds it was on screen; nothing when it never was.
    package var shownSeconds: Double?
    /// How many of its pictures came too late to be shown.
    package var picturesLate: Int

    package init(
        id: String, gift: String, lane: String, outcome: String, reason: String? = nil,
        shownSeconds: Double? = nil, picturesLate: Int = 0
    ) {
        self.id = id
        self.gift = gift
        self.lane = lane
        self.outcome = outcome
        self.reason = reason
        self.shownSeconds = shownSeconds
        self.picturesLate = picturesLate
    }
}

package struct FeedUp: Event {
    package static let name = "feed.up"

    package init() {}
}

package struct FeedDown: Event {
    package static let name = "feed.down"
    package var reason: String

    package init(reason: String) { self.reason = reason }
}

package struct DestinationUp: Event {
    package static let name = "destination.up"
    /// The destination's.
    package var destination: String

    package init(destination: String) { self.destination = destination }

    private enum CodingKeys: String, CodingKey { case destination = "name" }
}

package struct DestinationDown: Event {
    package static let name = "destination.down"
    package var destination: String
    package var reason: String

    package init(destination: String, reason: String) {
        self.destination = destination
        self.reason = reason
    }

    private enum CodingKeys: String, CodingKey { case destination = "name", reason }
}
