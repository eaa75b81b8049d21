import Basics
import CAllocations
import Foundation
import Pictures
import Testing
import VAP

@testable import Decoding

@Suite("Show", .enabled(if: FFmpeg.isInstalled, "ffmpeg makes the gifts"), .timeLimit(.minutes(1)))
struct ShowTests {
    private let directory: PackDirectory
    private let animation: Animation
    private let show = Show()
    private let canvas = Canvas(64, 32, (90, 90, 90))
    private let untouched: [UInt8]

    init() throws {
        directory = try PackDirectory()
        animation = try Animation.open(path: try PatchGift.make(in: directory))
        untouched = canvas.contents
    }

    /// A player at a column of the canvas; loaded unless it shall not be.
    private func player(x: Int = 0, isLoaded: Bool = true) -> Player {
        let player = Player(
            animation, place: PlacedRectangle(x: x, y: 0, width: 32, height: 32),
            program: Canvas.program(64, 32), metrics: testMetrics())
        if isLoaded {
            #expect(player.load() == .ready)
            player.settle(3)
        }
        return player
    }

    private func paint(at time: Nanoseconds) {
        canvas.clear()
        show.paint(on: canvas.frame, at: time)
    }

    private func shows(_ picture: Int, x: Int = 0) -> Bool {
        abs(canvas.rgb(x + 8, 8).red - Double(PatchGift.grey(picture))) < 6
    }

    @Test("shows nothing, and says so, until there is a gift")
    func empty() {
        #expect(!show.isShowing)
        paint(at: 0)
        #expect(canvas.contents == untouched)
        #expect(show.drain().isEmpty)
    }

    @Test("starts a gift's clock with the first frame that paints it and ends it at f / fps")
    func life() {
        let player = player()
        show.add(id: 5, player: player, z: 0)
        #expect(show.isShowing && show.count == 1)
        let start = 7 * Nanoseconds.second + 123
        let before = Monotonic.now()
        paint(at: start)
        #expect(shows(0))
        guard case .started(5, start, let painted)? = show.drain().first else {
            Issue.record("no start is told")
            return
        }
        #expect((before...Monotonic.now()).contains(painted))
        for picture in 1..<10 {
            player.settle(picture)
            paint(at: start + Nanoseconds(picture) * .second / 10)
            #expect(shows(picture))
        }
        #expect(show.drain().isEmpty)
        paint(at: start + .second - 1)
        #expect(shows(9) && show.isShowing)
        paint(at: start + .second)
        #expect(canvas.contents == untouched && !show.isShowing)
        #expect(show.drain() == [.finished(id: 5)])
        #expect(show.count == 0 && show.drain().isEmpty)
    }

    @Test("tells start and end in this order when they are heard together")
    func together() {
        show.add(id: 1, player: player(), z: 0)
        paint(at: 0)
        paint(at: 3 * .second)
        let events = show.drain()
        guard events.count == 2, case .started(1, 0, _) = events[0], events[1] == .finished(id: 1) else {
            Issue.record("\(events)")
            return
        }
    }

    @Test("does not start a gift that is not ready")
    func notReady() {
        let player = player(isLoaded: false)
        show.add(id: 1, player: player, z: 0)
        paint(at: 0)
        #expect(canvas.contents == untouched && show.drain().isEmpty)
        #expect(player.load() == .ready)
        paint(at: 9 * .second)
        #expect(shows(0))
        guard case .started(1, 9_000_000_000, _)? = show.drain().first else {
            Issue.record("no start is told")
            return
        }
    }

    @Test("takes a gift off before the next frame and tells nothing more of it")
    func remove() {
        show.add(id: 1, player: player(), z: 0)
        show.add(id: 2, player: player(x: 32), z: 0)
        paint(at: 0)
        _ = show.drain()
        show.remove(id: 1)
        show.remove(id: 99)
        paint(at: .second / 10)
        #expect(canvas.rgb(8, 8).red == canvas.rgb(30, 30).red, "nothing of the first is left")
        #expect(shows(1, x: 32) && show.isShowing && show.count == 1)
        show.remove(id: 2)
        #expect(!show.isShowing)
        paint(at: .second)
        #expect(canvas.contents == untouched && show.drain().isEmpty)
    }

    @Test("replaces a gift of the same id")
    func sameID() {
        show.add(id: 1, player: player(), z: 0)
        show.add(id: 1, player: player(x: 32), z: 0)
        paint(at: 0)
        #expect(show.count == 1 && shows(0, x: 32))
        show.remove(id: 1)
        #expect(!show.isShowing)
    }

    @Test("paints by z, and by arrival where z is the same")
    func order() {
        // Each begins at another picture's time, so that greys tell them apart.
        let players = (0..<3).map { _ in player() }
        show.add(id: 0, player: players[0], z: 5)
        paint(at: 0)
        show.add(id: 1, player: players[1], z: 5)
        paint(at: .second / 10)
        #expect(shows(0), "the later one lies above: it is at its first picture")
        show.add(id: 2, player: players[2], z: 1)
        players[1].settle(1)
        paint(at: 2 * .second / 10)
        #expect(shows(1), "a lower z lies below, however late it comes")
        show.remove(id: 1)
        players[0].settle(3)
        paint(at: 3 * .second / 10)
        #expect(shows(3))
    }

    @Test("tells failure for a gift that was damaged, at its end")
    func failure() throws {
        let player = player()
        _ = player.state.guarded.change { $0.fail(AnimationError(.mediaCorrupt, "picture 3")) }
        show.add(id: 4, player: player, z: 0)
        paint(at: 0)
        paint(at: .second)
        #expect(show.drain().last == .failed(id: 4, AnimationError(.mediaCorrupt, "picture 3")))
    }

    @Test("frees players on the control plane, never on the streaming thread")
    func frees() {
        weak var gone: Player?
        do {
            let player = player()
            gone = player
            show.add(id: 1, player: player, z: 0)
            paint(at: 0)
        }
        #expect(gone != nil)
        let (frame, freed) = (canvas.frame, allocations_freed())
        show.paint(on: frame, at: .second)
        if freed >= 0 { #expect(allocations_freed() == freed) }
        #expect(gone != nil, "still there: only its end is noted")
        _ = show.drain()
        #expect(gone == nil)
    }

    @Test("neither allocates nor frees while it paints, gifts that start and end included")
    func allocations() throws {
        // What the runtime makes once for each type is not of interest.
        show.add(id: 0, player: player(), z: 0)
        paint(at: 0)
        paint(at: .second)
        _ = show.drain()
        let players = [player(), player(x: 32)]
        show.add(id: 1, player: players[0], z: 0)
        show.add(id: 2, player: players[1], z: 1)
        let frame = canvas.frame
        for step in 0..<40 {
            for player in players { player.settle(min(step / 2, 9)) }
            let (taken, freed) = (allocations_taken(), allocations_freed())
            show.paint(on: frame, at: Nanoseconds(step) * .second / 20)
            #expect(allocations_taken() == taken && allocations_freed() == freed, "frame \(step)")
        }
        #expect(!show.isShowing)
    }

    @Test(
        "counts what the test counts with",
        .enabled(if: allocations_taken() >= 0, "a sanitizer has its own heap"))
    func counting() {
        let (taken, freed) = (allocations_taken(), allocations_freed())
        free(malloc(100))
        #expect(allocations_taken() > taken && allocations_freed() > freed)
    }

    @Test("stays whole while one thread paints and another adds and removes")
    func threads() {
        let isOver = Locked(false)
        let painter = Worker(name: "paints")
        painter.run { [show] in
            let canvas = Canvas(64, 32, (0, 0, 0))
            var time: Nanoseconds = 0
            while !isOver.withLock({ $0 }) {
                if show.isShowing { show.paint(on: canvas.frame, at: time) }
                time += .second / 10
            }
        }
        var ids: [UInt64: Int] = [:]
        for id in UInt64(0)..<60 {
            show.add(id: id, player: player(), z: Int(id % 3))
            if id % 2 == 0 { show.remove(id: id) }
            for case .finished(let id) in show.drain() { ids[id, default: 0] += 1 }
        }
        let deadline = Monotonic.now() + 10 * .second
        while ids.count < 30, Monotonic.now() < deadline {
            for case .finished(let id) in show.drain() { ids[id, default: 0] += 1 }
            usleep(500)
        }
        isOver.withLock { $0 = true }
        painter.stop()
        #expect(ids.count == 30 && ids.values.allSatisfy { $0 == 1 }, "each ends exactly once")
        #expect(show.count == 0 && !show.isShowing)
    }

    @Test("calls its listener on the control plane")
    func listens() async {
        // A process of its own, for there is one main loop.
        await #expect(processExitsWith: .success) {
            try #require(MainLoop.acquire())
            let tests = try ShowTests()
            let show = tests.show
            let heard = Locked<[Show.Event]>([])
            let source = ControlPlane.assumeIsolated {
                show.listen { event in
                    heard.withLock { $0.append(event) }
                    if event == .finished(id: 8) { MainLoop.quit() }
                }
            }
            show.add(id: 8, player: tests.player(), z: 0)
            tests.paint(at: 0)
            tests.paint(at: .second)
            MainLoop.run()
            #expect(heard.withLock { $0.count } == 2)
            withExtendedLifetime(source) {}
        }
    }
}
