import Basics
import Foundation
import Testing

@testable import giftctl

@Suite("giftctl as a program", .timeLimit(.minutes(1)))
struct ProgramTests {
    private struct Ended {
        let status: Int32
        let output, complaints: String
    }

    /// Runs the program that was built beside the tests.
    private func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Ended {
        let process = Process()
        let (output, complaints) = (Pipe(), Pipe())
        process.executableURL = try #require(Bundle.main.executableURL?.deletingLastPathComponent())
            .appending(path: "giftctl")
        process.arguments = arguments
        process.environment = environment
        process.standardOutput = output
        process.standardError = complaints
        try process.run()
        let texts = [output, complaints].map {
            String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        process.waitUntilExit()
        return Ended(status: process.terminationStatus, output: texts[0], complaints: texts[1])
    }

    @Test("ends with 0 when done, 1 when refused and 2 when it cannot be meant")
    func status() throws {
        let help = try run(["--help"])
        #expect(help.status == 0 && help.output.hasPrefix("Usage: giftctl") && help.complaints.isEmpty)
        let refused = try run(["status"], environment: ["GIFTD_SOCKET": "/tmp/no-giftd-here.sock"])
        #expect(refused.status == 1 && refused.output.isEmpty)
        #expect(refused.complaints.hasPrefix("giftctl: /tmp/no-giftd-here.sock: "))
        let wrong = try run(["send"])
        #expect(wrong.status == 2 && wrong.output.isEmpty && wrong.complaints.contains("GIFT is missing"))
    }

    @Test("shows no progress where there is no terminal")
    func progress() throws {
        try withDirectory { directory in
            let picture = try #require(PackCommandTests.picture)
            try picture.write(to: URL(fileURLWithPath: "\(directory)/0.png"))
            let ended = try run(["pack", directory, "-o", "\(directory)/gift.mp4"])
            #expect(
                ended.status == 0 && ended.complaints.isEmpty && ended.output.contains("1 frame at 25 fps"))
        }
    }

    @Test("understands every line that README shows")
    func readme() throws {
        let file = URL(fileURLWithPath: #filePath).appending(path: "../../../README.md").standardized
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .map { $0.prefix { $0 != "#" }.split(separator: " ").map(String.init) }
            .filter { $0.first == "giftctl" && $0.count > 1 }
        #expect(lines.count >= 5)
        for line in lines {
            let command = try #require(Giftctl.commands.first { $0.name == line[1] }, "\(line)")
            #expect(throws: Never.self, "\(line)") { try Arguments(Array(line.dropFirst(2)), command.syntax) }
        }
    }
}
