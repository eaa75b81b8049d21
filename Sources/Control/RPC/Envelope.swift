/// A request's id: text, a whole number or null.
enum RequestID: Codable, Hashable, Sendable {
    case number(Int)
    case text(String)
    case null

    init(from decoder: any Decoder) throws {
        let box = try decoder.singleValueContainer()
        if box.decodeNil() {
            self = .null
        } else if let number = try? box.decode(Int.self) {
            self = .number(number)
        } else if let text = try? box.decode(String.self) {
            self = .text(text)
        } else {
            throw RPCError(.invalidRequest, "id must be text, a whole number or null")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var box = encoder.singleValueContainer()
        switch self {
        case .number(let number): try box.encode(number)
        case .text(let text): try box.encode(text)
        case .null: try box.encodeNil()
        }
    }
}

enum EnvelopeKeys: String, CodingKey, CaseIterable { case jsonrpc, id, method, params, result, error }

/// An answer; the id is never left out.
struct Answer: Encodable {
    let id: RequestID
    let result: Result<any Encodable & Sendable, RPCError>

    func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: EnvelopeKeys.self)
        try box.encode("2.0", forKey: .jsonrpc)
        try box.encode(id, forKey: .id)
        switch result {
        case .success(let value): try box.encode(value, forKey: .result)
        case .failure(let error): try box.encode(error, forKey: .error)
        }
    }
}

/// A request without an answer, or, from the daemon, an event. With an id it is a client's request.
struct Outgoing<P: Encodable>: Encodable {
    let method: String
    let params: P
    var id: Int?

    func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: EnvelopeKeys.self)
        try box.encode("2.0", forKey: .jsonrpc)
        try box.encodeIfPresent(id, forKey: .id)
        try box.encode(method, forKey: .method)
        try box.encode(params, forKey: .params)
    }
}

extension RPCError {
    /// What a decoder found in the parameters, in a sentence with the field's name.
    init(_ error: any Error) {
        switch error {
        case let error as RPCError: self = error
        case DecodingError.keyNotFound(let key, let context):
            self.init(.invalidParams, "\((context.codingPath + [key]).fieldPath ?? "a field") is missing")
        case DecodingError.typeMismatch(let type, let context):
            self.init(
                .invalidParams, "\(context.codingPath.fieldPath ?? "params") must be \(words(for: type))")
        case DecodingError.valueNotFound(let type, let context):
            self.init(
                .invalidParams,
                "\(context.codingPath.fieldPath ?? "params") must be \(words(for: type)), not null")
        case DecodingError.dataCorrupted(let context):
            let field = context.codingPath.fieldPath.map { $0 + ": " } ?? ""
            self.init(.invalidParams, field + context.debugDescription)
        // Numbers beyond the type are told without a field, by an error of the library's own.
        default: self.init(.invalidParams, "a number is beyond what the field can hold")
        }
    }
}

private func words(for type: any Any.Type) -> String {
    switch type {
    case is String.Type: "text"
    case is Bool.Type: "true or false"
    case is Int.Type: "a whole number"
    case is Double.Type: "a number"
    case is [String: Any].Type: "an object"
    case is [Any].Type: "a list"
    default: "of another type"
    }
}
