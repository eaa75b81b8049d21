import Basics
import Foundation
import Testing

@testable import Service

/// Runs `body` with a new directory, which is removed afterwards.
func withDirectory<R>(_ body: (String) throws -> R) throws -> R {
    let path = NSTemporaryDirectory() + "giftd-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}

func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
}

@Suite("Configuration environment")
struct ConfigurationEnvironmentTests {
    private func expand(_ text: String, _ variables: [String: String]) throws -> String {
        var secrets: [String] = []
        return try ConfigurationEnvironment(variables: variables, isRoot: false).expand(
            text, secrets: &secrets)
    }

    @Test(
        "puts variables in",
        arguments: [
            ("", ""), ("plain $5", "plain $5"), ("${A}", "one"), ("x${A}y${B}z", "xoneytwoz"),
            ("$${A}", "${A}"),
            ("${C}", "${A}"), ("$", "$"), ("$$", "$$"), ("${E}", ""),
        ])
    func variables(text: String, result: String) throws {
        #expect(try expand(text, ["A": "one", "B": "two", "C": "${A}", "E": ""]) == result)
    }

    @Test("names what is missing")
    func missing() {
        #expect(
            complaints("{ room: '${ROOM}' }") == [
                "room.json5:1:3: room: environment variable ROOM is not set"
            ])
        #expect(complaints("{ room: '${ROOM' }") == ["room.json5:1:3: room: \"${\" without \"}\""])
        #expect(
            complaints("{ room: 'a', feed: { uri: '${credential:key}' } }") == [
                "room.json5:1:22: feed.uri: credential key: $CREDENTIALS_DIRECTORY is not set; "
                    + "the unit wants LoadCredential=key:/path/of/the/file"
            ])
        #expect(
            complaints("{ room: '${credential:../x}' }").first?.contains("a credential's name holds") == true)
    }

    @Test("reads credentials, without the line end, and hides them from the log")
    func credentials() throws {
        try withDirectory { directory in
            try write("k3y-of-the-cdn\n", to: "\(directory)/cdn")
            try write("two\nlines\n", to: "\(directory)/bad")
            try write("", to: "\(directory)/empty")
            let file = "\(directory)/room.json5"
            try write(
                "\u{FEFF}{ room: 'a', destinations: [ "
                    + "{ name: 'x', uri: 'rtmp://h/app/${credential:cdn}' } ] }", to: file)
            let environment = ConfigurationEnvironment(
                variables: ["CREDENTIALS_DIRECTORY": directory], isRoot: false)
            let configuration = try Configuration.load(file, environment: environment)
            #expect(configuration.destinations.first?.uri.text == "rtmp://h/app/k3y-of-the-cdn")
            #expect(Log.redacted("no k3y-of-the-cdn here") == "no *** here")
            var dump = ""
            Swift.dump(configuration, to: &dump)
            #expect(!dump.contains("k3y") && !"\(configuration)".contains("k3y"))
            for (name, reason) in [
                ("bad", "is not one line"), ("empty", "is not one line"), ("none", "No such file"),
            ] {
                let found = complaints("{ room: '${credential:\(name)}' }", environment.variables)
                #expect(found.count == 1 && found[0].contains(reason))
            }
        }
    }

    @Test("does not blank ordinary words of the log")
    func shortSecrets() throws {
        try withDirectory { directory in
            try write("{ room: 'a', feed: { uri: 'rtmp://h/live/in' } }", to: "\(directory)/room.json5")
            _ = try Configuration.load("\(directory)/room.json5")
            #expect(Log.redacted("in the morning") == "in the morning")
        }
    }

    @Test("puts the control socket where systemd, root or a person can reach it")
    func socket() {
        func place(_ variables: [String: String], isRoot: Bool) -> String {
            ConfigurationEnvironment(variables: variables, isRoot: isRoot).socket(room: "r")
        }
        #expect(place(["RUNTIME_DIRECTORY": "/run/giftd/x"], isRoot: false) == "/run/giftd/x/control.sock")
        #expect(place(["RUNTIME_DIRECTORY": "/run/a:/run/b"], isRoot: false) == "/run/a/control.sock")
        #expect(
            place(["XDG_RUNTIME_DIR": "/run/user/7"], isRoot: false) == "/run/user/7/giftd/r/control.sock")
        #expect(place(["XDG_RUNTIME_DIR": "/run/user/0"], isRoot: true) == "/run/giftd/r/control.sock")
        #expect(place([:], isRoot: false) == "/run/giftd/r/control.sock")
    }

    @Test("reads whole regular files up to a length only")
    func files() throws {
        try withDirectory { directory in
            try write("12345", to: "\(directory)/a")
            #expect(try SmallFile.read("\(directory)/a", limit: 5) == Array("12345".utf8))
            #expect(throws: SmallFile.Failure.self) { try SmallFile.read("\(directory)/a", limit: 4) }
            #expect(throws: SmallFile.Failure.self) { try SmallFile.read(directory, limit: 4) }
            #expect(throws: SmallFile.Failure.self) { try SmallFile.read("/dev/zero", limit: 4) }
        }
    }
}
