internal import Basics
internal import Decoding
internal import Glibc
internal import Pictures
internal import VAP

/// Plays gifts over a raw feed, one frame after the other without a clock, and says what that took: the work that
/// scripts/bench gives to ffmpeg and GStreamer too.
///
///     giftbench play FEED WxH FPS [--replay] GIFT...
///
/// FEED holds I420 frames. Every gift fills the height and is cut to the width. With `--replay` all gifts have been
/// played before, and their pictures are in the cache.
struct Play {
    private let program: ProgramFormat
    private let fps: Double
    private let feed: FileDescriptor
    /// What is played at once, and the different files among it.
    private let animations, files: [Animation]
    private let isReplay: Bool
    private let metrics = DecodingMetrics(MetricsRegistry())
    private let cache: ReelCache?

    init(_ words: [String]) throws {
        isReplay = words.contains("--replay")
        let words = words.filter { $0 != "--replay" }
        let sides = words.count > 3 ? words[1].split(separator: "x").compactMap { Int($0) } : []
        guard sides.count == 2, let fps = Double(words[2]) else {
            throw BenchError("giftbench play FEED WxH FPS [--replay] GIFT...")
        }
        program = ProgramFormat(width: sides[0], height: sides[1], colour: ColourSpace(.bt709, .limited))
        self.fps = fps
        feed = try FileDescriptor(words[0])
        // The same file several times is one animation, as in a room's catalogue.
        var opened: [String: Animation] = [:]
        for path in words.dropFirst(3) where opened[path] == nil {
            opened[path] = try Animation.open(path: path)
        }
        files = Array(opened.values)
        animations = words.dropFirst(3).compactMap { opened[$0] }
        cache = isReplay ? ReelCache(budget: 2 << 30, registry: MetricsRegistry()) : nil
    }

    func run() throws {
        let size = program.width * program.height
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: size * 3 / 2)
        defer { bytes.deallocate() }
        let frame = LiveFrame(
            luma: bytes, chromaU: bytes + size, chromaV: bytes + size * 5 / 4, lumaStride: program.width,
            chromaStride: program.width / 2, width: program.width, height: program.height)
        try fillCache(frame)
        let before = Processor.time()
        let frames = play(animations) { index in
            feed.read(bytes, size * 3 / 2, at: index * size * 3 / 2) ? frame : nil
        }
        print("\(frames) frames, \((Processor.time() - before).seconds) s of the processor")
    }

    /// For a replay: plays each file once. Its worker keeps the last picture a moment after it is shown.
    private func fillCache(_ frame: LiveFrame) throws {
        guard let cache else { return }
        for (index, animation) in files.enumerated() {
            play([animation]) { _ in frame }
            let deadline = Monotonic.now() + 10 * .second
            while cache.count <= index, Monotonic.now() < deadline { usleep(10_000) }
            guard cache.count > index else {
                throw BenchError("\(animation.path) does not fit into the cache")
            }
        }
    }

    /// Plays all from one moment on until the feed ends, or the gifts do; how many frames.
    @discardableResult
    private func play(_ animations: [Animation], feed: (Int) -> LiveFrame?) -> Int {
        let players = animations.map { animation in
            Player(
                animation,
                place: Placement(fit: .cover).rectangle(
                    canvas: animation.layout.canvas, program: Size(program.width, program.height)),
                program: program, metrics: metrics, cache: cache)
        }
        for player in players { player.start(onReady: {}, onFailed: { _ in }) }
        var index = 0
        while let frame = feed(index) {
            let time = Nanoseconds(seconds: Double(index) / fps)
            let playing = players.filter { time < $0.end }
            if playing.isEmpty { break }
            for player in playing {
                player.awaitPicture(at: time)
                player.paint(on: frame, mediaTime: time)
            }
            index += 1
        }
        return index
    }
}

/// Something that the measurement lacks. The sentence is complete.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// An open file.
final class FileDescriptor {
    private let raw: Int32

    init(_ path: String) throws {
        raw = open(path, O_RDONLY)
        guard raw >= 0 else { throw BenchError("\(path): \(String(cString: strerror(errno)))") }
    }

    deinit { close(raw) }

    /// False when the file does not hold that much.
    func read(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, at offset: Int) -> Bool {
        pread(raw, bytes, count, off_t(offset)) == count
    }
}

enum Processor {
    /// What all threads of the process have used, user and system.
    static func time() -> Nanoseconds {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Nanoseconds(time.tv_sec) * .second + Nanoseconds(time.tv_nsec)
    }
}
