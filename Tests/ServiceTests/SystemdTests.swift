import Foundation
import Testing

private enum Analyzer {
    static let program = "/usr/bin/systemd-analyze"
    static let isThere = FileManager.default.isExecutableFile(atPath: program)
}

@Suite(
    "systemd unit", .enabled(if: Analyzer.isThere, "systemd-analyze is not installed"),
    .timeLimit(.minutes(1)))
struct SystemdTests {
    private static let unit = URL(fileURLWithPath: #filePath)
        .appending(path: "../../../systemd/giftd@.service").standardized.path

    private func analyze(_ arguments: String...) throws -> (status: Int32, output: String) {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: Analyzer.program)
        process.arguments = arguments + [Self.unit]
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test("is accepted without a word")
    func verify() throws {
        let (status, output) = try analyze("verify")
        #expect(status == 0 && output.isEmpty, "\(output)")
    }

    @Test("is exposed by no more than 2.5")
    func security() throws {
        let (_, output) = try analyze("security", "--offline=true", "--no-pager")
        let level = try #require(output.firstMatch(of: /exposure level for .*: ([0-9.]+)/)?.1, "\(output)")
        #expect(try #require(Double(level)) <= 2.5)
    }

    @Test("passes the credential that the configuration manual names, and starts the notifying daemon")
    func content() throws {
        let text = try String(contentsOfFile: Self.unit, encoding: .utf8)
        for line in [
            "Type=notify", "LoadCredential=stream_key:giftd.%i.stream_key", "RuntimeDirectory=giftd/%i",
            "ExecStart=/usr/bin/env giftd --config /etc/giftd/%i.json5", "Restart=always",
        ] {
            #expect(text.split(separator: "\n").contains(Substring(line)), "\(line)")
        }
    }
}
