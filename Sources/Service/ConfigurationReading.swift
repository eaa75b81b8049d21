internal import Basics
import FoundationEssentials

/// One thing that is wrong with a configuration.
package struct ConfigurationIssue: Error, Equatable, Sendable, CustomStringConvertible {
    package let file: String
    /// From 1; nil when the file itself cannot be read.
    package let line, column: Int?
    package let key: String
    package let message: String

    package var description: String {
        let place = line.flatMap { line in column.map { "\(file):\(line):\($0)" } } ?? file
        return key.isEmpty ? "\(place): \(message)" : "\(place): \(key): \(message)"
    }
}

/// Everything that is wrong with a configuration, in the order of the file, one line each.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    package let issues: [ConfigurationIssue]

    package var description: String { issues.map(\.description).joined(separator: "\n") }
}

/// What the sections share while they are decoded: they note what is wrong and go on with the default, so that
/// one reading finds all mistakes. Used by one thread.
package final class ConfigurationReading {
    let file: String
    let text: ConfigurationText
    let environment: ConfigurationEnvironment
    private(set) var issues: [ConfigurationIssue] = []
    /// Credentials and secret parts of addresses that were read.
    var secrets: [String] = []
    /// The path of every key that a section of this file may hold.
    private(set) var known: Set<String> = []

    init(file: String, text: ConfigurationText, environment: ConfigurationEnvironment) {
        self.file = file
        self.text = text
        self.environment = environment
    }

    /// Notes what is wrong with a key; a key that is not there is reported where its section begins.
    func note(_ key: String, _ message: String) {
        var (path, place) = (key[...], text.places[key])
        while place == nil, !path.isEmpty {
            path = path[..<(path.lastIndex { $0 == "." || $0 == "[" } ?? path.startIndex)]
            place = text.places[String(path)]
        }
        let (line, column) = text.position(place?.offset ?? 0)
        issues.append(ConfigurationIssue(file: file, line: line, column: column, key: key, message: message))
    }

    /// A section that is read tells its keys.
    func know(_ key: String) { known.insert(key) }

    /// What stands at a key, for a message: never the content of a text, which may be secret.
    func found(_ key: String) -> String {
        let source = text.source(key) ?? ""
        switch source.first {
        case "{": return "an object"
        case "[": return "a list"
        case "\"", "'": return "a text"
        default: return String(source.prefix(24))
        }
    }

    /// `destinations[1].uri`
    static func path(_ path: [any CodingKey]) -> String {
        path.reduce("") { done, key in
            if let index = key.intValue { return "\(done)[\(index)]" }
            return done.isEmpty ? key.stringValue : "\(done).\(key.stringValue)"
        }
    }
}

/// One object of the configuration while it is decoded. Making it reports keys that are not in `Key`.
struct ConfigurationSection<Key: CodingKey & CaseIterable> {
    let reading: ConfigurationReading
    private let container: KeyedDecodingContainer<Key>
    private let path: String

    init(_ decoder: any Decoder, _ reading: ConfigurationReading) throws {
        self.reading = reading
        path = ConfigurationReading.path(decoder.codingPath)
        container = try decoder.container(keyedBy: Key.self)
        let names = Key.allCases.map(\.stringValue)
        for name in names { reading.know(path.isEmpty ? name : "\(path).\(name)") }
        for key in try decoder.container(keyedBy: AnyKey.self).allKeys where !names.contains(key.stringValue)
        {
            let near = Spelling.suggestion(for: key.stringValue, among: names)
            let help =
                near.map { ", did you mean \"\($0)\"?" } ?? "; known here: \(names.joined(separator: ", "))"
            reading.note(path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)", "unknown key\(help)")
        }
    }

    /// The key's path in the file, as messages say it.
    func name(_ key: Key) -> String { path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)" }

    /// Notes what is wrong with a key of this section.
    func note(_ key: Key, _ message: String) { reading.note(name(key), message) }

    func has(_ key: Key) -> Bool { container.contains(key) }

    /// A value of `wanted` kind, or nil after a note; nil without a note when the key is absent.
    func value<Value: DecodableWithConfiguration>(
        _ key: Key, _ type: Value.Type, wanted: String
    ) -> Value? where Value.DecodingConfiguration == ConfigurationReading {
        read(key, wanted: wanted) { try container.decode(type, forKey: key, configuration: reading) }
    }

    /// A number within limits, or nil: absent, or noted.
    func number(_ key: Key, in range: ClosedRange<Double>, unit: String) -> Double? {
        let wanted = "a number of \(Self.short(range.lowerBound)) to \(Self.short(range.upperBound)) \(unit)"
        return limited(
            read(key, wanted: wanted) { try container.decode(Double.self, forKey: key) }, range, key, wanted)
    }

    /// A whole number within limits, or nil: absent, or noted. `1e6` and `0x10` are whole numbers too.
    func integer(_ key: Key, in range: ClosedRange<Int>, unit: String) -> Int? {
        let wanted = "a whole number of \(range.lowerBound) to \(range.upperBound) \(unit)"
        // As a Double: the decoder has no place in the file for 1.5 where it wants an Int.
        let number = read(key, wanted: wanted) { try container.decode(Double.self, forKey: key) }
        let whole = number.flatMap { Int(exactly: $0) }
        if number != nil, whole == nil {
            reading.note(name(key), "wants \(wanted), found \(reading.found(name(key)))")
        }
        return limited(whole, range, key, wanted)
    }

    /// A text with `${…}` put in.
    func text(_ key: Key) -> String? {
        guard let raw = read(key, wanted: "a text", { try container.decode(String.self, forKey: key) }) else {
            return nil
        }
        do {
            return try reading.environment.expand(raw, secrets: &reading.secrets)
        } catch {
            note(key, error.message)
            return nil
        }
    }

    /// One of a few names, or nil: absent, or noted with the nearest name.
    func choice<Value: RawRepresentable & CaseIterable>(_ key: Key, _ type: Value.Type) -> Value?
    where Value.RawValue == String {
        guard let text = text(key) else { return nil }
        if let value = Value(rawValue: text) { return value }
        let near = Spelling.suggestion(for: text, among: Value.allCases.map(\.rawValue))
        note(key, "wants one of \(Self.list(type))" + (near.map { ", did you mean \"\($0)\"?" } ?? ""))
        return nil
    }

    /// A name, which has to be there.
    func identifier(_ key: Key) -> String {
        guard has(key) else {
            note(key, "is missing")
            return ""
        }
        guard let name = text(key) else { return "" }
        if !ConfigurationName.isValid(name) { note(key, ConfigurationName.rule) }
        return name
    }

    /// An address that can be opened, or nil: absent, or noted without repeating it.
    func address(_ key: Key) -> StreamURI? {
        guard let text = text(key) else { return nil }
        do {
            let address = try StreamURI(text)
            reading.secrets += address.secrets
            return address
        } catch {
            note(key, error.message)
            return nil
        }
    }

    /// Runs `decode` when the key is there and turns its error into a note.
    private func read<Value>(_ key: Key, wanted: String, _ decode: () throws -> Value) -> Value? {
        guard container.contains(key) else { return nil }
        do {
            return try decode()
        } catch DecodingError.typeMismatch(_, let context) {
            let place = ConfigurationReading.path(context.codingPath)
            reading.note(
                place, "wants \(place == name(key) ? wanted : "an object"), found \(reading.found(place))")
        } catch {
            note(key, "wants \(wanted), found \(reading.found(name(key)))")
        }
        return nil
    }

    /// The value, or nil after a note when it is outside.
    private func limited<Value: Comparable>(
        _ value: Value?, _ range: ClosedRange<Value>, _ key: Key, _ wanted: String
    ) -> Value? {
        guard let value, !range.contains(value) else { return value }
        note(key, "wants \(wanted), found \(reading.found(name(key)))")
        return nil
    }

    static func list<Value: RawRepresentable & CaseIterable>(_ type: Value.Type) -> String
    where Value.RawValue == String {
        Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " ")
    }

    private static func short(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }
}

/// A key as it came, known or not.
private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension ConfigurationSection {
    /// Whether the value is written as a text.
    func isText(_ key: Key) -> Bool { reading.found(name(key)) == "a text" }

    /// Notes a null, for readers to whom it is the same as an absent key.
    func refuseNull(_ key: Key) {
        if reading.found(name(key)) == "null" { note(key, "wants a value, found null") }
    }

    /// Notes every item of the list `key` whose `member` equals that of one before it.
    func noteRepeats<Value: Hashable>(_ key: Key, _ member: String, _ values: [Value]) {
        var seen: [Value: Int] = [:]
        for (index, value) in values.enumerated() {
            if let first = seen[value] {
                reading.note("\(name(key))[\(index)]\(member)", "the same as in \(name(key))[\(first)]")
            } else {
                seen[value] = index
            }
        }
    }
}
