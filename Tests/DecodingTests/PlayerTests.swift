import Basics
import Foundation
import Pictures
import Testing
import VAP

@testable import Decoding

@Suite("Player", .enabled(if: FFmpeg.isInstalled, "ffmpeg makes the gifts"), .timeLimit(.minutes(1)))
struct PlayerTests {
    private let directory: PackDirectory
    private let canvas = Canvas(32, 32, (0, 0, 0))

    init() throws { directory = try PackDirectory() }

    private func player(_ path: String, metrics: DecodingMetrics = testMetrics()) throws -> Player {
        Player(
            try Animation.open(path: path), place: PlacedRectangle(x: 0, y: 0, width: 32, height: 32),
            program: Canvas.program(32, 32), metrics: metrics)
    }

    /// Whether the picture with this index is on the canvas, by its grey.
    private func shows(_ index: Int) -> Bool { abs(canvas.rgb(8, 8).red - Double(PatchGift.grey(index))) < 6 }

    @Test(
        "shows every picture in display order",
        arguments: [
            ["-c:v", "libx264", "-bf", "0"],
            ["-c:v", "libx264", "-bf", "3", "-b_strategy", "0", "-x264-params", "b-pyramid=normal"],
            ["-c:v", "libx265", "-tag:v", "hvc1", "-x265-params", "log-level=none:bframes=4:b-adapt=0"],
            ["-c:v", "libx264", "-bf", "2", "-movflags", "+negative_cts_offsets"],
            ["-c:v", "libx264", "-output_ts_offset", "3.7"],
            ["-c:v", "libx264", "-pix_fmt", "yuv420p10le"],
            ["-c:v", "libx264", "-pix_fmt", "yuv444p"],
            ["-c:v", "libx264", "-x264-params", "intra-refresh=1"],
            ["-c:v", "libx264", "-g", "4", "-bf", "2", "-x264-params", "open-gop=1:b-adapt=0"],
            ["-c:v", "libx264", "-flags", "+ildct+ilme", "-x264-params", "tff=1"],
            ["-c:v", "libx264", "-tag:v", "avc3", "-bsf:v", "dump_extra=freq=keyframe"],
            [
                "-c:v", "libx265", "-tag:v", "hev1", "-x265-params",
                "log-level=none:repeat-headers=1:keyint=4",
            ],
            [
                "-c:v", "libx265", "-tag:v", "hvc1", "-pix_fmt", "yuv422p10le", "-x265-params",
                "log-level=none",
            ],
        ])
    func order(encoding: [String]) throws {
        let player = try player(try PatchGift.make(in: directory, encoding))
        #expect(player.load() == .ready)
        for index in 0..<10 {
            player.paint(picture: index, on: canvas)
            #expect(shows(index), "picture \(index): \(canvas.rgb(8, 8))")
        }
        #expect(player.failure == nil && player.picturesLate == 0)
    }

    @Test("shows a file of any stamps at the layout's rate")
    func variableRate() throws {
        let path = try PatchGift.make(
            in: directory, filter: ["-vf", "setpts='N*N*37+N*3'", "-vsync", "passthrough"])
        let player = try player(path)
        #expect(player.load() == .ready)
        for index in 0..<10 {
            player.paint(picture: index, on: canvas)
            #expect(shows(index))
        }
    }

    @Test("shows a file whose pictures all have one stamp")
    func equalStamps() throws {
        let path = try PatchGift.make(in: directory)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let table = try #require(bytes.range(of: Data("stts".utf8))).upperBound
        let entries = bytes[table + 4..<table + 8].reduce(0) { $0 << 8 | Int($1) }
        for entry in 0..<entries {
            bytes.replaceSubrange(table + 12 + 8 * entry..<table + 16 + 8 * entry, with: Data(count: 4))
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        let player = try player(path)
        #expect(player.load() == .ready)
        for index in 0..<10 {
            player.paint(picture: index, on: canvas)
            #expect(shows(index))
        }
        #expect(player.failure == nil)
    }

    @Test(
        "cuts what the codec crops, at the left and top too",
        arguments: [
            [
                "-c:v", "libx264", "-bsf:v",
                "h264_metadata=crop_left=10:crop_top=6:crop_right=6:crop_bottom=10",
            ],
            [
                "-c:v", "libx265", "-tag:v", "hvc1", "-x265-params", "log-level=none", "-bsf:v",
                "hevc_metadata=crop_left=10:crop_top=6:crop_right=6:crop_bottom=2",
            ],
        ])
    func cropped(encoding: [String]) throws {
        let path = try PatchGift.make(in: directory, encoding, filter: ["-vf", "pad=90:38:10:6:red"])
        let player = try player(path)
        #expect(player.animation.format.size == Size(80, 32))
        #expect(player.load() == .ready)
        player.paint(picture: 4, on: canvas)
        #expect(shows(4))
        let corners = [canvas.rgb(0, 0), canvas.rgb(15, 15)]
        #expect(corners.allSatisfy { abs($0.red - Double(PatchGift.grey(4))) < 8 }, "\(corners)")
        #expect(canvas.rgb(24, 8).red > 230 && canvas.rgb(24, 24).red < 8)
    }

    @Test("skips to the picture that is due and holds the last one to the end")
    func skips() throws {
        let player = try player(try PatchGift.make(in: directory, f: 20))
        #expect(player.load() == .ready)
        player.settle(3)
        player.paint(on: canvas.frame, mediaTime: 0)
        canvas.clear()
        // A jump: what is prepared is shown now, and what is due as soon as it is there.
        player.paint(on: canvas.frame, mediaTime: 7 * .second / 10)
        #expect(shows(3))
        player.settle(7)
        player.paint(on: canvas.frame, mediaTime: 7 * .second / 10)
        #expect(shows(7))
        #expect(player.picturesLate == 1)
        player.paint(picture: 9, on: canvas)
        player.paint(picture: 19, on: canvas)
        #expect(shows(9))
        #expect(player.end == 2 * .second)
        #expect(player.picturesLate == 1)
    }

    @Test("holds at most four pictures, whatever the clock does")
    func window() throws {
        let player = try player(try PatchGift.make(in: directory))
        #expect(player.load() == .ready)
        for step in 0..<40 {
            player.settle(min(step / 4, 9))
            let (used, made) = player.state.guarded.withLock { guarded in
                (
                    (0..<4).count { guarded.window.slots[$0] != .free },
                    (0..<4).count { guarded.pictures[$0] != nil }
                )
            }
            #expect(used <= 4 && made <= 4)
            player.paint(on: canvas.frame, mediaTime: Nanoseconds(step) * .second / 40)
        }
    }

    @Test("waits with a full window while nothing is painted, and ends when it is stopped")
    func stalled() throws {
        let player = try player(try PatchGift.make(in: directory))
        #expect(player.load() == .ready)
        player.settle(3)
        #expect(player.state.guarded.withLock { $0.window.filled } == 3)
        let start = ContinuousClock.now
        player.stop()
        #expect(ContinuousClock.now - start < .seconds(2))
        // What was prepared can still be painted by a frame that is under way.
        player.paint(on: canvas.frame, mediaTime: 0)
        #expect(shows(0))
    }

    @Test("tells that it is ready or has failed, once, however often it is started")
    func once() throws {
        let calls = Locked(0)
        let player = try player(try PatchGift.make(in: directory))
        for _ in 0..<3 {
            player.start(onReady: { calls.change { $0 += 1 } }, onFailed: { _ in calls.change { $0 += 100 } })
        }
        player.settle(3)
        #expect(calls.wait(deadline: Monotonic.now() + 5 * .second) { $0 > 0 ? $0 : nil } == 1)
    }

    @Test("goes on over a damaged picture and says which it was")
    func damage() throws {
        let path = try PatchGift.make(in: directory, ["-c:v", "libx264", "-g", "5", "-bf", "0"])
        // Before it is opened, the file is whole; the damage comes when it is played.
        let metrics = testMetrics()
        let player = try player(path, metrics: metrics)
        try overwrite(path, picture: 3)
        #expect(player.load() == .ready)
        for index in 0..<10 {
            player.paint(picture: index, on: canvas)
            if index < 3 || index >= 5 { #expect(shows(index), "picture \(index)") }
        }
        #expect(player.failure?.kind == .mediaCorrupt)
        #expect(player.failure?.message.contains("3") == true, "\(player.failure?.message ?? "")")
        #expect(player.end == .second)
        #expect(metrics.decodeErrors.value == 1)
    }

    /// Puts noise into one coded picture, its length left alone.
    private func overwrite(_ path: String, picture: Int) throws {
        let places = try FFmpeg.run(
            "ffprobe", ["-show_entries", "packet=pos,size", "-of", "csv=p=0", path])
        let lines = String(decoding: places, as: UTF8.self).split(separator: "\n")
        let numbers = lines[picture].split(separator: ",").compactMap { UInt64($0) }
        let (size, position) = (numbers[0], numbers[1])
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seek(toOffset: position + 5)
        try handle.write(contentsOf: Data((0..<size - 5).map { UInt8(truncatingIfNeeded: $0 &* 151 | 0x81) }))
        try handle.close()
    }

    @Test("ends where a file that was cut while it played has no more pictures")
    func cut() throws {
        let path = try PatchGift.make(in: directory)
        let player = try player(path)
        let half = try FFmpeg.run("ffprobe", ["-show_entries", "packet=pos", "-of", "csv=p=0", path])
        let positions = String(decoding: half, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
        try #require(truncate(path, positions[5]) == 0)
        #expect(player.load() != nil)
        player.settle(9)
        #expect(player.failure?.kind == .mediaCorrupt || player.failure?.kind == .mediaInvalid)
    }

    @Test("counts what it prepares and how long that takes")
    func metrics() throws {
        let registry = MetricsRegistry()
        let player = try player(try PatchGift.make(in: directory), metrics: DecodingMetrics(registry))
        #expect(player.load() == .ready)
        for index in 0..<10 { player.paint(picture: index, on: canvas) }
        let text = registry.exposition()
        #expect(text.contains("giftd_pictures_prepared_total 10\n"))
        #expect(text.contains("giftd_picture_prepare_seconds_count 10\n"))
        #expect(text.contains("giftd_gift_load_seconds_count{source=\"file\"} 1\n"))
        #expect(text.contains("giftd_pictures_late_total 0\n"))
    }

    @Test("leaves no thread, no descriptor and no memory behind, a hundred times five at once")
    func leavesNothing() async {
        // A process of its own, where nobody else makes threads.
        await #expect(processExitsWith: .success) {
            let directory = try PackDirectory()
            let animation = try Animation.open(path: try PatchGift.make(in: directory))
            let before = (entries("/proc/self/task"), entries("/proc/self/fd"))
            for _ in 0..<100 { try playFive(animation) }
            let deadline = Monotonic.now() + 10 * .second
            while entries("/proc/self/task") > before.0, Monotonic.now() < deadline { usleep(2000) }
            #expect(entries("/proc/self/task") <= before.0)
            #expect(entries("/proc/self/fd") == before.1)
        }
    }
}

/// How many entries a directory has.
private func entries(_ path: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: path))?.count ?? -1
}

/// Some stop before they have begun, some while they fill or are full, some are just let go.
private func playFive(_ animation: Animation) throws {
    weak var last: PlayerState?
    do {
        let players = (0..<5).map { _ in
            Player(
                animation, place: PlacedRectangle(x: 0, y: 0, width: 32, height: 32),
                program: Canvas.program(32, 32), metrics: testMetrics())
        }
        for (index, player) in players.enumerated() {
            if index > 0 { player.start(onReady: {}, onFailed: { _ in }) }
            if index > 1 { player.settle(index - 1) }
            if index < 4 { player.stop() }
        }
        last = players[4].state
    }
    let deadline = Monotonic.now() + 5 * .second
    while last != nil, Monotonic.now() < deadline { usleep(200) }
    try #require(last == nil, "the last player's pictures are freed")
}
