/// Where a gift is on its way.
package enum GiftState: String, Codable, Sendable {
    case waiting
    case loading
    case shown
    case ended
}

/// The answer to `gift.send`, `gift.cancel` and `gift.skip`.
package struct GiftAnswer: Codable, Hashable, Sendable {
    package var id: String
    package var state: GiftState
    package var lane: String
    /// How many gifts of the lane come first.
    package var position: Int
    /// Seconds until it shows, as far as that can be told.
    package var eta: Double?
    /// How it ended: finished, skipped, cancelled, expired, merged or failed.
    package var outcome: String?

    package init(
        id: String, state: GiftState, lane: String, position: Int, eta: Double? = nil, outcome: String? = nil
    ) {
        self.id = id
        self.state = state
        self.lane = lane
        self.position = position
        self.eta = eta
        self.outcome = outcome
    }
}

/// One line of `gift.list`.
package struct GiftItem: Codable, Hashable, Sendable {
    package var id: String
    package var gift: String
    package var lane: String
    package var state: GiftState
    package var position: Int?
    package var eta: Double?
    /// Seconds it waited, up to now or to its first picture.
    package var waited: Double?
    /// Seconds it has been on screen.
    package var shownSeconds: Double?
    package var outcome: String?
    package var reason: String?

    package init(
        id: String, gift: String, lane: String, state: GiftState, position: Int? = nil, eta: Double? = nil,
        waited: Double? = nil, shownSeconds: Double? = nil, outcome: String? = nil, reason: String? = nil
    ) {
        self.id = id
        self.gift = gift
        self.lane = lane
        self.state = state
        self.position = position
        self.eta = eta
        self.waited = waited
        self.shownSeconds = shownSeconds
        self.outcome = outcome
        self.reason = reason
    }
}

/// The answer to `gift.list`.
package struct GiftList: Codable, Hashable, Sendable {
    package var gifts: [GiftItem]
    /// How many there are on all pages.
    package var total: Int

    package init(gifts: [GiftItem], total: Int) {
        self.gifts = gifts
        self.total = total
    }
}

/// The answer to `lane.list` and `lane.set`.
package struct LaneList: Codable, Hashable, Sendable {
    package struct Lane: Codable, Hashable, Sendable {
        package var name: String
        package var concurrency: Int
        package var waiting: Int
        package var playing: Int
        /// As in the configuration, or as set since.
        package var volume: Double
        package var duck: Double

        package init(
            name: String, concurrency: Int, waiting: Int, playing: Int, volume: Double, duck: Double
        ) {
            self.name = name
            self.concurrency = concurrency
            self.waiting = waiting
            self.playing = playing
            self.volume = volume
            self.duck = duck
        }
    }

    package var lanes: [Lane]

    package init(lanes: [Lane]) { self.lanes = lanes }
}

/// The answer to `animation.list`: the catalogue, the files that cannot be played too.
package struct AnimationList: Codable, Hashable, Sendable {
    package struct Animation: Codable, Hashable, Sendable {
        package var name: String
        package var width: Int?
        package var height: Int?
        package var fps: Double?
        package var frames: Int?
        package var codec: String?
        package var hasSound: Bool?
        /// Why it cannot be played.
        package var error: RPCError?

        package init(
            name: String, width: Int? = nil, height: Int? = nil, fps: Double? = nil, frames: Int? = nil,
            codec: String? = nil, hasSound: Bool? = nil, error: RPCError? = nil
        ) {
            self.name = name
            self.width = width
            self.height = height
            self.fps = fps
            self.frames = frames
            self.codec = codec
            self.hasSound = hasSound
            self.error = error
        }
    }

    package var animations: [Animation]

    package init(animations: [Animation]) { self.animations = animations }
}
