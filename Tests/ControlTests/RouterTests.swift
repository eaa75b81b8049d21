import Basics
import Foundation
import Testing

@testable import Control

@Suite("Router", .timeLimit(.minutes(1)))
struct RouterTests {
    /// What the room answers to a text.
    private func answer(_ text: [UInt8]) async throws -> Reply? {
        let bytes = await TestLoop.run {
            let door = Door()
            return await door.router.answer(text, RequestContext(receivedAt: 0, peer: Peer { _ in }))
        }
        return try bytes.map { try Reply(try #require(String(validating: $0, as: UTF8.self))) }
    }

    private func answer(_ text: String) async throws -> Reply? { try await answer(Array(text.utf8)) }

    @Test("answers under the id it was given", arguments: ["7", "-1", #""a\u0000b""#, "null", "1e3"])
    func ids(id: String) async throws {
        let reply = try await answer(call("echo", #"{"text":"hi"}"#, id: id))
        #expect(reply?.result?.text == "hi")
        #expect(reply?.jsonrpc == "2.0")
        #expect(reply?.text.contains(#""id":"#) == true)
        #expect(
            reply?.id
                == (try? JSONDecoder().decode(RequestID.self, from: Data(id.utf8))).flatMap {
                    $0 == .null ? nil : $0
                })
    }

    @Test(
        "gives notifications no answer, not even for an error",
        arguments: [
            call("echo", id: nil), call("nothing", id: nil), call("fail", id: nil),
            call("echo", "7", id: nil),
        ])
    func notifications(text: String) async throws {
        #expect(try await answer(text) == nil)
    }

    private static let hopeless: [(String, ErrorKind)] = [
        ("", ErrorKind.parseError), ("{", .parseError), ("nonsense", .parseError), ("\u{0}", .parseError),
        (#"{"jsonrpc":"2.0","id":1,"method":"echo"}}"#, .parseError),
        (#"{"jsonrpc":"2.0","id":1,"method":"echo"} {}"#, .parseError),
        ("7", .invalidRequest), ("null", .invalidRequest), (#""text""#, .invalidRequest),
        ("{}", .invalidRequest),
        (#"{"id":1,"method":"echo"}"#, .invalidRequest),
        (#"{"jsonrpc":2.0,"id":1,"method":"echo"}"#, .invalidRequest),
        (#"{"jsonrpc":"2.0","id":1}"#, .invalidRequest),
        (#"{"jsonrpc":"2.0","id":1,"method":7}"#, .invalidRequest),
        (#"{"jsonrpc":"2.0","id":{},"method":"echo"}"#, .invalidRequest),
        (#"{"jsonrpc":"2.0","id":1.5,"method":"echo"}"#, .invalidRequest),
        (#"{"jsonrpc":"2.0","id":1,"id":2,"method":"echo"}"#, .invalidRequest),
        (#"{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"echo"}"#, .invalidRequest),
        ("[]", .batchUnsupported), (" \t[" + call("echo") + "]", .batchUnsupported),
        (many("["), .batchUnsupported),
        (#"{"a":"# + many("["), .tooDeep),
        (many(#"{"a":"#), .tooDeep),
    ]

    private static func many(_ text: String) -> String { String(repeating: text, count: 33) }

    @Test("refuses by kind, under null when there is no id to be had", arguments: hopeless)
    func refusals(text: String, kind: ErrorKind) async throws {
        let reply = try #require(try await answer(text))
        #expect(reply.error?.kind == kind)
        #expect(reply.text.contains(#""id":null"#))
    }

    private static let readable: [(String, ErrorKind, String)] = [
        (call("gift.sned"), ErrorKind.unknownMethod, "there is no method \"gift.sned\""),
        (call("echo", "[1]"), .invalidParams, "params must be"),
        (call("echo", #""x""#), .invalidParams, "params must be"),
        (call("echo", #"{"text":7}"#), .invalidParams, "text must be text"),
        (call("echo", #"{"size":"7"}"#), .invalidParams, "size must be a whole number"),
        (call("echo", #"{"number":1e400}"#), .invalidParams, "a number is beyond"),
        (call("echo", #"{"size":99999999999999999999}"#), .invalidParams, "a number is beyond"),
        (call("echo", #"{"txet":"a"}"#), .invalidParams, "unknown field \"txet\": known are text, size"),
        (call("fail", #"{"a":1}"#), .invalidParams, "unknown field \"a\": there are none"),
        (call("fail"), .internalError, "fail failed: "),
    ]

    @Test("refuses under the id what it can read", arguments: readable)
    func sentences(text: String, kind: ErrorKind, words: String) async throws {
        let reply = try #require(try await answer(text))
        #expect(reply.id == .number(1))
        #expect(reply.error?.kind == kind)
        #expect(reply.error?.message.contains(words) == true)
    }

    @Test("takes parameters that are left out as none")
    func noParams() async throws {
        #expect(try await answer(#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#)?.result != nil)
        let reply = try await answer(#"{"jsonrpc":"2.0","id":1,"method":"gift.send"}"#)
        #expect(reply?.error == RPCError(.invalidParams, "gift is missing"))
    }

    @Test("refuses other encodings than UTF-8 and echoes none of their bytes")
    func encodings() async throws {
        let name = Array(#"{"jsonrpc":"2.0","id":1,"method":""#.utf8)
        let reply = try await answer(name + [0xFF, 0xC0, 0x80] + Array(#""}"#.utf8))
        #expect(reply?.error?.kind == .parseError)
        let wide = call("echo").utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        #expect(try await answer([0xFF, 0xFE] + wide)?.error?.kind == .parseError)
        #expect(try await answer(wide)?.error?.kind == .parseError)
    }

    @Test("takes braces, quotes and line ends inside text as text")
    func text() async throws {
        let reply = try await answer(call("echo", #"{"text":"}{][\\\"\n,\"text\":"}"#))
        #expect(reply?.result?.text == "}{][\\\"\n,\"text\":")
    }

    @Test("takes the same field in different objects, and 32 levels")
    func levels() async throws {
        let place = #"{"gift":"a","place":{"offset":{"x":1,"y":2},"size":1}}"#
        #expect(try await answer(call("gift.send", place))?.result?.id == "0")
        let deep = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
        let reply = try await answer(
            #"{"jsonrpc":"2.0","id":1,"method":"echo","params":{},"x":"# + deep + "}")
        #expect(reply?.result != nil)
    }

    @Test("answers with an error when a result cannot be written")
    func unwritable() async throws {
        let bytes = await TestLoop.run {
            let router = Router()
            router.on("bad") { (_: NoParams, _) in Echo(number: .nan) }
            return await router.answer(
                Array(call("bad").utf8), RequestContext(receivedAt: 0, peer: Peer { _ in }))
        }
        let reply = try Reply(String(decoding: try #require(bytes), as: UTF8.self))
        #expect(reply.id == .number(1))
        #expect(reply.error?.kind == .internalError)
    }

    @Test("survives what chance makes of a request")
    func chance() async {
        var random = SystemRandomNumberGenerator()
        let seed = Array(
            call("gift.send", #"{"gift":"\u00e9","place":{"size":"12%","offset":{"x":-1e3}}}"#).utf8)
        let texts = (0..<400).map { _ in
            var text = seed
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text[index] = UInt8.random(in: 0...255, using: &random)
                case 1: text.remove(at: index)
                case 2: text.insert(contentsOf: text[..<index].suffix(20), at: index)
                default: text[index] = Array(#"{}[]",:\"#.utf8).randomElement(using: &random) ?? 0
                }
            }
            return text
        }
        let answers = await TestLoop.run {
            let door = Door()
            let context = RequestContext(receivedAt: 0, peer: Peer { _ in })
            var answers: [[UInt8]] = []
            for text in texts {
                await Task.yield()
                if let answer = await door.router.answer(text, context) { answers.append(answer) }
            }
            return answers
        }
        #expect(answers.count > 100)
        #expect(answers.allSatisfy { (try? JSONDecoder().decode(Reply.self, from: Data($0))) != nil })
    }

    @Test("refuses ten thousand levels in linear time")
    func quick() async {
        let text = Array((#"{"a":"# + String(repeating: #"{"a":"#, count: 10_000)).utf8)
        let took = await TestLoop.run {
            let start = Monotonic.now()
            _ = await Router().answer(text, RequestContext(receivedAt: 0, peer: Peer { _ in }))
            return Monotonic.now() - start
        }
        // Quadratic would be minutes.
        #expect(took < 5 * .second)
    }
}
