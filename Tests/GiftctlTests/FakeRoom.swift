import Basics
import Control
import Foundation

@testable import giftctl

/// The main loop of the tests: turned on a thread of its own from the first use on.
private enum TestLoop {
    static let worker: Worker = {
        let worker = Worker(name: "main loop")
        worker.run { if MainLoop.acquire() { MainLoop.run() } }
        return worker
    }()

    static func run<T: Sendable>(_ body: sending @escaping @ControlPlane () async -> T) async -> T {
        _ = worker
        return await ControlPlane.task(body).value
    }
}

/// A control socket with a room behind it that answers what a test wants and remembers what it was asked.
@ControlPlane final class FakeRoom {
    nonisolated let path: String
    private let router = Router()
    private let hub: EventHub
    private let server: LineServer
    private(set) var sent: [GiftSend] = []
    /// Published after a gift was accepted; its id is put in by the test.
    private let story: [any Event]
    private let closes: Bool

    private init(story: [any Event], closes: Bool) {
        path = NSTemporaryDirectory() + "giftctl-\(UUID().uuidString.prefix(8)).sock"
        hub = EventHub(router: router)
        server = LineServer(path: path, router: router, limits: LineLimits(), metrics: MetricsRegistry())
        self.story = story
        self.closes = closes
        addMethods()
    }

    /// Runs `body` beside a room; what the room was sent is its answer. The story happens after `gift.send`.
    nonisolated static func with(
        story: [any Event] = [], closes: Bool = false, _ body: @Sendable (String) throws -> Void
    ) async throws -> [GiftSend] {
        let room = try await TestLoop.run { () -> Result<FakeRoom, any Error> in
            Result {
                let room = FakeRoom(story: story, closes: closes)
                try room.server.start()
                return room
            }
        }.get()
        let result = Result { try body(room.path) }
        let sent = await TestLoop.run {
            await room.server.stop()
            return room.sent
        }
        try result.get()
        return sent
    }

    /// Runs `body` beside a room whose story happens as soon as somebody listens, and which closes then.
    nonisolated static func withStory(_ story: [any Event], _ body: @Sendable (String) throws -> Void)
        async throws
    {
        _ = try await with(story: story, closes: true) { path in
            let teller = Worker(name: "teller")
            teller.run {
                guard let client = try? ControlClient(path: path) else { return }
                _ = try? client.call("story.tell", as: NoParams.self)
            }
            defer { teller.stop() }
            try body(path)
        }
    }

    private func tell() {
        for event in story { publish(event) }
        // Behind the events, which wait for their clients.
        if closes { ControlPlane.task { await self.server.stop() } }
    }

    private func publish<E: Event>(_ event: E) { hub.publish(event) }

    private func addMethods() {
        router.on("gift.send") { [unowned self] (gift: GiftSend, _) in
            guard gift.gift != "unicorn" else { throw RPCError(.unknownGift, "there is no gift \"unicorn\"") }
            sent.append(gift)
            ControlPlane.task { self.tell() }
            let isOld = gift.id == "old"
            return GiftAnswer(
                id: gift.id ?? "g1", state: isOld ? .ended : .waiting, lane: gift.lane ?? "main", position: 2,
                eta: 12.5, outcome: isOld ? "finished" : nil)
        }
        router.on("gift.skip") { (gift: GiftNamed, _) in
            GiftAnswer(id: gift.id, state: .ended, lane: "main", position: 0, outcome: "skipped")
        }
        router.on("gift.cancel") { (gift: GiftNamed, _) in
            GiftAnswer(id: gift.id, state: .ended, lane: "main", position: 0, outcome: "cancelled")
        }
        router.on("story.tell") { [weak self] (_: NoParams, _) in
            while let self, hub.subscriberCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
            self?.tell()
            return NoParams()
        }
        addLists()
    }

    private func addLists() {
        router.on("gift.list") { (query: GiftListQuery, _) in
            let gifts = [
                GiftItem(
                    id: "g1", gift: "rabbit", lane: "main", state: .shown, waited: 0.04, shownSeconds: 1.5),
                GiftItem(id: "g2", gift: "rocket", lane: "side", state: .waiting, position: 0, eta: 3),
            ].filter { query.lane == nil || $0.lane == query.lane }
            return GiftList(gifts: gifts, total: gifts.count + 5)
        }
        router.on("animation.list") { (_: NoParams, _) in
            AnimationList(animations: [
                .init(
                    name: "rabbit", width: 672, height: 1504, fps: 20, frames: 50, codec: "h264",
                    hasSound: true),
                .init(name: "broken", error: RPCError(.invalidVideo, "notMP4: it is empty")),
            ])
        }
        router.on("lane.set") { (lane: LaneSet, _) in
            LaneList(
                lanes: [("main", 0.0), ("side", 6.0)].filter { lane.lane == nil || lane.lane == $0.0 }.map {
                    .init(
                        name: $0.0, concurrency: 1, waiting: 0, playing: 0, volume: lane.volume ?? 0.7,
                        duck: $0.1)
                })
        }
        router.on("gift.set") { (gift: GiftSet, _) in
            GiftAnswer(id: gift.id, state: .shown, lane: "main", position: 0)
        }
        router.on("lane.list") { (_: NoParams, _) in
            LaneList(lanes: [
                .init(name: "main", concurrency: 1, waiting: 3, playing: 1, volume: 0.7, duck: 0)
            ])
        }
        router.on("room.status") { (_: NoParams, _) in Self.status }
    }

    private static let status = RoomStatus(
        room: "demo", version: "1.2.3", uptime: 3900,
        feed: .init(uri: "rtmp://h/live/***", isUp: true, reconnects: 1),
        program: .init(
            width: 1080, height: 1920, fps: 30, isRunning: true, frames: 117_000, framesDropped: 2),
        destinations: [
            .init(
                name: "cdn", uri: "rtmp://cdn/app/***", isUp: false, reason: "refused", bytes: 1_200_000,
                reconnects: 4)
        ],
        gifts: .init(waiting: 3, playing: 1, ended: ["finished": 12, "cancelled": 1]))
}
