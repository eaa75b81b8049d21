import Basics
import CGStreamer
import Pictures
import Testing

@testable import Live

private struct NoPainter: Painter {
    var isShowing: Bool { false }
    func paint(on frame: LiveFrame, at time: Nanoseconds) {}
}

struct NoMixer: Mixer {
    var isSounding: Bool { false }
    func mix(into sound: LiveSound, at time: Nanoseconds) {}
}

/// Notes what the program gives out.
private final class Recorder: ProgramOutlet {
    struct Unit { let track: Track, dts: Nanoseconds, isKey: Bool }
    let units = Locked<[Unit]>([])

    func offer(_ unit: CodedUnit) {
        units.change { $0.append(Unit(track: unit.track, dts: unit.dts, isKey: unit.isKey)) }
    }

    func waitForPictures(_ count: Int) -> [Unit] {
        units.wait(deadline: Monotonic.now() + 20 * .second) { units in
            units.count { $0.track == .video } >= count ? units : nil
        } ?? []
    }
}

@Suite("Program", .serialized, .timeLimit(.minutes(1)))
struct ProgramTests {
    private let clock = LiveClock()
    private let metrics = LiveMetrics(MetricsRegistry())
    private let settings = ProgramSettings(
        width: 128, height: 96, frameRate: FrameRate(25), videoBitrate: 300_000, audioBitrate: 64_000)

    init() throws { try GStreamer.start() }

    private func makeProgram() throws -> Program {
        try Program(
            settings: settings, latency: 200 * .millisecond, painter: NoPainter(), mixer: NoMixer(),
            clock: clock, metrics: metrics
        ) { error in Issue.record("the program ended: \(error)") }
    }

    @Test("runs without any feed: repeats and silence, strictly rising, no hole")
    func alone() throws {
        let program = try makeProgram()
        let recorder = Recorder()
        program.add(recorder)
        try program.start()
        let units = recorder.waitForPictures(50)
        program.stop()
        check(units)
        #expect(units.first { $0.track == .video }?.isKey == true)
        #expect(metrics.silentSamples.value > 48_000)
        #expect(program.caps?.video.contains("codec_data") == true)
    }

    @Test("takes over the test feed with its own frames, and runs on when it ends")
    func feed() throws {
        let program = try makeProgram()
        let recorder = Recorder()
        program.add(recorder)
        try program.start()
        let feed = try FeedPipeline(
            settings: FeedSettings(uri: "test:"), format: settings.format, frameRate: settings.frameRate,
            clock: clock, outlet: program, metrics: metrics, onEvent: { _ in })
        try feed.play()
        _ = recorder.waitForPictures(60)
        feed.stop()
        let units = recorder.waitForPictures(100)
        program.stop()
        check(units)
        #expect(metrics.framesFromFeed.value > 30)
        #expect(metrics.lateFrames.value < 5)
        #expect(abs(metrics.avOffset.value) < 0.021)
    }

    @Test("gives a key frame when it is asked, once for several that ask at once")
    func keyFrame() throws {
        let program = try makeProgram()
        let recorder = Recorder()
        program.add(recorder)
        try program.start()
        _ = recorder.waitForPictures(5)
        for _ in 0..<3 { program.requestKeyFrame() }
        let units = recorder.waitForPictures(25)
        program.stop()
        #expect(units.filter { $0.track == .video && $0.isKey }.count == 2)
    }

    private func check(_ units: [Recorder.Unit]) {
        for track in Track.allCases {
            let stamps = units.filter { $0.track == track }.map(\.dts)
            let steps = zip(stamps.dropFirst(), stamps).map { $0 - $1 }
            #expect(steps.allSatisfy { $0 > 0 })
            let widest = track == .video ? 61 * Nanoseconds.millisecond : 22 * .millisecond
            #expect(steps.allSatisfy { $0 <= widest }, "widest step \((steps.max() ?? 0) / .millisecond) ms")
        }
    }
}
