import Basics
import Foundation
import Testing

@testable import Decoding
@testable import giftctl

/// Runs `body` with a new directory, which is removed afterwards.
func withDirectory<R>(_ body: (String) throws -> R) throws -> R {
    let path = NSTemporaryDirectory() + "giftctl-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}

@Suite("giftctl pack", .timeLimit(.minutes(1)))
struct PackCommandTests {
    /// A PNG of 64x64 pixels, half transparent.
    static var picture: Data? {
        Data(
            base64Encoded: """
                iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAYAAACqaXHeAAAAZUlEQVR42u3QQREAAAQAMHHEEUlzcjh7rMBiKvuzEC
                BAgAABAgQIECBAgAABAgQIECBAgAABAgQIECBAgAABAgQIECBAgAABAgQIECBAgAABAgQIECBAgAABAgQIECBAgAAB
                Au5bmWpx0q5PSX0AAAAASUVORK5CYII=
                """, options: .ignoreUnknownCharacters)
    }

    private func options(_ line: String...) throws -> PackOptions {
        try PackCommand.options(try Arguments(["in", "-o", "out"] + line, PackCommand.syntax))
    }

    @Test("hands every option on")
    func passesOptions() throws {
        #expect(try options() == PackOptions())
        let first = try options("--fps", "50", "--codec", "hevc", "--quality", "30", "--alpha-scale", "0.75")
        #expect(first.framesPerSecond == 50 && first.codec == .hevc && first.rate == .quality(30))
        #expect(first.alphaScale == 0.75 && first.colour == .straight && !first.isMuted)
        let second = try options("--bitrate", "2000000", "--premultiplied", "--mute")
        #expect(second.rate == .bitrate(2_000_000) && second.colour == .premultiplied && second.isMuted)
    }

    @Test("makes a gift file and says what it made")
    func packs() throws {
        let picture = try #require(Self.picture)
        try withDirectory { directory in
            for index in 0..<3 { try picture.write(to: URL(fileURLWithPath: "\(directory)/\(index).png")) }
            let call = Call("pack", directory, "-o", "\(directory)/gift.mp4", "--fps", "2")
            #expect(call.status == .done, "\(call.complaints)")
            #expect(call.output.contains("64x64, 3 frames at 2 fps, 1.5 s, "))
            #expect(call.progress.first == "1 of 3 frames, 33 %" && call.progress.last == "")
            #expect(FileManager.default.fileExists(atPath: "\(directory)/gift.mp4"))
        }
    }

    @Test("says why it made none")
    func fails() throws {
        try withDirectory { directory in
            for input in ["\(directory)/none", directory] {
                let call = Call("pack", input, "-o", "\(directory)/gift.mp4")
                #expect(call.status == .refused && call.output.isEmpty)
                #expect(
                    call.complaints.hasPrefix("giftctl: inputMissing: ")
                        && call.complaints.contains(input))
            }
        }
    }

    @Test("shows progress without knowing the end")
    func progress() {
        #expect(PackCommand.line(PackProgress(frames: 7, expected: nil)) == "7 frames")
        #expect(PackCommand.line(PackProgress(frames: 7, expected: 0)) == "7 frames")
        #expect(PackCommand.line(PackProgress(frames: 9, expected: 7)) == "9 of 7 frames, 100 %")
    }
}
