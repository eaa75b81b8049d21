import Foundation
import Testing

@testable import VAP

@Suite("JSON reader")
struct JSONTests {
    private func value(_ text: String) throws(AnimationError) -> JSON {
        try JSONReader.value(in: Array(text.utf8))
    }

    @Test("reads every kind of value")
    func kinds() throws {
        let json = try value(#" { "a" : [ 1 , -2.5e1 , "x" , true , false , null , {} , [] ] } "#)
        let expected: [JSON] = [
            .number(1), .number(-25), .string("x"), .bool(true), .bool(false), .null, .object([]), .array([]),
        ]
        #expect(json["a"]?.elements == expected)
    }

    @Test(
        "reads numbers as Double does",
        arguments: [
            "0", "-0", "1", "-1", "12345678901234567", "9007199254740993", "999999999999999",
            "1234567890123456",
            "-1234567890123456", "0.1", "-0.25", "1e3", "1E+3", "1.5e-3", "123456789012345678901234567890",
            "1e-400",
        ])
    func numbers(text: String) throws {
        let expected = try #require(Double(text))
        #expect(try value(text) == .number(expected))
        #expect(JSONReader.number(text) == expected)
    }

    @Test("keeps a number that no double holds as infinite, and gives it to nobody")
    func infinite() throws {
        #expect(try value("1e400") == .number(.infinity))
        #expect(try value("-1e400").finite == nil)
        #expect(JSONReader.number("1e400") == nil)
    }

    @Test(
        "takes only a whole number in a text",
        arguments: ["", " 1", "1 ", "+1", ".5", "5.", "0x10", "01", "1,5", "nan", "inf", "一"])
    func notNumbers(text: String) {
        #expect(JSONReader.number(text) == nil)
    }

    @Test("reads escapes, pairs and half pairs")
    func strings() throws {
        #expect(try value(#""a\"\\\/\b\f\n\r\té""#) == .string("a\"\\/\u{8}\u{c}\n\r\té"))
        #expect(try value(#""\ud83c\udf81!""#) == .string("🎁!"))
        #expect(try value(#""\ud83c""#) == .string("\u{fffd}"))
        #expect(try value(#""\ud83cA""#) == .string("\u{fffd}A"))
        #expect(try value(#""\udf81\ud83cx""#) == .string("\u{fffd}\u{fffd}x"))
        #expect(try value("\"真🎁\"") == .string("真🎁"))
    }

    @Test("gives the last of several members of one name")
    func duplicates() throws {
        #expect(try value(#"{"a":1,"b":2,"a":3}"#)["a"] == .number(3))
        #expect(try value(#"{"a":1,"a":null}"#)["a"] == nil)
    }

    @Test(
        "refuses what is no JSON",
        arguments: [
            "", " ", "{", "}", "[", "[1", "[1,", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
            "{1:1}", "tru", "nul",
            "truex", "01", "-", "1.", "1e", ".5", "+1", "NaN", "'a'", "\"a", "\"\\", "\"\\x\"", "\"\\u12\"",
            "\"\\u12g4\"",
            "\"a\nb\"", "1 2", "{} xyz", "[1 2]", "{\"a\":1 \"b\":2}", "/**/1", "\u{1}",
        ])
    func invalid(text: String) {
        #expect(kind { () throws(AnimationError) in try value(text) } == .jsonInvalid)
    }

    @Test("names the byte that does not fit")
    func position() throws {
        let error = try #require(refusal { () throws(AnimationError) in try value(#"{"a":1;}"#) })
        #expect(error.message == "Byte 6 of the layout's JSON is ';' where ',' or '}' is expected.")
        let end = try #require(refusal { () throws(AnimationError) in try value(#"{"a":1"#) })
        #expect(end.message == "The layout's JSON ends after 6 bytes where ',' or '}' is expected.")
    }

    @Test("reads nesting up to the limit and refuses what is deeper, however deep")
    func depth() throws {
        let deep = { (levels: Int) in
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        _ = try value(deep(Limits.jsonDepth))
        for levels in [Limits.jsonDepth + 2, 1_000_000] {
            #expect(kind { () throws(AnimationError) in try value(deep(levels)) } == .jsonTooDeep)
        }
    }

    @Test("refuses more values than the limit")
    func values() {
        let text = "[" + String(repeating: "0,", count: Limits.jsonValues) + "0]"
        #expect(kind { () throws(AnimationError) in try value(text) } == .limitExceeded)
    }

    @Test("agrees with Foundation about what is JSON, over damaged layouts")
    func againstFoundation() {
        var random = Random(seed: 7)
        let good = Array(
            #"{"info":{"v":2,"aFrame":[0,0.5,32,1e2],"t":"\u00e9\n","b":true,"n":null},"src":[]}"#.utf8)
        for _ in 0..<3000 {
            var bytes = good
            for _ in 0...random.next(upTo: 2) {
                bytes[random.next(upTo: bytes.count)] = UInt8(0x20 + random.next(upTo: 0x5f))
            }
            let ours = (try? JSONReader.value(in: bytes)) != nil
            let theirs =
                (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
            // Foundation refuses half pairs and numbers beyond all bounds, which we read; neither arises
            // here.
            #expect(ours == theirs, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }
}

@Suite("Around the JSON")
struct JSONTextTests {
    private func clean(_ bytes: [UInt8]) throws(AnimationError) -> (text: String, warnings: [String]) {
        var warnings = Warnings()
        let bytes = try JSONText.clean(bytes, warnings: &warnings)
        return (String(decoding: bytes, as: UTF8.self), warnings.lines)
    }

    @Test("drops a byte order mark, NUL and white space at both ends")
    func padding() throws {
        let bytes: [UInt8] = [0x0a, 0xef, 0xbb, 0xbf, 0x20] + Array("{}".utf8) + [0x0d, 0x0a, 0, 0, 0x20, 0]
        let (text, warnings) = try clean(bytes)
        #expect(text == "{}")
        #expect(warnings.isEmpty)
    }

    @Test("replaces bytes that are no UTF-8, with a warning")
    func damaged() throws {
        let (text, warnings) = try clean(Array("{\"".utf8) + [0xb0, 0xa1, 0xff] + Array("\":1}".utf8))
        #expect(text.hasPrefix("{\"\u{fffd}") && text.hasSuffix("\":1}"))
        #expect(warnings.count == 1)
    }

    @Test("refuses UTF-16 with and without a mark, and nothing at all")
    func refused() {
        let narrow = Array("{\"a\":1}".utf8)
        let little: [UInt8] = narrow.reduce(into: []) { $0 += [$1, 0] }
        let big: [UInt8] = narrow.reduce(into: []) { $0 += [0, $1] }
        for bytes in [
            little, big, [0xff, 0xfe] + little, [0xfe, 0xff] + big, [], [0, 0, 0x20], [0xef, 0xbb, 0xbf],
        ] {
            #expect(kind { () throws(AnimationError) in try clean(bytes) } == .jsonInvalid)
        }
    }
}

/// Repeatable numbers (SplitMix64).
struct Random {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next(upTo bound: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return Int((z ^ (z >> 31)) % UInt64(bound))
    }
}
