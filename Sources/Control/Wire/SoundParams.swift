/// `lane.set`: how the gifts of a lane sound, from now on and until the room is started anew. What is left out stays.
package struct LaneSet: Params {
    package enum CodingKeys: String, CodingKey, CaseIterable { case lane, volume, duck }

    /// All lanes when left out.
    package var lane: String?
    /// 0 to 2; 1 is as in the file.
    package var volume: Double?
    /// Decibels, 0 to 60.
    package var duck: Double?

    package init(lane: String? = nil, volume: Double? = nil, duck: Double? = nil) {
        self.lane = lane
        self.volume = volume
        self.duck = duck
    }

    package func validate() throws(RPCError) {
        try Check.name(lane, "lane")
        try Check.range(volume, "volume", 0...2)
        try Check.range(duck, "duck", 0...60)
        guard volume != nil || duck != nil else {
            throw RPCError(.invalidParams, "volume or duck has to be there")
        }
    }
}

/// `gift.set`: changes a gift that waits or plays.
package struct GiftSet: Params {
    package enum CodingKeys: String, CodingKey, CaseIterable { case id, volume }

    package var id: String
    /// 0 to 2, times the lane's.
    package var volume: Double

    package init(id: String, volume: Double) {
        self.id = id
        self.volume = volume
    }

    package func validate() throws(RPCError) {
        try Check.name(id, "id", limit: 128)
        try Check.range(volume, "volume", 0...2)
    }
}
