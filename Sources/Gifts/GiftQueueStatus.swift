extension GiftQueue.Entry {
    var state: GiftState {
        switch stage {
        case .waiting: .waiting
        case .loading, .ready, .showing: .loading
        case .playing: .playing
        }
    }
}

/// Questions; none changes anything.
extension GiftQueue {
    /// What is known of an id; nil when it never was here, or so long ago that it is forgotten.
    package func lookUp(_ id: String, at now: Int64) -> KnownGift? {
        if let number = numbers[id], let entry = entries[number] {
            return .live(status(of: entry, number, at: now))
        }
        return ended[id].map { .ended(number: $0.number, lane: $0.lane, $0.outcome) }
    }

    /// All gifts that have not ended, lane by lane in their order; nil for a lane that does not exist.
    package func list(lane name: String? = nil, at now: Int64) -> [GiftStatus]? {
        guard let name else { return lanes.indices.flatMap { list($0, at: now) } }
        return lanes.firstIndex { $0.name == name }.map { list($0, at: now) }
    }

    /// Gifts of a lane that no frame has shown yet.
    package func depth(lane name: String) -> Int {
        guard let lane = lanes.firstIndex(where: { $0.name == name }) else { return 0 }
        return lines[lane].count - playing(lane)
    }

    /// Gifts on screen, in one lane or in all.
    package func playingCount(lane name: String? = nil) -> Int {
        lanes.indices.filter { name == nil || lanes[$0].name == name }.map(playing).reduce(0, +)
    }

    func status(of entry: Entry, _ number: GiftNumber, at now: Int64) -> GiftStatus {
        let etas = etas(entry.lane, upTo: number, at: now)
        return GiftStatus(
            gift: entry.gift, number: number, state: entry.state, position: max(etas.count - 1, 0),
            eta: etas.last ?? nil, times: entry.times)
    }

    private func list(_ lane: Int, at now: Int64) -> [GiftStatus] {
        let etas = etas(lane, at: now)
        return zip(lines[lane], etas).enumerated().compactMap { position, pair in
            entries[pair.0].map { entry in
                GiftStatus(
                    gift: entry.gift, number: pair.0, state: entry.state, position: position, eta: pair.1,
                    times: entry.times)
            }
        }
    }

    private func playing(_ lane: Int) -> Int {
        lines[lane].prefix(lanes[lane].concurrency).count { entries[$0]?.stage == .playing }
    }

    /// When each gift of a lane is expected on screen, up to and with `last`: every place of the lane is free
    /// when the gift before it is over. Nil behind a gift of unknown duration.
    private func etas(_ lane: Int, upTo last: GiftNumber? = nil, at now: Int64) -> [Int64?] {
        var etas: [Int64?] = []
        var free: [Int64] = Array(repeating: 0, count: lanes[lane].concurrency)
        var isKnown = true
        for number in lines[lane] {
            guard let entry = entries[number] else { continue }
            let place = free.indices.min { free[$0] < free[$1] } ?? 0
            etas.append(isKnown || etas.count < free.count ? free[place] : nil)
            if number == last { break }
            isKnown = isKnown && entry.duration != nil
            free[place] = free[place].saturating(adding: remaining(entry, at: now))
        }
        return etas
    }

    /// How long it will still be on screen.
    private func remaining(_ entry: Entry, at now: Int64) -> Int64 {
        let duration = max(entry.duration ?? 0, 0)
        guard let started = entry.times.started else { return duration }
        let end = started.saturating(adding: duration)
        return min(max(end.saturating(adding: 0 - max(now, started)), 0), duration)
    }
}
