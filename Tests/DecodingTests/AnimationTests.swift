import Basics
import Foundation
import Pictures
import Testing
import VAP

@testable import Decoding

@Suite("Animation", .enabled(if: FFmpeg.isInstalled, "ffmpeg makes the files"), .timeLimit(.minutes(1)))
struct AnimationTests {
    private let directory: PackDirectory

    init() throws { directory = try PackDirectory() }

    @Test("tells what the file holds")
    func tells() throws {
        let path = try PatchGift.make(in: directory)
        let animation = try Animation.open(path: path)
        #expect(animation.layout == PatchGift.layout)
        #expect(animation.profile == "High" && animation.sampleEntry == "avc1")
        #expect(animation.codec == .h264 && animation.codedFrameCount == 10)
        #expect(
            animation.format.name == "yuv420p" && animation.format.colour == ColourSpace(.bt601, .limited))
        #expect(!animation.hasSound && animation.origin == .box && animation.warnings.isEmpty)
        #expect(animation.byteCount == Int64(try Data(contentsOf: URL(fileURLWithPath: path)).count))
    }

    @Test("obeys the colour tags of the track")
    func tags() throws {
        let bsf = [
            "-c:v", "libx264", "-bsf:v", "h264_metadata=matrix_coefficients=1:video_full_range_flag=1",
        ]
        let animation = try Animation.open(path: try PatchGift.make(in: directory, bsf))
        #expect(animation.format.colour == ColourSpace(.bt709, .full))
    }

    @Test(
        "takes 8 and 10 bits, 4:2:0, 4:2:2 and 4:4:4, H.264 and HEVC",
        arguments: [
            ("libx264", "yuv422p", 8, 1, 0), ("libx264", "yuv444p", 8, 0, 0),
            ("libx264", "yuv420p10le", 10, 1, 1),
            ("libx264", "yuv444p10le", 10, 0, 0), ("libx265", "yuv420p", 8, 1, 1),
            ("libx265", "yuv422p10le", 10, 1, 0),
        ])
    func formats(encoder: String, name: String, depth: Int, shiftX: Int, shiftY: Int) throws {
        let quiet = encoder == "libx265" ? ["-x265-params", "log-level=none"] : []
        let path = try PatchGift.make(in: directory, ["-c:v", encoder, "-pix_fmt", name] + quiet)
        let format = try Animation.open(path: path).format
        #expect(format.name == name && format.bitDepth == depth)
        #expect(format.chromaShiftX == shiftX && format.chromaShiftY == shiftY)
    }

    @Test(
        "refuses other codecs and formats by name",
        arguments: [
            (["-c:v", "mpeg4"], AnimationError.Kind.codecUnsupported, "mpeg4"),
            (["-c:v", "libx264rgb"], .pixelFormatUnsupported, "gbrp"),
        ])
    func codecs(encoding: [String], kind: AnimationError.Kind, word: String) throws {
        let path = try PatchGift.make(in: directory, encoding)
        let error = refusal { () throws(AnimationError) in try Animation.open(path: path) }
        #expect(error?.kind == kind)
        #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
    }

    @Test(
        "refuses tracks whose sample entry is of another kind, what they hold notwithstanding",
        arguments: [("avc1", "encv"), ("avc1", "zzzz"), ("hvc1", "dvh1")])
    func entries(old: String, new: String) throws {
        let encoder =
            old == "avc1" ? ["libx264"] : ["libx265", "-tag:v", "hvc1", "-x265-params", "log-level=none"]
        let path = try PatchGift.make(in: directory, ["-c:v"] + encoder)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(bytes.range(of: Data(old.utf8), in: 64..<bytes.count))
        bytes.replaceSubrange(place, with: Data(new.utf8))
        try bytes.write(to: URL(fileURLWithPath: path))
        let error = refusal { () throws(AnimationError) in try Animation.open(path: path) }
        #expect(error?.kind == .codecUnsupported && error?.message.contains("'\(new)'") == true)
    }

    @Test("refuses a track of another size than the layout's")
    func size() throws {
        let path = try PatchGift.make(in: directory, filter: ["-vf", "scale=96:48"])
        let error = refusal { () throws(AnimationError) in try Animation.open(path: path) }
        #expect(error?.kind == .trackMismatch)
        #expect(error?.message.contains("96x48") == true && error?.message.contains("80x32") == true)
    }

    @Test(
        "warns where track and layout count differently",
        arguments: [(8, 10, "is held"), (10, 8, "not shown")])
    func counts(frames: Int, f: Int, words: String) throws {
        let animation = try Animation.open(path: try PatchGift.make(in: directory, frames: frames, f: f))
        #expect(animation.codedFrameCount == frames && animation.layout.frameCount == f)
        #expect(animation.warnings.count == 1 && animation.warnings[0].contains(words))
    }

    @Test("notes sound and finds the pictures behind it")
    func sound() throws {
        let tone = ["-f", "lavfi", "-i", "sine=duration=1", "-map", "1:a", "-map", "0:v", "-c:v", "libx264"]
        let animation = try Animation.open(path: try PatchGift.make(in: directory, filter: tone))
        #expect(animation.codedFrameCount == 10)
        let track = try #require(animation.soundTrack)
        #expect(track.codec == "aac" && track.sampleRate == 44_100 && track.channels == 1)
        #expect(abs(track.seconds - 1) < 0.1)
    }

    @Test("takes a sidecar for the box, and halves where there is neither")
    func layouts() throws {
        let path = try PatchGift.make(in: directory)
        let sidecar = directory.file("gift.json")
        let text =
            #"{"info":{"v":2,"f":5,"w":16,"h":16,"videoW":80,"videoH":32,"fps":20,"#
            + #""rgbFrame":[0,0,16,16],"aFrame":[48,0,16,16]}}"#
        try Data(text.utf8).write(to: URL(fileURLWithPath: sidecar))
        let animation = try Animation.open(path: path, sidecar: sidecar)
        #expect(animation.origin == .sidecar && animation.layout.frameCount == 5)

        let bare = directory.file("bare.mp4")
        try FFmpeg.run("ffmpeg", ["-i", path, "-c", "copy", bare])
        #expect(
            refusal { () throws(AnimationError) in try Animation.open(path: bare) }?.kind == .layoutMissing)
        let halved = try Animation.open(path: bare, bare: BareLayout(.halves(.alphaRight)))
        #expect(halved.origin == .given && halved.layout.canvas == Size(40, 32))
        #expect(halved.layout.frameCount == 10 && halved.layout.framesPerSecond == 10)
    }

    @Test("takes the short form of a sidecar for a bare file, and shows what it cuts")
    func bareSidecar() throws {
        let bare = directory.file("bare.mp4")
        try FFmpeg.run("ffmpeg", ["-i", try PatchGift.make(in: directory), "-c", "copy", bare])
        let sidecar = directory.file("bare.json")
        let text = #"{"rgbFrame":[0,0,32,32],"aFrame":[48,0,32,32],"fps":20}"#
        try Data(text.utf8).write(to: URL(fileURLWithPath: sidecar))
        let animation = try Animation.open(path: bare, sidecar: sidecar)
        #expect(animation.origin == .sidecar && animation.layout.canvas == Size(32, 32))
        #expect(animation.layout.duration == 500_000_000 && animation.layout.alpha == PatchGift.layout.alpha)
        let player = Player(
            animation, place: PlacedRectangle(x: 0, y: 0, width: 32, height: 32),
            program: Canvas.program(32, 32),
            metrics: testMetrics())
        #expect(player.load() == .ready)
        let canvas = Canvas(32, 32, (0, 0, 0))
        player.paint(picture: 6, on: canvas)
        #expect(abs(canvas.rgb(8, 8).red - Double(PatchGift.grey(6))) < 6)
    }

    @Test("takes its blend from the sidecar, and refuses one that is none")
    func blend() throws {
        let path = try PatchGift.make(in: directory)
        let sidecar = directory.file("gift.json")
        try Data(#"{"blend": "ios"}"#.utf8).write(to: URL(fileURLWithPath: sidecar))
        let animation = try Animation.open(path: path, sidecar: sidecar)
        #expect(animation.blend == .ios && animation.origin == .box && animation.layout == PatchGift.layout)
        #expect(try Animation.open(path: path).blend == nil)
        try Data(#"{"blend": "screen"}"#.utf8).write(to: URL(fileURLWithPath: sidecar))
        let error = refusal { () throws(AnimationError) in try Animation.open(path: path, sidecar: sidecar) }
        #expect(error?.kind == .fieldValue && error?.message.contains("straight") == true)
    }

    @Test("surveys what shows only when everything is decoded")
    func survey() throws {
        let good = AnimationSurvey(try Animation.open(path: try PatchGift.make(in: directory)))
        #expect(good.decoded == 10 && good.damage == nil && good.warnings.isEmpty)

        // Grey lies over everything that is clear.
        let grey = ["-vf", "drawbox=x=16:y=16:w=16:h=16:color=gray:t=fill"]
        let stray = AnimationSurvey(try Animation.open(path: try PatchGift.make(in: directory, filter: grey)))
        #expect(stray.strayColour.share > 0.5 && stray.warnings.first?.contains("alpha is 0") == true)

        let path = try PatchGift.make(
            in: directory, ["-c:v", "libx264", "-bf", "0", "-movflags", "+faststart"])
        let broken = try Animation.open(path: path)
        let positions = try FFmpeg.run("ffprobe", ["-show_entries", "packet=pos", "-of", "csv=p=0", path])
        let numbers = String(decoding: positions, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
        try #require(truncate(path, numbers[6]) == 0)
        let cut = AnimationSurvey(broken)
        #expect(cut.decoded < 10 && cut.damage != nil && cut.warnings.count == 1)
    }

    @Test("plays on what was opened when another file takes the name")
    func replaced() throws {
        let path = try PatchGift.make(in: directory)
        let animation = try Animation.open(path: path)
        try FileManager.default.removeItem(atPath: path)
        try Data("gone".utf8).write(to: URL(fileURLWithPath: path))
        var decoder = try AnimationDecoder(animation)
        #expect(try decoder.next() == 0)
    }
}

@Suite("Files that are no gifts", .timeLimit(.minutes(1)))
struct RefusedFileTests {
    private let directory: PackDirectory

    init() throws { directory = try PackDirectory() }

    private func expect(
        _ kind: AnimationError.Kind, _ path: String, _ words: String = "",
        location: SourceLocation = #_sourceLocation
    ) {
        let start = Monotonic.threadTime()
        let error = refusal { () throws(AnimationError) in try Animation.open(path: path) }
        #expect(error?.kind == kind, sourceLocation: location)
        #expect(
            words.isEmpty || error?.message.contains(words) == true, "\(error?.message ?? "")",
            sourceLocation: location)
        #expect(Monotonic.threadTime() - start < .second, sourceLocation: location)
    }

    @Test("are told apart at once: absent, empty, text, directory, name with NUL")
    func plain() throws {
        expect(.notFound, directory.file("none.mp4"), "No such file")
        expect(.notFound, directory.file("a\0b.mp4"), "NUL")
        try Data().write(to: URL(fileURLWithPath: directory.file("empty.mp4")))
        expect(.emptyFile, directory.file("empty.mp4"))
        try Data("<html>404 not found</html>".utf8).write(
            to: URL(fileURLWithPath: directory.file("text.mp4")))
        expect(.notMP4, directory.file("text.mp4"))
        expect(.notMP4, directory.path, "a directory")
    }

    @Test("never block: a pipe without a writer, a pipe that never ends, a device")
    func endless() throws {
        let pipe = directory.file("pipe.mp4")
        try #require(mkfifo(pipe, 0o600) == 0)
        expect(.notMP4, pipe, "a pipe")
        let writer = open(pipe, O_RDWR | O_NONBLOCK)
        defer { close(writer) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        #expect(write(writer, &bytes, bytes.count) == bytes.count)
        expect(.notMP4, pipe, "a pipe")
        expect(.notMP4, "/dev/zero", "a device")
    }

    @Test("cost nothing when they claim to be huge")
    func huge() throws {
        let path = directory.file("huge.mp4")
        #expect(FileManager.default.createFile(atPath: path, contents: Data("ftyp".utf8)))
        try #require(truncate(path, 1 << 40) == 0)
        expect(.limitExceeded, path, "more than")
    }
}

@Suite("Gift file")
struct GiftFileTests {
    @Test("reads at any position and is short at the end alone")
    func reads() throws {
        let directory = try PackDirectory()
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        try Data(bytes).write(to: URL(fileURLWithPath: directory.file("f")))
        let file = try GiftFile.open(directory.file("f"))
        #expect(file.count == 10_000)
        #expect(try file.read(at: 0, count: 10_000) == bytes)
        #expect(try file.read(at: 9_990, count: 100) == Array(bytes[9_990...]))
        #expect(try file.read(at: 20_000, count: 4).isEmpty)
        #expect(try file.read(at: 5, count: 0).isEmpty)
        #expect(throws: (any Error).self) { try file.read(at: -1, count: 4) }
    }
}

@Suite("Movie check")
struct MovieCheckTests {
    private func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        packBigEndian(UInt32(8 + payload.count)) + Array(type.utf8) + payload
    }

    private func movie(samples: UInt32, in parents: [String] = ["trak", "mdia", "minf", "stbl"]) -> [UInt8] {
        let table = box("stsz", packBigEndian(0) + packBigEndian(1) + packBigEndian(samples))
        return box("moov", parents.reversed().reduce(table) { box($1, $0) })
    }

    private func check(_ bytes: [UInt8]) throws(AnimationError) {
        let file = MemorySource(box("ftyp", []) + bytes + box("vapc", Array(PatchGift.json(f: 10).utf8)))
        try MovieCheck.check(try VAPFile.read(file).boxes, in: file)
    }

    @Test("refuses a sample count that no gift has")
    func samples() throws {
        try check(movie(samples: UInt32(MovieCheck.samples)))
        #expect(
            refusal { () throws(AnimationError) in try check(movie(samples: 80_000_000)) }?.kind
                == .mediaInvalid)
        try check(movie(samples: 80_000_000, in: ["udta"]))
    }

    @Test("refuses fragments")
    func fragments() {
        let error = refusal { () throws(AnimationError) in try check(movie(samples: 1) + box("moof", [])) }
        #expect(error?.kind == .mediaInvalid)
    }

    @Test("ends on any bytes", arguments: 0..<200)
    func noise(seed: UInt64) throws {
        var random = SplitMix(seed)
        var bytes = movie(samples: 5)
        for _ in 0..<8 {
            // Behind the header of the movie itself, which the box walk reads.
            bytes[8 + Int(random.next() % UInt64(bytes.count - 8))] = UInt8(truncatingIfNeeded: random.next())
        }
        do {
            try check(bytes)
        } catch {
            #expect([.mediaInvalid, .limitExceeded].contains(error.kind))
        }
    }
}
