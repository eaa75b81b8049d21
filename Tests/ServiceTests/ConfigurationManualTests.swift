import Foundation
import Testing

@testable import Service

/// What the package's own files say about the configuration.
private struct Manual {
    let text: String
    /// With the examples in comments made part of it.
    let complete: String
    /// README's table: key and default.
    let table: [String: String]

    init() throws {
        let root = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardized
        text = try String(contentsOf: root.appending(path: "Config/giftd.json5"), encoding: .utf8)
        complete = text.replacing(/(?m)^( *)\/\/ (\{.*\},|[a-z]+: .*,)$/) { "\($0.1)\($0.2)" }
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let section = readme.split(separator: "## Configuration").last?.split(separator: "\n## ").first ?? ""
        let rows = section.matches(of: /(?m)^\| `([^`]+)` \|([^|]*)\|/)
        let ends = CharacterSet(charactersIn: " `")
        table = Dictionary(
            uniqueKeysWithValues: rows.map { (String($0.1), $0.2.trimmingCharacters(in: ends)) })
    }

    func reading(_ text: String) throws -> (Configuration, ConfigurationReading) {
        try withDirectory { directory in
            try write("s3cret-key\n", to: directory + "/stream_key")
            let environment = ConfigurationEnvironment(
                variables: ["CREDENTIALS_DIRECTORY": directory], isRoot: true)
            return try Configuration.read(Array(text.utf8), file: "giftd.json5", environment: environment)
        }
    }
}

@Suite("Configuration manual")
struct ConfigurationManualTests {
    private func leaves(_ keys: some Collection<String>) -> Set<String> {
        let general = Set(keys.map { $0.replacing(/\[\d+\]/, with: "[]") })
        return general.filter { key in
            !key.isEmpty && !key.hasSuffix("]")
                && !general.contains { $0.hasPrefix(key + ".") || $0.hasPrefix(key + "[") }
        }
    }

    @Test("says the defaults that the parser has")
    func defaults() throws {
        let manual = try Manual()
        #expect(try manual.reading(manual.text).0 == configuration("{ room: 'demo' }"))
    }

    @Test("holds every key, and examples that are good")
    func keys() throws {
        let manual = try Manual()
        let (configuration, reading) = try manual.reading(manual.complete)
        #expect(configuration.destinations.count == 2 && configuration.lanes[0].blend != nil)
        #expect(leaves(reading.known) == leaves(reading.text.places.keys))
        #expect(reading.known.count > 30)
    }

    @Test("agrees with README's table, key by key")
    func table() throws {
        let manual = try Manual()
        let (_, reading) = try manual.reading(manual.complete)
        let text = try ConfigurationText(Array(manual.text.utf8))
        #expect(leaves(reading.known) == Set(manual.table.keys))
        for (key, value) in manual.table where key != "room" {
            let shown = text.source(key.replacing("[]", with: "[0]")) ?? ""
            #expect(shown == value, "\(key)")
        }
    }

    @Test("is refused with a place in it when any of its lines is missing a character")
    func damage() throws {
        let manual = try Manual()
        let bytes = Array(manual.text.utf8)
        let lines = bytes.count { $0 == UInt8(ascii: "\n") }
        for place in stride(from: 0, to: bytes.count, by: 7) {
            var damaged = bytes
            damaged.remove(at: place)
            do throws(ConfigurationError) {
                let environment = ConfigurationEnvironment(variables: [:], isRoot: true)
                _ = try Configuration.read(damaged, file: "giftd.json5", environment: environment)
            } catch {
                #expect(!error.issues.isEmpty)
                #expect(
                    error.issues.allSatisfy { (1...lines + 1).contains($0.line ?? 0) && $0.column ?? 0 > 0 })
                #expect(!error.description.contains("cannot be read"), "\(error)")
            }
        }
    }
}
