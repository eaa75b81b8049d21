/// What went wrong, in one word that programs may rely on, with its JSON-RPC code.
package struct ErrorKind: Hashable, Sendable {
    package let name: String
    package let code: Int

    package init(_ name: String, code: Int) {
        self.name = name
        self.code = code
    }

    // JSON-RPC's own.
    package static let parseError = ErrorKind("parseError", code: -32700)
    package static let invalidRequest = ErrorKind("invalidRequest", code: -32600)
    package static let batchUnsupported = ErrorKind("batchUnsupported", code: -32600)
    package static let unknownMethod = ErrorKind("unknownMethod", code: -32601)
    package static let invalidParams = ErrorKind("invalidParams", code: -32602)
    package static let internalError = ErrorKind("internalError", code: -32603)

    // The doors'.
    package static let tooLong = ErrorKind("tooLong", code: -32001)
    package static let tooDeep = ErrorKind("tooDeep", code: -32002)
    package static let rateLimited = ErrorKind("rateLimited", code: -32003)
    package static let tooManyClients = ErrorKind("tooManyClients", code: -32004)
    package static let stopping = ErrorKind("stopping", code: -32005)

    // The room's.
    package static let unknownGift = ErrorKind("unknownGift", code: 1001)
    package static let invalidVideo = ErrorKind("invalidVideo", code: 1002)
    package static let queueFull = ErrorKind("queueFull", code: 1003)
    package static let expired = ErrorKind("expired", code: 1004)
    package static let unknownLane = ErrorKind("unknownLane", code: 1005)
    package static let unknownID = ErrorKind("unknownId", code: 1006)
    package static let alreadyEnded = ErrorKind("alreadyEnded", code: 1007)
    package static let forbidden = ErrorKind("forbidden", code: 1008)
}

/// A refusal: a kind for programs and one sentence that a person can act on.
package struct RPCError: Error, Hashable, Sendable, CustomStringConvertible {
    package let kind: ErrorKind
    package let message: String

    package init(_ kind: ErrorKind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { "\(kind.name): \(message)" }
}

extension RPCError: Codable {
    private enum CodingKeys: String, CodingKey { case code, message, data }
    private struct Details: Codable { let kind: String }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        let details = try box.decodeIfPresent(Details.self, forKey: .data)
        kind = ErrorKind(details?.kind ?? "unknown", code: try box.decode(Int.self, forKey: .code))
        message = try box.decode(String.self, forKey: .message)
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encode(kind.code, forKey: .code)
        try box.encode(message, forKey: .message)
        try box.encode(Details(kind: kind.name), forKey: .data)
    }
}
