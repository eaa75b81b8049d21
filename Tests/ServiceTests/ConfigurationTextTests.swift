import Foundation
import Testing

@testable import Service

@Suite("Configuration text")
struct ConfigurationTextTests {
    private struct Holder: Decodable {
        var a: AnyValue

        /// Decodes what a configuration may hold.
        enum AnyValue: Decodable, Equatable {
            case number(Double), text(String), other

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let text = try? container.decode(String.self) {
                    self = .text(text)
                } else {
                    self = (try? container.decode(Double.self)).map(AnyValue.number) ?? .other
                }
            }
        }
    }

    private func decoded(_ text: String) throws -> Holder.AnyValue {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        return try decoder.decode(Holder.self, from: Data(text.utf8)).a
    }

    @Test(
        "passes what the decoder reads",
        arguments: [
            "{a:1}", "{ 'a' : 1 , }", "{\"a\":-1.5e-3}", "{a:+5}", "{a:.5}", "{a:5.}", "{a:5.e1}", "{a:0x1F}",
            "{a:-0XfFfFfFfFfFfF}", "{a:1E+3}", "{a:0}", "{a:0.5}", "{a:true}", "{a:null}", "{a:[1,[2,],{}]}",
            "{a:'it\"s \\'\\\"\\\\\\/\\b\\f\\n\\r\\t'}", "{a:'\\u00e4\\uD83D\\ude00 ä 😀'}", "{$_9:1,a:2}",
            "{\"a b\":1,a:2}",
            "// x\n{ /* * / { */ a: 1, // }\n}\n// end", "{a:{a:{a:1}}}", "{\r\n\ta:1\r\n}",
        ])
    func accepts(text: String) throws {
        _ = try ConfigurationText(Array(text.utf8))
        _ = try decoded(text)
    }

    @Test(
        "reads numbers as they are meant",
        arguments: [("+5", 5), (".5", 0.5), ("5.", 5), ("-0x10", -16), ("5.e1", 50)])
    func numbers(text: String, number: Double) throws {
        #expect(try decoded("{a:\(text)}") == .number(number))
    }

    @Test(
        "refuses with place and reason",
        arguments: [
            ("", "1:1 wants \"{\", found the end of the file"),
            ("[]", "1:1 wants \"{\", found \"[\""),
            ("{a:1} b", "1:7 wants nothing after the last \"}\", found \"b\""),
            ("{\n a: 1\n b: 2 }", "3:2 wants \",\" or \"}\", found \"b\""),
            ("{ a: [1 2] }", "1:9 a: wants \",\" or \"]\", found \"2\""),
            ("{ a: 1,\n b: [ 2,", "2:5 b: \"[\" is never closed"),
            ("{ a: { b: 1 }", "1:1 \"{\" is never closed"),
            ("{ a: 1,, }", "1:8 wants a key, found \",\""),
            ("{ a 1 }", "1:5 a: wants \":\" after the key, found \"1\""),
            ("{ a: }", "1:6 a: wants a value, found \"}\""),
            ("{ 1a: 1 }", "1:3 wants a key, found \"1a\""),
            ("{ 'a\\u0041': 1 }", "1:3 a key is written without escapes and is not empty"),
            ("{ '': 1 }", "1:3 a key is written without escapes and is not empty"),
            ("{ a: fast }", "1:6 a: text wants quotes: \"fast\""),
            ("{ a: NaN }", "1:6 a: NaN has no meaning here"),
            ("{ a: -Infinity }", "1:6 a: \"-Infinity\" is no number"),
            ("{ a: 4_000 }", "1:6 a: \"4_000\" is no number"),
            ("{ a: 012 }", "1:6 a: \"012\" is no number"),
            ("{ a: 1e999 }", "1:6 a: \"1e999\" is no number"),
            ("{ a: 1.2.3 }", "1:6 a: \"1.2.3\" is no number"),
            ("{ a: 1e }", "1:6 a: \"1e\" is no number"),
            ("{ a: . }", "1:6 a: \".\" is no number"),
            ("{ a: 0x }", "1:6 a: \"0x\" is no number"),
            ("{ a: 'x\n' }", "1:6 a: the text is not closed on its line"),
            ("{ a: 'x", "1:6 a: the text is not closed on its line"),
            (
                "{ a: 'x\\\n' }",
                "1:8 a: an escape that is none of \\\" \\' \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX"
            ),
            ("{ a: '\\u12' }", "1:7 a: wants \\u and four hexadecimal digits"),
            ("{ a: '\\u0000' }", "1:7 a: a text holds no \\u0000"),
            ("{ a: '\\uD83D' }", "1:7 a: half of a \\u pair"),
            ("{ a: '\\uDE00' }", "1:7 a: half of a \\u pair"),
            ("{ a: 'x\ty' }", "1:8 a: a control character inside a text, write it as \\t or \\u00…"),
            ("{ a: 1, 'a': 2 }", "1:9 a: given twice, first at 1:3"),
            ("{ a: 1 } /* ", "1:10 \"/*\" is never closed"),
            ("{ a: 1 / 2 }", "1:8 wants \"//\" or \"/*\" for a comment, found \"/\""),
            ("{ ä: 1 }", "1:3 wants a key, found \"ä\""),
            ("{ a:\u{a0}1 }", "1:5 a: wants a value, found \"\u{a0}\""),
        ])
    func refuses(text: String, complaint: String) {
        do throws(ConfigurationText.Problem) {
            _ = try ConfigurationText(Array(text.utf8))
            Issue.record("passed")
        } catch {
            let (line, column) = ConfigurationText.position(error.offset, in: Array(text.utf8))
            let key = error.key.isEmpty ? "" : "\(error.key): "
            #expect("\(line):\(column) \(key)\(error.message)" == complaint)
        }
    }

    @Test("bounds the nesting")
    func depth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                "{ a: \(String(repeating: "[", count: depth))\(String(repeating: "]", count: depth)) }".utf8)
        }
        _ = try ConfigurationText(nested(ConfigurationText.maximumDepth - 1))
        #expect(throws: ConfigurationText.Problem.self) { try ConfigurationText(nested(32)) }
        #expect(throws: ConfigurationText.Problem.self) { try ConfigurationText(nested(500_000)) }
    }

    @Test("ends for every cut of a text")
    func cuts() {
        for end in 0..<(Self.sample.count - 2) {
            let cut = Array(Self.sample[..<end])
            #expect(throws: ConfigurationText.Problem.self) { try ConfigurationText(cut) }
        }
    }

    @Test("passes no changed text that the decoder refuses")
    func changes() {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        for place in Self.sample.indices {
            for byte in UInt8.min ... .max {
                var changed = Self.sample
                changed[place] = byte
                guard ConfigurationText.firstInvalid(changed) == nil,
                    (try? ConfigurationText(changed)) != nil
                else { continue }
                let isRead = (try? decoder.decode(Ignoring.self, from: Data(changed))) != nil
                #expect(isRead, "\(String(decoding: changed, as: UTF8.self))")
            }
        }
    }

    private static let sample = Array(
        "// c\n{ a: [1, 'x\\u00e4\\n'], /* b */ \"b\": { c: -0x1F, d: true, e: .5e+1 } }\n".utf8)

    private struct Ignoring: Decodable {
        init(from decoder: any Decoder) throws {}
    }

    @Test("finds the byte that is not UTF-8 text")
    func encoding() {
        #expect(ConfigurationText.firstInvalid(Array("{ä😀}".utf8)) == nil)
        #expect(ConfigurationText.firstInvalid([0x7B, 0xC3, 0xA4, 0xFF, 0x7D]) == 3)
        #expect(ConfigurationText.firstInvalid([0x7B, 0x00, 0x7D]) == 1)
        #expect(ConfigurationText.firstInvalid([0x7B, 0xC3]) == 1)
    }

    @Test("keeps the place and the source of every value")
    func places() throws {
        let text = try ConfigurationText(Array("{ a: { b: [ 1, 'x' ] },\n  c: .5 }".utf8))
        #expect(text.places.keys.sorted() == ["", "a", "a.b", "a.b[0]", "a.b[1]", "c"])
        #expect(text.source("a.b") == "[ 1, 'x' ]" && text.source("c") == ".5" && text.source("d") == nil)
        let place = try #require(text.places["c"])
        #expect(text.position(place.offset) == (2, 3))
    }
}
