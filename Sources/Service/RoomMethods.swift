internal import Basics
internal import Control
internal import Decoding
internal import FoundationEssentials
internal import Gifts
internal import Live
internal import Pictures
internal import VAP

/// What clients can ask of a room; see the wire types for fields and limits.
extension Room {
    func addMethods(to router: Router) {
        router.on("gift.send") { [unowned self] (params: GiftSend, context) in try await send(params, context)
        }
        router.on("gift.cancel") { [unowned self] (params: GiftNamed, _) in try end(params.id, .cancelled) }
        router.on("gift.skip") { [unowned self] (params: GiftNamed, _) in try end(params.id, .skipped) }
        router.on("gift.list") { [unowned self] (query: GiftListQuery, _) in try list(query) }
        router.on("gift.set") { [unowned self] (params: GiftSet, _) in try set(params) }
        router.on("lane.list") { [unowned self] (_: NoParams, _) in laneList }
        router.on("lane.set") { [unowned self] (params: LaneSet, _) in try set(params) }
        router.on("animation.list") { [unowned self] (_: NoParams, _) in await animationList }
        router.on("room.status") { [unowned self] (_: NoParams, _) in status }
    }

    // MARK: - Gifts

    private func send(_ params: GiftSend, _ context: RequestContext) async throws -> GiftAnswer {
        let lane = try lane(params.lane)
        let asked = try params.blend.map(Self.blend)
        let place = try params.place.map(Self.placement) ?? lane.place
        // An id that is known needs no file: the answer says what became of the gift.
        if let id = params.id, let known = desk.queue.lookUp(id, at: Monotonic.now()) {
            return GiftAnswer(known, id: id)
        }
        let animation = try await animation(params.gift)
        let blend = asked ?? animation.blend ?? lane.blend ?? configuration.gifts.blend
        let gift = Gift(
            id: params.id ?? UUID().uuidString.lowercased(), lane: lane.name, animation: params.gift,
            duration: animation.layout.duration, ttl: params.ttl.map { Nanoseconds(seconds: $0) })
        switch desk.offer(
            gift, animation: animation, placement: place, blend: blend, volume: params.volume ?? 1,
            receivedAt: context.receivedAt)
        {
        case .accepted(let status): return GiftAnswer(status)
        case .duplicate(let known): return GiftAnswer(known, id: gift.id)
        case .refused(let refusal): throw RPCError(refusal)
        }
    }

    private func animation(_ name: String) async throws(RPCError) -> Animation {
        do {
            return try await catalogue.animation(name)
        } catch {
            let hint = "animation.list shows what can be played"
            guard error.kind != .notFound else { throw RPCError(.unknownGift, "\(error.clause); \(hint)") }
            throw RPCError(.invalidVideo, "\(error.kind.rawValue): \(error.clause); \(hint)")
        }
    }

    private func end(_ id: String, _ outcome: Outcome) throws -> GiftAnswer {
        let before = desk.queue.lookUp(id, at: Monotonic.now())
        switch (desk.cancel(id, as: outcome), before) {
        case (.done, .live(let status)): return GiftAnswer(status, outcome: outcome.name)
        case (.ended(let outcome), _):
            throw RPCError(.alreadyEnded, "gift \(id) has ended before: \(outcome.name)")
        default: throw RPCError(.unknownID, "there is no gift \(id); gift.list shows those there are")
        }
    }

    private func set(_ params: GiftSet) throws(RPCError) -> GiftAnswer {
        switch desk.queue.lookUp(params.id, at: Monotonic.now()) {
        case .live(let status):
            desk.sounds.set(gift: status.number, volume: params.volume)
            return GiftAnswer(status)
        case .ended(_, _, let outcome):
            throw RPCError(.alreadyEnded, "gift \(params.id) has ended before: \(outcome.name)")
        case nil:
            throw RPCError(.unknownID, "there is no gift \(params.id); gift.list shows those there are")
        }
    }

    private func list(_ query: GiftListQuery) throws -> GiftList {
        guard let all = desk.queue.list(lane: query.lane, at: Monotonic.now()) else {
            throw RPCError(.unknownLane, unknownLane(query.lane ?? ""))
        }
        let page = all.dropFirst(query.offset ?? 0).prefix(query.limit ?? 100)
        return GiftList(gifts: page.map { GiftItem($0) }, total: all.count)
    }

    private func lane(_ name: String?) throws(RPCError) -> Configuration.Lane {
        guard let name else { return configuration.lanes[0] }
        guard let lane = configuration.lanes.first(where: { $0.name == name }) else {
            throw RPCError(.unknownLane, unknownLane(name))
        }
        return lane
    }

    private func unknownLane(_ name: String) -> String {
        "there is no lane \"\(name)\": there are \(configuration.lanes.map(\.name).joined(separator: ", "))"
    }

    private static func blend(_ name: String) throws(RPCError) -> Blend {
        guard let blend = Blend(rawValue: name) else {
            let names = Blend.allCases.map(\.rawValue).joined(separator: ", ")
            throw RPCError(.invalidParams, "there is no blend \"\(name)\": there are \(names)")
        }
        return blend
    }

    /// The wire form is the placement's own JSON.
    private static func placement(_ params: PlaceParams) throws(RPCError) -> Placement {
        do {
            return try JSONDecoder().decode(Placement.self, from: JSONEncoder().encode(params))
        } catch DecodingError.dataCorrupted(let context) {
            throw RPCError(.invalidParams, "place: \(context.debugDescription)")
        } catch {
            throw RPCError(.invalidParams, "place: \(error)")
        }
    }

    private func set(_ params: LaneSet) throws(RPCError) -> LaneList {
        let names = try params.lane == nil ? configuration.lanes.map(\.name) : [lane(params.lane).name]
        for name in names { desk.sounds.set(lane: name, volume: params.volume, duck: params.duck) }
        return LaneList(lanes: laneList.lanes.filter { names.contains($0.name) })
    }

    // MARK: - What there is

    private var laneList: LaneList {
        LaneList(
            lanes: configuration.lanes.map { lane in
                let sound = desk.sounds.lanes[lane.name]
                return LaneList.Lane(
                    name: lane.name, concurrency: lane.concurrency,
                    waiting: desk.queue.depth(lane: lane.name),
                    playing: desk.queue.playingCount(lane: lane.name),
                    volume: sound?.volume ?? lane.volume, duck: sound?.duck ?? lane.duck)
            })
    }

    private var animationList: AnimationList {
        get async {
            AnimationList(
                animations: await catalogue.list().map { entry in
                    switch entry.animation {
                    case .success(let animation): .init(entry.name, animation)
                    case .failure(let error):
                        .init(name: entry.name, error: RPCError(.invalidVideo, error.description))
                    }
                })
        }
    }

    private var status: RoomStatus {
        let feedStatus = feed.status
        return RoomStatus(
            room: configuration.room, version: Version.text, uptime: (clock.now - 10 * .second).seconds,
            feed: .init(
                uri: configuration.feed.uri.redacted, isUp: feedStatus.isUp,
                reason: feedStatus.reason.map(Log.redacted), reconnects: feed.reconnects),
            program: .init(
                width: configuration.program.width, height: configuration.program.height,
                fps: Double(configuration.program.fps), isRunning: isAdvancing,
                frames: program.framesEncoded, framesDropped: program.framesDropped),
            destinations: zip(destinations, configuration.destinations).map { destination, settings in
                let status = destination.status
                return .init(
                    name: settings.name, uri: settings.uri.redacted, isUp: status.isUp,
                    reason: status.reason.map(Log.redacted), bytes: status.bytes,
                    reconnects: status.reconnects)
            },
            gifts: .init(
                waiting: configuration.lanes.reduce(0) { $0 + desk.queue.depth(lane: $1.name) },
                playing: desk.queue.playingCount(), ended: desk.ends))
    }
}

extension RPCError {
    init(_ refusal: Refusal) {
        switch refusal {
        case .laneUnknown(let name): self.init(.unknownLane, "there is no lane \"\(name)\"")
        case .queueFull(let lane, let capacity):
            self.init(.queueFull, "lane \(lane) holds \(capacity) waiting gifts already: send it again later")
        case .idInvalid: self.init(.invalidParams, "id must have 1 to \(Gift.idLimit) bytes")
        }
    }
}

extension GiftAnswer {
    init(_ status: GiftStatus, outcome: String? = nil) {
        self.init(
            id: status.gift.id, state: outcome == nil ? .init(status.state) : .ended, lane: status.gift.lane,
            position: status.position, eta: status.eta?.seconds, outcome: outcome)
    }

    init(_ known: KnownGift, id: String) {
        switch known {
        case .live(let status): self.init(status)
        case .ended(_, let lane, let outcome):
            self.init(id: id, state: .ended, lane: lane, position: 0, outcome: outcome.name)
        }
    }
}

extension Control.GiftState {
    init(_ state: Gifts.GiftState) {
        switch state {
        case .waiting: self = .waiting
        case .loading: self = .loading
        case .playing: self = .shown
        }
    }
}

extension GiftItem {
    init(_ status: GiftStatus) {
        let now = Monotonic.now()
        self.init(
            id: status.gift.id, gift: status.gift.animation, lane: status.gift.lane,
            state: .init(status.state),
            position: status.position, eta: status.eta?.seconds,
            waited: ((status.times.started ?? now) - status.times.accepted).seconds,
            shownSeconds: status.times.started.map { (now - $0).seconds })
    }
}

extension AnimationList.Animation {
    init(_ name: String, _ animation: Animation) {
        self.init(
            name: name, width: animation.layout.canvas.width, height: animation.layout.canvas.height,
            fps: animation.layout.framesPerSecond, frames: animation.layout.frameCount,
            codec: animation.codec.rawValue, hasSound: animation.hasSound)
    }
}
