/// `gift.send`: one gift for the show.
package struct GiftSend: Params {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case gift, id, lane, place, blend, ttl, volume
    }

    /// Its name in the catalogue.
    package var gift: String
    /// The client's key: the same id twice is one gift. Made up when left out.
    package var id: String?
    /// The first lane of the room when left out.
    package var lane: String?
    /// Replaces the lane's place.
    package var place: PlaceParams?
    /// `premultiplied`, `straight` or `ios`; the room's when left out.
    package var blend: String?
    /// Seconds for which the gift may wait; without, as long as it takes.
    package var ttl: Double?
    /// How loud its sound is, 0 to 2, times the lane's; 1 when left out.
    package var volume: Double?

    package init(
        gift: String, id: String? = nil, lane: String? = nil, place: PlaceParams? = nil, blend: String? = nil,
        ttl: Double? = nil, volume: Double? = nil
    ) {
        self.gift = gift
        self.id = id
        self.lane = lane
        self.place = place
        self.blend = blend
        self.ttl = ttl
        self.volume = volume
    }

    package func validate() throws(RPCError) {
        try Check.name(gift, "gift")
        try Check.name(id, "id", limit: 128)
        try Check.name(lane, "lane")
        try Check.range(ttl, "ttl", 0.001...86_400)
        try Check.range(volume, "volume", 0...2)
    }
}

/// `gift.cancel`, which takes a gift back, and `gift.skip`, after which the next one follows.
package struct GiftNamed: Params {
    package enum CodingKeys: String, CodingKey, CaseIterable { case id }

    package var id: String

    package init(id: String) { self.id = id }

    package func validate() throws(RPCError) { try Check.name(id, "id", limit: 128) }
}

/// `gift.list`: what plays, what waits and what ended lately, in this order, a page of it.
package struct GiftListQuery: Params {
    package enum CodingKeys: String, CodingKey, CaseIterable { case lane, limit, offset }

    package var lane: String?
    /// 1 to 500; 100 when left out.
    package var limit: Int?
    package var offset: Int?

    package init(lane: String? = nil, limit: Int? = nil, offset: Int? = nil) {
        self.lane = lane
        self.limit = limit
        self.offset = offset
    }

    package func validate() throws(RPCError) {
        try Check.name(lane, "lane")
        try Check.range(limit, "limit", 1...500)
        try Check.range(offset, "offset", 0...Int(Int32.max))
    }
}

/// `events.subscribe`: from its answer on, the client is sent notifications. A second replaces the first.
package struct EventsSubscribe: Params {
    package enum CodingKeys: String, CodingKey, CaseIterable { case events }

    /// Names such as `gift.started`, or `gift.*`; all when left out.
    package var events: [String]?

    package init(events: [String]? = nil) { self.events = events }
}
