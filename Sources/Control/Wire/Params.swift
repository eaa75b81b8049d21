/// The parameters of a method. Every field is named in `CodingKeys`: one that is not is refused by name, so
/// that nobody pays for something that is silently left out.
package protocol Params: Codable, Hashable, Sendable {
    associatedtype CodingKeys: CodingKey & CaseIterable

    /// Refuses values that the types allow and the method does not.
    func validate() throws(RPCError)
}

extension Params {
    package func validate() throws(RPCError) {}
}

/// For methods without parameters.
package struct NoParams: Params {
    package enum CodingKeys: CodingKey, CaseIterable {}

    package init() {}
    package init(from decoder: any Decoder) throws {}
    package func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: CodingKeys.self) }
}

/// Decodes parameters strictly.
struct Strict<P: Params>: Decodable {
    let params: P

    init(from decoder: any Decoder) throws {
        try decoder.refuseUnknown(P.CodingKeys.self)
        params = try P(from: decoder)
        try params.validate()
    }
}

extension Decoder {
    /// Refuses fields that `keys` does not list.
    func refuseUnknown<Keys: CodingKey & CaseIterable>(_ keys: Keys.Type) throws {
        let known = keys.allCases.map(\.stringValue)
        let given = try container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
        guard let unknown = given.sorted().first(where: { !known.contains($0) }) else { return }
        let path = codingPath.fieldPath.map { $0 + "." } ?? ""
        let offer = known.isEmpty ? "there are none" : "known are " + known.joined(separator: ", ")
        throw RPCError(.invalidParams, "unknown field \"\(path)\(unknown)\": \(offer)")
    }
}

extension [any CodingKey] {
    /// `place.offset.x`, without the envelope's own `params`; nil when nothing is left.
    var fieldPath: String? {
        let fields = map { $0.intValue.map { "\($0)" } ?? $0.stringValue }
        let path = (fields.first == "params" ? fields.dropFirst() : fields[...]).joined(separator: ".")
        return path.isEmpty ? nil : path
    }
}

/// A key of any name.
struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// Checks that fields of several methods share.
enum Check {
    /// A name: 1 to `limit` bytes, no control characters.
    static func name(_ text: String?, _ field: String, limit: Int = 256) throws(RPCError) {
        guard let text else { return }
        guard !text.isEmpty, text.utf8.count <= limit else {
            throw RPCError(
                .invalidParams, "\(field) must have 1 to \(limit) bytes, it has \(text.utf8.count)")
        }
        guard !text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else {
            throw RPCError(.invalidParams, "\(field) must not contain control characters")
        }
    }

    static func range<T: Comparable>(_ value: T?, _ field: String, _ range: ClosedRange<T>) throws(RPCError) {
        guard let value, !range.contains(value) else { return }
        throw RPCError(
            .invalidParams, "\(field) must be \(range.lowerBound) to \(range.upperBound), it is \(value)")
    }
}
