import Foundation
import Testing

@testable import giftctl

/// What the tests read of a report.
private struct Report: Decodable {
    struct Box: Decodable {
        let type: String
        let offset, size: Int
    }

    struct Size: Decodable, Equatable { let width, height: Int }

    struct Coded: Decodable {
        let codec, profile, entry, pixels, matrix, range: String
        let size: Size
        let pictures, decoded, bitDepth: Int
    }

    let file, layout: String
    let boxes: [Box]
    let size: Size
    let coded: Coded
    let frames, bytes, trailingBytes: Int
    let fps, duration: Double
    let hasSound: Bool
    let warnings: [String]
}

@Suite("giftctl inspect", .timeLimit(.minutes(1)))
struct InspectCommandTests {
    /// Runs `body` with a gift file of three pictures.
    private func withGift(_ body: (String) throws -> Void) throws {
        try withDirectory { directory in
            let picture = try #require(PackCommandTests.picture)
            let frames = "\(directory)/frames"
            try FileManager.default.createDirectory(atPath: frames, withIntermediateDirectories: true)
            for index in 0..<3 { try picture.write(to: URL(fileURLWithPath: "\(frames)/\(index).png")) }
            try #require(Call("pack", frames, "-o", "\(directory)/gift.mp4", "--fps", "2").status == .done)
            try body("\(directory)/gift.mp4")
        }
    }

    @Test("shows people what is in a file")
    func words() throws {
        try withGift { path in
            let call = Call("inspect", path)
            #expect(call.status == .done && call.complaints.isEmpty)
            let lines = call.output.split(separator: "\n")
            #expect(lines.first?.hasPrefix("\(path): 64x64, 3 frames at 2 fps, 1.5 s, no sound, ") == true)
            for word in [
                "boxes   ftyp", "vapc", "layout  in the file", "coded   h264 Main (avc1), 3 pictures of ",
                "colour  64x64 at",
            ] {
                #expect(call.output.contains(word), "\(word)")
            }
        }
    }

    @Test("tells programs the same")
    func json() throws {
        try withGift { path in
            let call = Call("inspect", path, "--json")
            let report = try JSONDecoder().decode(Report.self, from: Data(call.output.utf8))
            #expect(report.file == path && report.layout == "box" && report.frames == 3 && report.fps == 2)
            #expect(
                report.size == Report.Size(width: 64, height: 64) && report.duration == 1.5
                    && !report.hasSound)
            #expect(
                report.coded.codec == "h264" && report.coded.pictures == 3 && report.coded.pixels == "yuv420p"
            )
            #expect(report.coded.profile == "Main" && report.coded.entry == "avc1")
            #expect(report.coded.decoded == 3 && report.coded.bitDepth == 8 && report.trailingBytes == 0)
            #expect(report.coded.matrix == "bt601" && report.coded.range == "limited")
            #expect(report.boxes.map(\.size).reduce(0, +) == report.bytes)
            #expect(report.boxes.contains { $0.type == "vapc" } && report.warnings.isEmpty)
        }
    }

    @Test("takes the sidecar that giftd would take, or another one")
    func sidecar() throws {
        try withGift { path in
            let sidecar = path.replacing(".mp4", with: ".json")
            try Data("{}".utf8).write(to: URL(fileURLWithPath: sidecar))
            let call = Call("inspect", path)
            #expect(call.status == .refused && call.complaints.contains("fieldMissing"))
            let other = "\(path).layout"
            try FileManager.default.moveItem(atPath: sidecar, toPath: other)
            #expect(Call("inspect", path).status == .done)
            #expect(Call("inspect", path, "--sidecar", other).complaints.contains("fieldMissing"))
            #expect(InspectCommand.sidecar(beside: "/tmp/gift.mov") == nil)
        }
    }

    @Test("reports sound, trailing bytes and damage")
    func more() throws {
        try withGift { path in
            let handle = try #require(FileHandle(forWritingAtPath: path))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data([0, 0, 0]))
            try handle.close()
            let call = Call("inspect", path, "--json")
            #expect(call.output.contains(#""trailingBytes":3"#) && !call.output.contains(#""sound":"#))
            #expect(
                call.output.contains("3 bytes behind the last box") && !call.output.contains(#""damage""#))
            let frames = path.replacing("gift.mp4", with: "frames")
            try tone.write(to: URL(fileURLWithPath: "\(path).wav"))
            try #require(
                Call("pack", frames, "--sound", "\(path).wav", "-o", path, "--fps", "2").status == .done)
            let sound = #""sound":{"channels":2,"codec":"aac","sampleRate":48000,"seconds":1.5"#
            #expect(Call("inspect", path, "--json").output.contains(sound))
            #expect(Call("inspect", path).output.contains("sound   aac, 48000 Hz, 2 channels, 1.5"))
        }
    }

    /// Two seconds of silence as a WAV file: mono, 8 kHz, 16 bits.
    private var tone: Data {
        func number(_ value: UInt32, _ bytes: Int) -> [UInt8] {
            (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let format = number(16, 4) + number(1, 2) + number(1, 2) + number(8000, 4) + number(16_000, 4)
        let samples = [UInt8](repeating: 0, count: 32_000)
        let head = Array("RIFF".utf8) + number(32_036, 4) + Array("WAVEfmt ".utf8) + format + number(2, 2)
        return Data(head + number(16, 2) + Array("data".utf8) + number(32_000, 4) + samples)
    }

    @Test("takes the cut of a bare file from the line, or from the short form of a sidecar")
    func bare() throws {
        try withGift { path in
            let sidecar = path.replacing(".mp4", with: ".json")
            try Data(#"{"halves": "alphaRight", "fps": 4}"#.utf8).write(to: URL(fileURLWithPath: sidecar))
            let call = Call("inspect", path)
            #expect(call.status == .done && call.output.contains("3 frames at 4 fps"), "\(call.complaints)")
            try Data(#"{"blend": "ios"}"#.utf8).write(to: URL(fileURLWithPath: sidecar))
            let blend = Call("inspect", path)
            #expect(blend.output.contains("blend   ios") && blend.output.contains("layout  in the file"))
            #expect(Call("inspect", path, "--layout", "left").complaints.contains("alphaLeft alphaRight"))
            #expect(Call("inspect", path, "--layout", "{}").status == .wrongUsage)
            #expect(Call("inspect", path, "--layout", #"{"halves":1}"#).complaints.contains("halves is 1"))
        }
    }

    @Test(
        "says why a file cannot be played, with status 1",
        arguments: [
            ("", "emptyFile"), ("<html>not found</html>", "notMP4"), ("\0\0\0\u{8}free", "movieMissing"),
        ])
    func faults(content: String, kind: String) throws {
        try withDirectory { directory in
            let path = "\(directory)/gift.mp4"
            try Data(content.utf8).write(to: URL(fileURLWithPath: path))
            let call = Call("inspect", path, "--json")
            #expect(call.status == .refused && call.output.contains(#""kind":"\#(kind)""#))
            #expect(call.complaints.hasPrefix("giftctl: \(path): \(kind): "))
            #expect(call.complaints.split(separator: "\n").count == 1)
        }
    }

    @Test("says that a file is not there")
    func missing() {
        let call = Call("inspect", "/tmp/no-such-gift.mp4")
        #expect(call.status == .refused && call.complaints.contains("notFound"))
    }
}
