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
        let codec, pixels, matrix, range: String
        let size: Size
        let pictures: Int
    }

    let file, layout: String
    let boxes: [Box]
    let size: Size
    let coded: Coded
    let frames, bytes: Int
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
                "boxes   ftyp", "vapc", "layout  in the file", "coded   h264, 3 pictures of ",
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
