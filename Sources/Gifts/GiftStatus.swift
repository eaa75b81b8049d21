/// Where a gift is that has not ended.
package enum GiftState: String, Hashable, Sendable, Codable {
    /// Behind others of its lane.
    case waiting
    /// Being loaded, or loaded and not on screen yet.
    case loading
    /// A frame of the program has shown it.
    case playing
}

/// When a gift got where, on the caller's clock in nanoseconds. Nil: not yet.
package struct GiftTimes: Hashable, Sendable {
    package internal(set) var accepted: Int64
    package internal(set) var loadBegan: Int64?
    package internal(set) var loaded: Int64?
    /// When it was due on screen: it was loaded and its lane had room.
    package internal(set) var due: Int64?
    package internal(set) var started: Int64?
    package internal(set) var ended: Int64?
}

/// What can be told about a gift that has not ended.
package struct GiftStatus: Hashable, Sendable {
    package let gift: Gift
    package let number: GiftNumber
    package let state: GiftState
    /// How many gifts of its lane are before it, those on screen included.
    package let position: Int
    /// Nanoseconds until it is expected on screen. Nil when the duration of a gift before it is not known.
    package let eta: Int64?
    package let times: GiftTimes
}

/// What is known of an id.
package enum KnownGift: Hashable, Sendable {
    case live(GiftStatus)
    case ended(number: GiftNumber, lane: String, Outcome)
}

/// Counts accepted gifts from 1 on. Unlike an id it never comes again.
package typealias GiftNumber = UInt64
