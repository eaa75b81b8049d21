import Basics
import Foundation
import Testing

@testable import Control

@Suite("Line buffer")
struct LineBufferTests {
    private func lines(_ pieces: [LineBuffer.Piece]) -> [String] {
        pieces.map { piece in
            if case .line(let line) = piece { String(decoding: line, as: UTF8.self) } else { "too long" }
        }
    }

    private func cut(_ text: String, by size: Int, limit: Int = 64) -> [String] {
        var buffer = LineBuffer(limit: limit)
        let bytes = Array(text.utf8)
        let pieces = stride(from: 0, to: bytes.count, by: size).flatMap {
            buffer.take(bytes[$0..<min($0 + size, bytes.count)])
        }
        return lines(pieces + (buffer.takeRest().map { [$0] } ?? []))
    }

    @Test("cuts the same lines out of whatever pieces they come in", arguments: [1, 2, 3, 5, 7, 100])
    func pieces(size: Int) {
        #expect(cut("a\n\nbc\r\n \t\r\n\u{FEFF}d}{\nrest", by: size) == ["a", "bc", "d}{", "rest"])
    }

    @Test("takes a line of exactly the limit, with either end", arguments: [1, 8, 9, 10, 11])
    func edge(size: Int) {
        #expect(cut("12345678\n12345678\r\nx\n", by: size, limit: 8) == ["12345678", "12345678", "x"])
        #expect(cut("x\n123456789\ny\n", by: size, limit: 8) == ["x", "too long"])
    }

    @Test("holds no more than the limit of a line without end")
    func endless() {
        var buffer = LineBuffer(limit: 8)
        let pieces = ["123456789", "0", "\nx\n"].map { buffer.take(Array($0.utf8)[...]) }
        #expect(pieces == [[], [.tooLong], []])
        let rest = buffer.takeRest()
        #expect(rest == nil)
    }
}

@Suite("Token bucket")
struct TokenBucketTests {
    private func admits(_ bucket: inout TokenBucket, at now: Nanoseconds) -> Bool { bucket.admits(at: now) }

    private func five(_ bucket: inout TokenBucket, at now: Nanoseconds) -> [Bool] {
        (0..<5).map { _ in admits(&bucket, at: now) }
    }

    @Test("lets the burst through, then the rate")
    func burst() {
        var bucket = TokenBucket(rate: 10, burst: 3)
        #expect(five(&bucket, at: 0) == [true, true, true, false, false])
        let later: [Nanoseconds] = [99, 100, 100]
        #expect(later.map { admits(&bucket, at: $0 * .millisecond) } == [false, true, false])
        #expect(five(&bucket, at: 60 * .second) == [true, true, true, false, false])
    }

    @Test(
        "passes at most rate and burst of a flood, whatever the clock says first",
        arguments: [0, 7, -5_000_000_000])
    func flood(start: Nanoseconds) {
        var bucket = TokenBucket(rate: 1000, burst: 100)
        let passed = (0..<20_000).count { bucket.admits(at: start + Nanoseconds($0) * 50_000) }
        #expect((1099...1101).contains(passed))
    }
}

@Suite("Conversation")
struct ConversationTests {
    private var limits: LineLimits = {
        var limits = LineLimits()
        (limits.line, limits.waiting, limits.waitingBytes) = (100, 3, 60)
        (limits.owed, limits.owedToSubscriber, limits.patience) = (50, 200, 10)
        return limits
    }()

    private func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    private func take(_ conversation: inout Conversation) -> String? {
        conversation.next().map { String(decoding: $0.line, as: UTF8.self) }
    }

    @Test("serves one request after the other, with the time at which each was read")
    func order() {
        var talk = Conversation(limits: limits)
        talk.received(bytes("a\nb"), at: 5)
        talk.received(bytes("\n"), at: 7)
        #expect(talk.next() == .init(line: Array("a".utf8), receivedAt: 5))
        #expect(talk.next() == nil)
        talk.answered(Array("A".utf8), at: 8)
        #expect(talk.next() == .init(line: Array("b".utf8), receivedAt: 7))
        talk.answered(nil, at: 9)
        #expect(talk.next() == nil)
        #expect(talk.owed == bytes("A\n"))
    }

    @Test("reads nothing more while enough waits, by number and by bytes")
    func waiting() {
        var talk = Conversation(limits: limits)
        talk.received(bytes("a\nb\n"), at: 0)
        #expect(talk.wantsToRead)
        talk.received(bytes("c\n"), at: 0)
        #expect(!talk.wantsToRead)
        _ = talk.next()
        #expect(talk.wantsToRead)
        talk.received(bytes(String(repeating: "x", count: 70) + "\n"), at: 0)
        #expect(!talk.wantsToRead)
    }

    @Test("serves and reads nothing while answers are not fetched, and goes on when they are")
    func owing() {
        var talk = Conversation(limits: limits)
        talk.received(bytes("a\nb\n"), at: 0)
        _ = talk.next()
        talk.answered([UInt8](repeating: 120, count: 60), at: 0)
        #expect(!talk.wantsToRead)
        #expect(talk.next() == nil)
        talk.sent(20, at: 1)
        #expect(talk.owedCount == 41)
        #expect(talk.wantsToRead)
        #expect(take(&talk) == "b")
    }

    @Test("drops by time who fetches nothing, but not who fetches slowly")
    func patience() {
        var talk = Conversation(limits: limits)
        #expect(talk.verdict(at: 1000) == .goesOn)
        talk.received(bytes("a\n"), at: 1000)
        _ = talk.next()
        talk.answered([1, 2, 3], at: 1000)
        #expect(talk.verdict(at: 1009) == .goesOn)
        talk.sent(1, at: 1009)
        #expect(talk.verdict(at: 1018) == .goesOn)
        #expect(talk.verdict(at: 1019) == .isStuck)
        talk.sent(3, at: 1019)
        #expect(talk.verdict(at: 9999) == .goesOn)
    }

    @Test("drops at once a subscriber that falls too far behind, and keeps its bytes bounded")
    func subscriber() {
        var talk = Conversation(limits: limits)
        for _ in 0..<100 { talk.notify([UInt8](repeating: 120, count: 30), at: 0) }
        #expect(talk.verdict(at: 0) == .isStuck)
        #expect(talk.owedCount <= 201)
    }

    @Test("a client that ends its half gets what it is owed, and then is finished")
    func halfClosed() {
        var talk = Conversation(limits: limits)
        talk.received(bytes("a\nb"), at: 0)
        talk.receivedEnd(at: 1)
        #expect(!talk.wantsToRead)
        #expect(take(&talk) == "a")
        talk.answered([1], at: 1)
        #expect(take(&talk) == "b")
        #expect(talk.verdict(at: 1) == .goesOn)
        talk.answered([2], at: 1)
        #expect(talk.verdict(at: 1) == .goesOn)
        talk.sent(4, at: 1)
        #expect(talk.verdict(at: 1) == .finished)
    }

    @Test("a line that is too long is answered in its turn and ends the reading")
    func tooLong() {
        var talk = Conversation(limits: limits)
        talk.received(bytes("a\n" + String(repeating: "x", count: 200)), at: 0)
        talk.received(bytes("\nb\n"), at: 0)
        #expect(take(&talk) == "a")
        talk.answered(nil, at: 0)
        #expect(talk.next()?.refusal?.kind == .tooLong)
        talk.answered([1], at: 0)
        talk.sent(2, at: 0)
        #expect(talk.verdict(at: 0) == .finished)
    }

    @Test("requests beyond the rate are refused in their turn")
    func rate() {
        var limits = limits
        (limits.rate, limits.burst, limits.waiting) = (1, 2, 10)
        var talk = Conversation(limits: limits)
        talk.received(bytes("a\nb\nc\n"), at: 0)
        talk.received(bytes("d\n"), at: .second)
        var kinds: [ErrorKind?] = []
        while let request = talk.next() {
            kinds.append(request.refusal?.kind)
            talk.answered(nil, at: 0)
        }
        #expect(kinds == [nil, nil, .rateLimited, nil])
    }

    @Test("sends every byte once, in order, however little the socket takes")
    func shortWrites() {
        var talk = Conversation(limits: limits)
        var (expected, got) = ([UInt8](), [UInt8]())
        for number in 0..<200 {
            let line = [UInt8](repeating: UInt8(number), count: number % 17)
            talk.notify(line, at: 0)
            expected += line + [10]
            while talk.owedCount > number % 90 {
                let count = min(talk.owedCount, 1 + number % 13)
                got += talk.owed.prefix(count)
                talk.sent(count, at: 0)
            }
        }
        got += talk.owed
        #expect(got == expected)
    }
}
