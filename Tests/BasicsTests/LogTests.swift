import Foundation
import Testing

@testable import Basics

/// The level and the secrets are the process's, hence one after the other.
@Suite("Log", .serialized)
struct LogTests {
    private let time = timespec(tv_sec: 1_796_083_749, tv_nsec: 7_900_000)

    @Test("writes time and level for people")
    func person() {
        let line = Log.line(.warning, "feed is gone", journal: false, time: time)
        #expect(line == "2026-12-01T00:09:09.007Z warning: feed is gone\n")
    }

    @Test("writes the syslog number for the journal")
    func journal() {
        let lines = Log.Level.allCases.map { Log.line($0, "x", journal: true, time: time) }
        #expect(lines == ["<3>x\n", "<4>x\n", "<6>x\n", "<7>x\n"])
    }

    @Test("keeps a message on one line")
    func oneLine() {
        let line = Log.line(.error, "a\nb\r\u{1B}[31mc\0d", journal: true, time: time)
        #expect(line == "<3>a b  [31mc d\n")
    }

    @Test("blanks secrets, the longer first, also before combining characters")
    func secrets() {
        Log.redact("")
        Log.redact("stream-key-77")
        Log.redact("stream-key-77-long")
        Log.redact("stream-key-77")
        #expect(Log.redacted("rtmp://a/stream-key-77-long?x") == "rtmp://a/***?x")
        #expect(Log.redacted("stream-key-77stream-key-77\u{301}") == "******\u{301}")
        #expect(Log.redacted("stream-key-7") == "stream-key-7")
        #expect(!Log.line(.info, "to stream-key-77", journal: false, time: time).contains("key-77"))
    }

    @Test("writes nothing below its level, and does not even make the text")
    func level() async {
        await #expect(processExitsWith: .exitCode(3)) {
            var made: Int32 = 0
            func text() -> String {
                made += 1
                return "text"
            }
            Log.debug(text())
            Log.info(text())
            Log.level = .error
            Log.info(text())
            Log.warning(text())
            Log.error(text())
            Log.level = .debug
            Log.debug(text())
            exit(made)
        }
    }

    @Test("writes whole lines to standard error")
    func standardError() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0), observing: [\.standardErrorContent]
        ) {
            Log.redact("hunter2")
            Log.warning("the key is hunter2")
            exit(0)
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.hasSuffix("warning: the key is ***\n"))
    }

    @Test("knows its levels by name")
    func names() {
        #expect(Log.Level(name: "debug") == .debug)
        #expect(Log.Level(name: "loud") == nil)
    }
}
