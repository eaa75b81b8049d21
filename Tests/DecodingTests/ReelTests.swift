import Basics
import CAllocations
import Foundation
import Pictures
import Testing
import VAP

@testable import Decoding

@Suite("Reels", .enabled(if: FFmpeg.isInstalled, "ffmpeg makes the gifts"), .timeLimit(.minutes(1)))
struct ReelTests {
    private let directory: PackDirectory
    private let registry = MetricsRegistry()

    init() throws { directory = try PackDirectory() }

    private func player(
        _ animation: Animation, _ cache: ReelCache, _ metrics: DecodingMetrics, blend: Blend = .premultiplied
    ) -> Player {
        Player(
            animation, place: PlacedRectangle(x: 0, y: 0, width: 32, height: 32),
            program: Canvas.program(32, 32), blend: blend, metrics: metrics, cache: cache)
    }

    /// Plays from start to end, and waits until the cache holds `reels`; what every picture looked like.
    private func play(_ player: Player, _ cache: ReelCache, leaving reels: Int) -> [[UInt8]] {
        #expect(player.load() == .ready)
        let canvas = Canvas(32, 32, (40, 90, 200))
        let pictures = (0..<10).map { index in
            player.paint(picture: index, on: canvas)
            return canvas.contents
        }
        // The worker records the last picture after it is painted.
        expect(cache, reels)
        return pictures
    }

    private func expect(_ cache: ReelCache, _ reels: Int) {
        let deadline = Monotonic.now() + 5 * .second
        while cache.count != reels, Monotonic.now() < deadline { usleep(2_000) }
        #expect(cache.count == reels)
    }

    @Test("the second play looks the same and decodes nothing")
    func replay() throws {
        let (cache, metrics) = (
            ReelCache(budget: 1 << 20, registry: registry), DecodingMetrics(registry)
        )
        let animation = try Animation.open(path: try PatchGift.make(in: directory))
        let first = play(player(animation, cache, metrics), cache, leaving: 1)
        #expect(metrics.picturesPrepared.value == 10)
        let again = player(animation, cache, metrics)
        #expect(play(again, cache, leaving: 1) == first)
        #expect(metrics.picturesPrepared.value == 10)
        #expect(again.picturesLate == 0 && again.end == .second)
        let text = registry.exposition()
        #expect(text.contains("giftd_picture_cache_requests_total{result=\"hit\"} 1\n"))
        #expect(text.contains("giftd_picture_cache_requests_total{result=\"miss\"} 1\n"))
        #expect(!text.contains("giftd_picture_cache_bytes 0\n"))
        // Another blend makes other pictures.
        #expect(play(player(animation, cache, metrics, blend: .ios), cache, leaving: 2) != first)
        #expect(metrics.picturesPrepared.value == 20)
    }

    @Test("a play that was cut short or skipped pictures leaves no reel")
    func partial() throws {
        let (cache, metrics) = (
            ReelCache(budget: 1 << 20, registry: registry), DecodingMetrics(registry)
        )
        let animation = try Animation.open(path: try PatchGift.make(in: directory))
        do {
            let player = player(animation, cache, metrics)
            #expect(player.load() == .ready)
            player.settle(3)
            player.stop()
        }
        // Its worker lets go soon after.
        let deadline = Monotonic.now() + 5 * .second
        while cache.byteCount > 0, Monotonic.now() < deadline { usleep(2_000) }
        #expect(cache.count == 0 && cache.byteCount == 0)
        _ = play(player(animation, cache, metrics), cache, leaving: 1)
        #expect(registry.exposition().contains("giftd_picture_cache_requests_total{result=\"miss\"} 2\n"))
    }

    @Test("without room there is no reel, and every play is as good")
    func noRoom() throws {
        let metrics = DecodingMetrics(registry)
        let animation = try Animation.open(path: try PatchGift.make(in: directory))
        for budget in [0, 500] {
            let cache = ReelCache(budget: budget, registry: MetricsRegistry())
            let first = play(player(animation, cache, metrics), cache, leaving: 0)
            #expect(play(player(animation, cache, metrics), cache, leaving: 0) == first)
        }
        #expect(metrics.picturesPrepared.value == 40)
    }

    @Test("a track with fewer pictures than promised is replayed with its last one held")
    func short() throws {
        let (cache, metrics) = (
            ReelCache(budget: 1 << 20, registry: registry), DecodingMetrics(registry)
        )
        let short = try Animation.open(path: try PatchGift.make("short.mp4", in: directory, frames: 6))
        let first = play(player(short, cache, metrics), cache, leaving: 1)
        #expect(play(player(short, cache, metrics), cache, leaving: 1) == first)
        #expect(metrics.picturesPrepared.value == 6)
        #expect(first[5] == first[9])
    }

    @Test("the windows of all players are counted, and let go")
    func held() throws {
        let metrics = DecodingMetrics(registry)
        let animation = try Animation.open(path: try PatchGift.make(in: directory))
        let none = ReelCache(budget: 0, registry: MetricsRegistry())
        do {
            let players = (0..<3).map { _ in player(animation, none, metrics) }
            for player in players {
                #expect(player.load() == .ready)
                player.settle(3)
            }
            #expect(metrics.picturesHeld.value == 12)
        }
        let deadline = Monotonic.now() + 5 * .second
        while metrics.picturesHeld.value > 0, Monotonic.now() < deadline { usleep(10_000) }
        #expect(metrics.picturesHeld.value == 0)
    }

    @Test("painting from a reel allocates nothing")
    func allocations() throws {
        guard allocations_taken() >= 0 else { return }
        let cache = ReelCache(budget: 1 << 20, registry: registry)
        let animation = try Animation.open(path: try PatchGift.make(in: directory))
        _ = play(player(animation, cache, DecodingMetrics(registry)), cache, leaving: 1)
        let again = player(animation, cache, DecodingMetrics(MetricsRegistry()))
        #expect(again.load() == .ready)
        let canvas = Canvas(32, 32, (0, 0, 0))
        let frame = canvas.frame
        again.paint(on: frame, mediaTime: 0)
        let before = allocations_taken()
        for step in 0..<10 { again.paint(on: frame, mediaTime: Nanoseconds(step) * .second / 10) }
        #expect(allocations_taken() == before)
    }
}
