import Foundation
import Testing

@testable import Control

@Suite("Wire types")
struct WireTests {
    private func read<P: Params>(_ type: P.Type, _ text: String) throws -> P {
        do {
            return try JSONDecoder().decode(Strict<P>.self, from: Data(text.utf8)).params
        } catch {
            throw RPCError(error)
        }
    }

    private func write(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test("gift.send reads every field it knows")
    func giftSend() throws {
        let gift = try read(
            GiftSend.self,
            #"""
            {"gift":"rabbit","id":"g-1","lane":"main","blend":"ios","ttl":5,"volume":1.5,
             "place":{"fit":"none","anchor":"top","size":"50%","offset":{"x":-3,"y":"10px"}}}
            """#)
        let place = PlaceParams(
            fit: "none", anchor: "top", offset: .init(x: .number(-3), y: .text("10px")), size: .text("50%"))
        #expect(
            gift
                == GiftSend(
                    gift: "rabbit", id: "g-1", lane: "main", place: place, blend: "ios", ttl: 5, volume: 1.5))
        #expect(try read(GiftSend.self, try write(gift)) == gift)
    }

    private static let refused: [(String, String)] = [
        (#"{"gift":"a","texts":{"name":"x"}}"#, "unknown field \"texts\""),
        (#"{"gift":"a","url":"http://x"}"#, "unknown field \"url\""),
        (
            #"{"gift":"a","priority":1}"#,
            "unknown field \"priority\": known are gift, id, lane, place, blend, ttl, volume"
        ),
        (#"{"gift":"a","place":{"z":1}}"#, "unknown field \"place.z\""),
        (#"{"gift":"a","place":{"offset":{"z":1}}}"#, "unknown field \"place.offset.z\""),
        (#"{"gift":"a","place":{"size":{}}}"#, "place.size must be a number or text"),
        (#"{"gift":"a","place":[]}"#, "place must be"), (#"{"gift":""}"#, "gift must have 1 to 256 bytes"),
        (#"{"gift":"a\nb"}"#, "gift must not contain control characters"),
        (#"{"gift":"a","id":"x\u0000"}"#, "id must not contain control characters"),
        (#"{"gift":"a","ttl":0}"#, "ttl must be 0.001 to 86400.0, it is 0.0"),
        (#"{"gift":"a","ttl":-1e308}"#, "ttl must be"), (#"{"gift":"a","ttl":true}"#, "ttl must be a number"),
        (#"{"gift":null}"#, "gift must be text, not null"),
        (#"{"gift":"a","volume":2.1}"#, "volume must be 0.0 to 2.0, it is 2.1"),
    ]

    @Test("gift.send refuses what is not there yet, by name, and what makes no sense", arguments: refused)
    func refusals(text: String, words: String) throws {
        let error = try #require(throws: RPCError.self) { try read(GiftSend.self, text) }
        #expect(error.kind == .invalidParams)
        #expect(error.message.hasPrefix(words))
    }

    @Test("lane.set and gift.set want something to set, within its range")
    func sounds() throws {
        #expect(try read(LaneSet.self, #"{"volume":0}"#) == LaneSet(volume: 0))
        #expect(
            try read(LaneSet.self, #"{"lane":"a","volume":2,"duck":60}"#)
                == LaneSet(lane: "a", volume: 2, duck: 60))
        #expect(try read(GiftSet.self, #"{"id":"g","volume":0.25}"#) == GiftSet(id: "g", volume: 0.25))
        for (text, words) in [
            (#"{"lane":"a"}"#, "volume or duck has to be there"),
            (#"{"volume":-1}"#, "volume must be 0.0 to 2.0, it is -1.0"),
            (#"{"duck":61}"#, "duck must be 0.0 to 60.0, it is 61.0"),
            (#"{"lane":"","duck":6}"#, "lane must have 1 to 256 bytes"),
        ] {
            let error = #expect(throws: RPCError.self) { try read(LaneSet.self, text) }
            #expect(error?.message.hasPrefix(words) == true, "\(error?.message ?? "")")
        }
        #expect(throws: RPCError.self) { try read(GiftSet.self, #"{"id":"g"}"#) }
        #expect(throws: RPCError.self) { try read(GiftSet.self, #"{"id":"g","volume":9}"#) }
    }

    @Test("an id of 129 bytes is too long")
    func longID() {
        #expect(throws: RPCError.self) {
            try GiftSend(gift: "a", id: String(repeating: "é", count: 65)).validate()
        }
        #expect(throws: Never.self) {
            try GiftSend(gift: "a", id: String(repeating: "é", count: 64)).validate()
        }
    }

    @Test(
        "gift.list takes pages only of a sensible size",
        arguments: [
            (#"{"limit":0}"#, false), (#"{"limit":501}"#, false), (#"{"offset":-1}"#, false),
            (#"{"limit":500,"offset":0,"lane":"a"}"#, true), ("{}", true),
        ])
    func pages(text: String, isFine: Bool) {
        let query = try? read(GiftListQuery.self, text)
        #expect((query != nil) == isFine)
    }

    @Test("errors carry code, sentence and kind both ways")
    func errors() throws {
        let error = RPCError(.queueFull, "lane \"main\" is full")
        let text = try write(error)
        #expect(
            text
                == #"{"code":1003,"data":{"kind":"queueFull"},"message":"lane \"main\" is full"}"#
        )
        #expect(try JSONDecoder().decode(RPCError.self, from: Data(text.utf8)) == error)
    }

    @Test("kinds have names of their own")
    func kinds() {
        let kinds: [ErrorKind] = [
            .parseError, .invalidRequest, .batchUnsupported, .unknownMethod, .invalidParams, .internalError,
            .tooLong,
            .tooDeep, .rateLimited, .tooManyClients, .stopping, .unknownGift, .invalidVideo, .queueFull,
            .expired,
            .unknownLane, .unknownID, .alreadyEnded, .forbidden,
        ]
        #expect(Set(kinds.map(\.name)).count == kinds.count)
        #expect(Set(kinds.map(\.code)).count == kinds.count - 1)
    }

    @Test("events keep their fields' names")
    func events() throws {
        #expect(
            try write(DestinationDown(destination: "cdn", reason: "x")) == #"{"name":"cdn","reason":"x"}"#)
        let ended = GiftEnded(
            id: "1", gift: "a", lane: "main", outcome: "x", shownSeconds: 2, picturesLate: 1)
        #expect(
            try write(ended)
                == #"{"gift":"a","id":"1","lane":"main","outcome":"x","picturesLate":1,"shownSeconds":2}"#
        )
        #expect(try write(NoParams()) == "{}")
    }

    @Test("patterns of events match whole names and groups")
    func patterns() throws {
        #expect(try EventHub.names(matching: nil) == nil)
        #expect(try EventHub.names(matching: []) == [])
        #expect(
            try EventHub.names(matching: ["feed.*", "gift.ended"]) == ["feed.up", "feed.down", "gift.ended"])
        for pattern in ["gift", "gift*", "*", "gift.endedx", ""] {
            #expect(throws: RPCError.self) { try EventHub.names(matching: [pattern]) }
        }
    }
}
