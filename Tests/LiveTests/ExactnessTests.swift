import Basics
import Foundation
import Pictures
import Testing

@testable import Live

/// Draws nothing and keeps what it is lent.
private final class Witness: Painter {
    private struct Seen { var frames: Set<[UInt8]> = [] }
    private let seen = Locked(Seen())

    var isShowing: Bool { true }

    func paint(on frame: LiveFrame, at time: Nanoseconds) {
        var bytes: [UInt8] = []
        for row in 0..<frame.height {
            bytes += UnsafeBufferPointer(start: frame.luma + row * frame.lumaStride, count: frame.width)
        }
        for plane in [frame.chromaU, frame.chromaV] {
            for row in 0..<frame.height / 2 {
                bytes += UnsafeBufferPointer(start: plane + row * frame.chromaStride, count: frame.width / 2)
            }
        }
        seen.withLock { _ = $0.frames.insert(bytes) }
    }

    var frames: Set<[UInt8]> { seen.withLock { $0.frames } }
}

private let ffmpeg: String? = (["/usr/bin/ffmpeg", "/usr/local/bin/ffmpeg"] as [String]).first {
    FileManager.default.isExecutableFile(atPath: $0)
}

/// What a viewer sees outside a gift is what the publisher sent: nothing between decoder and encoder touches a sample.
@Suite("Frames of the feed in the program", .serialized, .timeLimit(.minutes(1)), .enabled(if: ffmpeg != nil))
struct ExactnessTests {
    private func run(_ arguments: [String], output: Pipe = Pipe()) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: ffmpeg ?? "")
        process.arguments = ["-v", "error", "-nostdin", "-y"] + arguments
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return data
    }

    // Below and above the height from which GStreamer takes untagged video for BT.709.
    @Test("arrive before the encoder bit for bit", arguments: [(160, 120), (96, 640)])
    func exact(width: Int, height: Int) throws {
        try GStreamer.start()
        let path = NSTemporaryDirectory() + "giftd-exact-\(UUID().uuidString).flv"
        defer { try? FileManager.default.removeItem(atPath: path) }
        _ = try run([
            "-f", "lavfi", "-i", "testsrc2=size=\(width)x\(height):rate=25", "-t", "2", "-c:v", "libx264",
            "-bf", "0",
            "-pix_fmt", "yuv420p", path,
        ])
        let raw = try run(["-i", path, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"])
        let size = width * height * 3 / 2
        let sent = Set(stride(from: 0, to: raw.count, by: size).map { [UInt8](raw[$0..<$0 + size]) })
        #expect(sent.count > 40)

        let settings = ProgramSettings(
            width: width, height: height, frameRate: FrameRate(25), videoBitrate: 300_000,
            audioBitrate: 64_000)
        let (clock, metrics, witness) = (LiveClock(), LiveMetrics(MetricsRegistry()), Witness())
        let program = try Program(
            settings: settings, latency: 200 * .millisecond, painter: witness, mixer: NoMixer(), clock: clock,
            metrics: metrics
        ) { error in Issue.record("the program ended: \(error)") }
        try program.start()
        let feed = try FeedPipeline(
            settings: FeedSettings(uri: "file:\(path)"), format: settings.format,
            frameRate: settings.frameRate,
            clock: clock, outlet: program, metrics: metrics, onEvent: { _ in })
        try feed.play()
        let deadline = Monotonic.now() + 20 * .second
        while metrics.framesFromFeed.value < sent.count, Monotonic.now() < deadline { usleep(50_000) }
        usleep(300_000)
        feed.stop()
        program.stop()
        // All frames of the feed but perhaps the last, and nothing else but the standby picture.
        #expect(witness.frames.intersection(sent).count >= sent.count - 1)
        #expect(witness.frames.subtracting(sent).count <= 1)
    }
}
