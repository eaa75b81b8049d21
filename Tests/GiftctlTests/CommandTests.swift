import Basics
import Foundation
import Testing

@testable import giftctl

/// What a command said, and how it ended.
struct Call {
    var status: Ending
    var output = ""
    var complaints = ""
    var progress: [String] = []

    /// Runs a line of giftctl in this process.
    init(_ line: [String]) {
        let said = Locked((output: "", complaints: "", progress: [String]()))
        let console = Console(
            output: { line in said.withLock { $0.output += "\(line)\n" } },
            complaint: { line in said.withLock { $0.complaints += "\(line)\n" } },
            progress: { line in said.withLock { $0.progress.append(line) } })
        status = Giftctl.run(line, console)
        (output, complaints, progress) = said.withLock { $0 }
    }

    init(_ line: String...) { self.init(line) }
}

@Suite("giftctl")
struct CommandTests {
    @Test("explains itself", arguments: [["--help"], ["-h"], ["help"], []])
    func help(line: [String]) {
        let call = Call(line)
        guard !line.isEmpty else {
            #expect(call.status == .wrongUsage)
            #expect(call.complaints == "giftctl: COMMAND is missing; see giftctl --help\n")
            return
        }
        #expect(call.status == .done && call.complaints.isEmpty)
        for command in Giftctl.commands { #expect(call.output.contains("  \(command.name) ")) }
    }

    @Test("explains every command with examples that can be meant")
    func commandHelp() throws {
        for command in Giftctl.commands {
            let call = Call(command.name, "--help")
            #expect(call.status == .done && call.output.hasPrefix("Usage: giftctl \(command.name)"))
            #expect(call.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
            #expect(!command.syntax.examples.isEmpty)
            for example in command.syntax.examples {
                let words = example.line.split(separator: " ").map(String.init)
                #expect(words.prefix(2) == ["giftctl", command.name])
                #expect(throws: Never.self) { try Arguments(Array(words.dropFirst(2)), command.syntax) }
            }
        }
    }

    @Test(
        "says what is wrong with a line, in one line, with status 2",
        arguments: [
            (["pakc"], "unknown command pakc, did you mean pack?"),
            (["frobnicate"], "unknown command frobnicate"),
            (["--sokket", "x"], "unknown option --sokket, did you mean --socket?"),
            (["pack", "x"], "--output is missing"),
            (["pack", "x", "-o", "y", "--fps", "0"], "--fps wants a whole number of 1 to 60"),
            (
                ["pack", "x", "-o", "y", "--codec", "h265"],
                "--codec wants one of h264 hevc, did you mean h264?"
            ),
            (
                ["pack", "x", "-o", "y", "--quality=1", "--bitrate=99999"],
                "--quality and --bitrate exclude each other"
            ),
        ])
    func usage(line: [String], complaint: String) {
        let call = Call(line)
        #expect(call.status == .wrongUsage && call.output.isEmpty)
        #expect(
            call.complaints.contains(complaint) && call.complaints.split(separator: "\n").count == 1)
        #expect(call.complaints.contains("--help"))
    }

    @Test("says its version")
    func version() {
        #expect(Call("--version").output == "giftctl \(Version.text)\n")
    }

    @Test("writes numbers for people")
    func numbers() {
        #expect(Text.number(2, digits: 2) == "2" && Text.number(29.97, digits: 2) == "29.97")
        #expect(Text.number(0.126, digits: 2) == "0.13" && Text.number(.infinity, digits: 1) == "inf")
        #expect(Text.bytes(0) == "0 B" && Text.bytes(999) == "999 B" && Text.bytes(1234) == "1.2 kB")
        #expect(Text.bytes(999_999) == "1 MB" && Text.bytes(.max) == "9223372 TB")
        #expect(Text.duration(0.25) == "0.3 s" && Text.duration(200) == "3 min 20 s")
        #expect(Text.duration(14_700) == "4 h 5 min" && Text.duration(183_600) == "2 d 3 h")
        #expect(Text.duration(-1) == "0 s" && Text.duration(1e300).hasSuffix("h"))
    }

    @Test("writes tables without spaces at the line ends")
    func tables() {
        #expect(
            Text.table([["a", "bb", "c"], ["aaa", "", "d"], ["x", "", ""]]) == "a    bb  c\naaa      d\nx")
        #expect(Text.table([]) == "")
    }
}
