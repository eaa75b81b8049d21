internal import FoundationEssentials

/// Values for programs: one line of JSON, keys in alphabetical order.
enum JSONLine {
    static let option = "--json"

    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
