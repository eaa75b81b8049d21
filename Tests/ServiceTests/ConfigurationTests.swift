import Basics
import Foundation
import Pictures
import Testing

@testable import Service

/// Reads a text as the file `room.json5`.
func configuration(
    _ text: String, _ variables: [String: String] = [:]
) throws(ConfigurationError) -> Configuration {
    let environment = ConfigurationEnvironment(variables: variables, isRoot: true)
    return try Configuration.read(Array(text.utf8), file: "room.json5", environment: environment).0
}

/// What is wrong with a text, one line each.
func complaints(_ text: String, _ variables: [String: String] = [:]) -> [String] {
    do {
        _ = try configuration(text, variables)
        return []
    } catch {
        return error.description.split(separator: "\n").map(String.init)
    }
}

@Suite("Configuration")
struct ConfigurationTests {
    @Test("needs a room only, everything else has a default")
    func defaults() throws {
        let configuration = try configuration("{ room: 'demo' }")
        #expect(configuration.feed.uri == .test)
        #expect(configuration.feed.delay == 200 * .millisecond)
        #expect(configuration.program.width == 1080 && configuration.program.height == 1920)
        #expect(configuration.destinations.isEmpty)
        #expect(configuration.lanes == [Configuration.Lane(name: "main")])
        #expect(configuration.control.socket == "/run/giftd/demo/control.sock")
        #expect(configuration.http.listen == .init(host: "127.0.0.1", port: 9464))
        #expect(configuration.log.level == .info)
    }

    @Test("takes every key")
    func everything() throws {
        let configuration = try configuration(
            """
            // A room with everything in it.
            {
              "room": "a.b-c_9",
              feed: { uri: 'srt://:7001?mode=listener&passphrase=0123456789', latency: 0.5 },
              program: { width: 0x2D0, height: 1280, fps: 25,
                video: { encoder: "openh264enc", preset: "fast", bitrate: 2e6, keyInterval: 1.5, vbv: .5 },
                audio: { bitrate: 96000 } },
              destinations: [
                { name: "file", uri: "file:out/room.MKV" },
                { name: "cdn", uri: "rtmp://live.example:1936/app/key" }, ],
              gifts: { directory: "gifts", blend: "straight" },
              lanes: [ { name: "big", concurrency: 2, capacity: 7, z: -3, blend: "ios", volume: 1.25, duck: 9,
                place: { fit: "cover", anchor: "bottomLeft", offset: { x: -4, y: '10%' }, size: '300px' } } ],
              control: { socket: "/tmp/s" },
              http: { listen: "[::1]:80" },
              log: { level: "debug" },
            }
            """)
        #expect(configuration.feed.uri.mode == .listener && configuration.feed.uri.port == 7001)
        #expect(configuration.feed.delay == 500 * .millisecond)
        #expect(configuration.program.width == 720 && configuration.program.fps == 25)
        #expect(configuration.program.video.bitrate == 2_000_000 && configuration.program.video.vbv == 0.5)
        #expect(configuration.program.video.encoder == "openh264enc")
        #expect(configuration.program.video.preset == .fast && configuration.program.video.keyInterval == 1.5)
        #expect(configuration.program.audio.bitrate == 96000)
        #expect(configuration.destinations.map(\.container) == [.mkv, nil])
        #expect(configuration.destinations[1].uri.host == "live.example")
        #expect(configuration.gifts == .init(directory: "gifts", blend: .straight))
        let lane = try #require(configuration.lanes.first)
        #expect(lane.concurrency == 2 && lane.capacity == 7 && lane.z == -3 && lane.blend == .ios)
        #expect(lane.volume == 1.25 && lane.duck == 9)
        let offset = Placement.Offset(x: .pixels(-4), y: .share(0.1))
        #expect(lane.place == Placement(fit: .cover, anchor: .bottomLeft, offset: offset, size: .pixels(300)))
        #expect(configuration.control.socket == "/tmp/s")
        #expect(configuration.http.listen == .init(host: "::1", port: 80))
        #expect(configuration.log.level == .debug)
    }

    @Test("waits longer for SRT than for RTMP unless told")
    func latency() throws {
        let srt = try configuration("{ room: 'a', feed: { uri: 'srt://h:1', latency: 'auto' } }")
        #expect(srt.feed.delay == 1200 * .millisecond)
        #expect(try configuration("{ room: 'a', http: { listen: 'off' } }").http.listen == nil)
    }

    @Test(
        "names file, line, column, key and fault",
        arguments: [
            ("{\n  // no room\n}", "room.json5:1:1: room: is missing"),
            ("{ room: 'a b' }", "room.json5:1:3: room: \(ConfigurationName.rule)"),
            ("{ room: 'a', feeed: {} }", "room.json5:1:14: feeed: unknown key, did you mean \"feed\"?"),
            (
                "{ room: 'a',\n  log: { volume: 1 } }",
                "room.json5:2:10: log.volume: unknown key; known here: level"
            ),
            ("{ room: 7 }", "room.json5:1:3: room: wants a text, found 7"),
            ("{ room: null }", "room.json5:1:3: room: wants a text, found null"),
            ("{ room: 'a', feed: 'test:' }", "room.json5:1:14: feed: wants an object, found a text"),
            ("{ room: 'a', lanes: {} }", "room.json5:1:14: lanes: wants a list, found an object"),
            ("{ room: 'a', lanes: [] }", "room.json5:1:14: lanes: wants at least one lane"),
            (
                "{ room: 'a', destinations: [ 5 ] }",
                "room.json5:1:30: destinations[0]: wants an object, found 5"
            ),
            (
                "{ /* ä */ room: 'ä' }",
                "room.json5:1:11: room: \(ConfigurationName.rule)"
            ),
            (
                "{ room: 'a', program: {\n\tvideo: { bitrate: 1e5, vbv: 99 } } }",
                "room.json5:2:25: program.video.vbv: wants a number of 0.05 to 10 seconds, found 99"
            ),
            (
                "{ room: 'a', program: { fps: 29.97 } }",
                "room.json5:1:25: program.fps: wants a whole number of 1 to 120 frames per second, found 29.97"
            ),
            (
                "{ room: 'a', program: { width: 1e300 } }",
                "room.json5:1:25: program.width: wants a whole number of 16 to 4096 pixels, found 1e300"
            ),
            (
                "{ room: 'a', program: { width: 721 } }",
                "room.json5:1:25: program.width: wants an even number of pixels"
            ),
            (
                "{ room: 'a', feed: { latency: 'soon' } }",
                "room.json5:1:22: feed.latency: wants seconds or \"auto\""
            ),
            (
                "{ room: 'a', gifts: { blend: 'premultiplyed' } }",
                "room.json5:1:23: gifts.blend: wants one of \"premultiplied\" \"straight\" \"ios\", "
                    + "did you mean \"premultiplied\"?"
            ),
            (
                "{ room: 'a', destinations: [ { name: 'x' } ] }",
                "room.json5:1:30: destinations[0].uri: is missing"
            ),
            (
                "{ room: 'a', destinations: [ { uri: 'srt://h:1', name: 'x' },\n { name: 'x', uri: 'srt://i:1' } ] }",
                "room.json5:2:4: destinations[1].name: the same as in destinations[0]"
            ),
            (
                "{ room: 'a', destinations: [ { name: 'x', uri: 'file:a.avi' } ] }",
                "room.json5:1:43: destinations[0].uri: a file's name ends in .mp4, .mkv or .flv"
            ),
            (
                "{ room: 'a', destinations: [ { name: 'x', uri: 'test:' } ] }",
                "room.json5:1:43: destinations[0].uri: \"test:\" is a feed; a destination is rtmp:// srt:// or file:"
            ),
            (
                "{ room: 'a', lanes: [ { name: 'x', place: { fit: 'covr' } } ] }",
                "room.json5:1:45: lanes[0].place.fit: wants one of \"contain\" \"cover\" \"stretch\" \"none\", "
                    + "did you mean \"cover\"?"
            ),
            (
                "{ room: 'a', lanes: [ { name: 'x', place: { offset: { x: 1, z: 2 } } } ] }",
                "room.json5:1:61: lanes[0].place.offset.z: unknown key, did you mean \"x\"?"
            ),
            (
                "{ room: 'a', lanes: [ { name: 'x', place: { offset: { y: '3em' } } } ] }",
                "room.json5:1:55: lanes[0].place.offset.y: wants a number, or text such as \"12%\" or \"300px\""
            ),
            (
                "{ room: 'a', lanes: [ { name: 'x', place: { size: 0 } } ] }",
                "room.json5:1:45: lanes[0].place.size: a size is a share above 0 and at most 10, "
                    + "or 2 to 40960 pixels"
            ),
            (
                "{ room: 'a', lanes: [ { name: 'x', place: { size: null } } ] }",
                "room.json5:1:45: lanes[0].place.size: wants a value, found null"
            ),
            (
                "{ room: 'a', http: { listen: '9464' } }",
                "room.json5:1:22: http.listen: wants \"address:port\" (an IP address) or \"off\""
            ),
            (
                "{ room: 'a', log: { level: 'loud' } }",
                "room.json5:1:21: log.level: wants one of \"error\" \"warning\" \"info\" \"debug\""
            ),
            (
                "{ room: 'a', control: { socket: '\(String(repeating: "x", count: 108))' } }",
                "room.json5:1:25: control.socket: wants a path of 1 to 107 bytes"
            ),
        ])
    func faults(text: String, complaint: String) {
        #expect(complaints(text) == [complaint])
    }

    @Test("reports all faults of a file in its order")
    func several() {
        let found = complaints(
            "{ program: { width: 3, video: { preset: 'slowest' } },\n  lanes: [ { name: '' }, { name: 'b', z: 1.5 } ] }"
        )
        #expect(
            found.map { $0.prefix { $0 != " " } } == [
                "room.json5:1:1:", "room.json5:1:14:", "room.json5:1:33:", "room.json5:2:14:",
                "room.json5:2:39:",
            ])
    }

    @Test("names the file that cannot be read")
    func unreadable() {
        #expect(throws: ConfigurationError.self) { try Configuration.load("/proc/none.json5") }
        do throws(ConfigurationError) {
            _ = try Configuration.load("/proc/none.json5")
        } catch {
            #expect(error.description == "/proc/none.json5: cannot be opened: No such file or directory")
        }
        do throws(ConfigurationError) {
            _ = try Configuration.load("/dev")
        } catch {
            #expect(error.description == "/dev: is no regular file")
        }
    }
}
