/// What the owner of the queue does next, in the order given.
package enum GiftAction: Hashable, Sendable {
    /// Load the animation up to its first picture, then tell `loadFinished` or `failed`.
    case load(GiftNumber, Gift)
    /// Put it on screen, then tell `started` and `finished`, or `failed`.
    case show(GiftNumber, z: Int)
    /// Take it off the screen if it is there, and give back what it holds. Follows every `load` exactly once.
    case remove(GiftNumber)
    /// Tell whoever listens.
    case announce(GiftEvent)
}

/// What has happened to a gift.
package enum GiftEvent: Hashable, Sendable {
    case accepted(GiftStatus)
    /// `runningTime` is the program's, of the first frame that shows it.
    case started(GiftStatus, runningTime: Int64)
    case ended(GiftEnd)
}

/// The end of a gift, with its whole story.
package struct GiftEnd: Hashable, Sendable {
    package let gift: Gift
    package let number: GiftNumber
    package let outcome: Outcome
    package let times: GiftTimes
}

/// The answer to a gift that was offered.
package enum Offer: Hashable, Sendable {
    case accepted(GiftStatus)
    /// The id is known: nothing has changed, and this is what became of the gift.
    case duplicate(KnownGift)
    case refused(Refusal)
}

package enum Refusal: Hashable, Sendable {
    case laneUnknown(String)
    case queueFull(lane: String, capacity: Int)
    /// Empty, or longer than `Gift.idLimit` bytes.
    case idInvalid
}

/// The answer to a wish to cancel.
package enum Cancellation: Hashable, Sendable {
    /// Cancelled; this is where it was.
    case done(GiftState)
    /// It had ended before, and keeps its outcome.
    case ended(Outcome)
    case unknown
}
