import Testing

@testable import Service

@Suite("Stream addresses")
struct ConfigurationURITests {
    @Test(
        "are taken apart",
        arguments: [
            ("rtmp://live.example/app/key", StreamURI.Scheme.rtmp, "live.example", 1935, "app/key"),
            ("rtmp://[2001:db8::1]:1936/app/a/b?c=d", .rtmp, "2001:db8::1", 1936, "app/a/b?c=d"),
            ("srt://10.0.0.1:9000?mode=caller", .srt, "10.0.0.1", 9000, ""),
            ("srt://:9000?mode=listener", .srt, "", 9000, ""),
            ("file:/a b/c.mp4", .file, "", 0, "/a b/c.mp4"),
            ("file:///a%20b.mp4", .file, "", 0, "/a%20b.mp4"),
            ("file:out/c.mp4", .file, "", 0, "out/c.mp4"),
            ("test:", .test, "", 0, ""),
        ])
    func parts(text: String, scheme: StreamURI.Scheme, host: String, port: Int, path: String) throws {
        let uri = try StreamURI(text)
        #expect(uri.text == text && uri.scheme == scheme && uri.host == host && uri.port == port)
        #expect(uri.path == path)
    }

    @Test("tell who calls")
    func mode() throws {
        #expect(try StreamURI("srt://h:1").mode == .caller)
        #expect(try StreamURI("srt://0.0.0.0:1?latency=200&mode=listener").mode == .listener)
        #expect(try StreamURI("srt://h:1?latency=200").query == ["latency": "200"])
    }

    @Test(
        "hide what is secret, wherever they are printed",
        arguments: [
            ("rtmp://h/live/key", "rtmp://h/live/***"),
            ("rtmp://h:1936/live/a/key?sign=x/y", "rtmp://h:1936/live/***"),
            ("rtmp://h/live?token=x/key", "rtmp://h/live/***"),
            ("rtmp://me:pass@h/live/key", "rtmp://me:***@h/live/***"),
            (
                "srt://h:1?streamid=#!::r=a&mode=caller&passphrase=0123456789",
                "srt://h:1?streamid=***&mode=caller&passphrase=***"
            ),
            ("file:///tmp/a.mp4", "file:///tmp/a.mp4"),
            ("test:", "test:"),
        ])
    func redacted(text: String, shown: String) throws {
        let uri = try StreamURI(text)
        #expect(uri.redacted == shown)
        #expect("\(uri)" == shown)
        var dump = ""
        Swift.dump(uri, to: &dump)
        #expect(uri.secrets.allSatisfy { $0.count < 4 || !dump.contains($0) })
        #expect(uri.secrets.filter { !$0.isEmpty }.allSatisfy { text.contains($0) })
    }

    @Test("say every secret part for the log")
    func secrets() throws {
        #expect(
            try Set(StreamURI("rtmp://u:pw@h/live/a/key?s=1").secrets) == ["pw", "a/key?s=1", "key", "s=1"])
        #expect(try StreamURI("srt://h:1?passphrase=0123456789&streamid=me").secrets == ["0123456789", "me"])
        #expect(try StreamURI("file:/a/b.mp4").secrets.isEmpty)
    }

    @Test(
        "are refused when they cannot work",
        arguments: [
            "", "live.example/app/key", "http://h/x", "RTMP://h/a/b", "rtmp:h/a/b", "rtmp:///a/b", "rtmp://h",
            "rtmp://h/",
            "rtmp://h/app", "rtmp://h/app/", "rtmp://h//key", "rtmp://h:0/a/b", "rtmp://h:65536/a/b",
            "rtmp://h:x/a/b",
            "rtmp://[::1/a/b", "rtmp://a b/c/d", "rtmp://h/a/b\n", "rtmp://h_ö/a/b", "srt://h", "srt://h:",
            "srt://:9000",
            "srt://:9000?mode=caller", "srt://h:1/path", "srt://h:1?mode=rendezvous", "srt://h:1?mode",
            "srt://h:1?a=1&a=2",
            "srt://h:1?passphrase=short", "file:", "file://host/a.mp4", "file:/a/", "file:a\u{1b}b", "test:x",
        ])
    func refused(text: String) {
        #expect(throws: StreamURI.Refusal.self) { try StreamURI(text) }
    }

    @Test("are refused without repeating them")
    func silent() {
        let text = "rtmp://h:x/app/s3cretkey"
        #expect(
            complaints("{ room: 'a', feed: { uri: '\(text)' } }") == [
                "room.json5:1:22: feed.uri: host or port cannot be read: wants host:port with a port of 1 to 65535"
            ])
        #expect(
            complaints("{ room: 'a', feed: { uri: ['\(text)'] } }") == [
                "room.json5:1:22: feed.uri: wants a text, found a list"
            ])
    }
}
