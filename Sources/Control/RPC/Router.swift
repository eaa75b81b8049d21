package import Basics
internal import FoundationEssentials

/// Who asks, and since when.
package struct RequestContext: Sendable {
    /// When the request's line was read from its socket: the gift's latency starts here.
    package let receivedAt: Nanoseconds
    package let peer: Peer
}

/// The methods, and the way from the bytes of a request to those of its answer. Serves every door.
@ControlPlane package final class Router {
    fileprivate typealias Call =
        @Sendable @ControlPlane (RequestContext) async throws -> any Encodable & Sendable

    /// A method with its types taken away: reads its parameters (nil: none are given) and waits to be called.
    fileprivate struct Method: Sendable {
        let bind: @Sendable ((any Decoder)?) throws -> Call
    }

    private var methods: [String: Method] = [:]
    private let decoder = JSONDecoder()
    private let encoder = JSONEncoder()

    package init() {
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    }

    /// Adds a method. What `body` throws becomes the answer: an `RPCError` as it is, anything else as an
    /// internal error.
    package func on<P: Params, R: Encodable & Sendable>(
        _ method: String,
        _ body: @escaping @Sendable @ControlPlane (P, RequestContext) async throws -> R
    ) {
        methods[method] = Method { decoder in
            let params =
                try decoder.map { try Strict<P>(from: $0) }
                ?? JSONDecoder().decode(Strict<P>.self, from: Data("{}".utf8))
            return { context in try await body(params.params, context) }
        }
    }

    /// The answer to one request, without a line end; nil for notifications. Never throws and never traps,
    /// whatever the bytes are. Their length is the door's business.
    package func answer(_ text: [UInt8], _ context: RequestContext) async -> [UInt8]? {
        let request: Request
        do {
            request = try read(text)
        } catch {
            return encode(Answer(id: .null, result: .failure(error)))
        }
        let result = await run(request, context)
        return request.id.flatMap { encode(Answer(id: $0, result: result)) }
    }

    /// The answer that refuses a request without looking at its method; nil for notifications.
    package func refusal(of text: [UInt8], _ error: RPCError) -> [UInt8]? {
        guard let request = try? read(text) else { return refusal(error) }
        return request.id.flatMap { encode(Answer(id: $0, result: .failure(error))) }
    }

    /// The answer to what is no request at all.
    package func refusal(_ error: RPCError) -> [UInt8]? {
        encode(Answer(id: .null, result: .failure(error)))
    }

    /// An event's notification.
    package func notification<E: Event>(_ event: E) -> [UInt8]? {
        encode(Outgoing(method: E.name, params: event))
    }

    private func read(_ text: [UInt8]) throws(RPCError) -> Request {
        try TextGuard.check(text)
        do {
            decoder.userInfo = [Request.methods: methods]
            return try decoder.decode(Request.self, from: Data(text))
        } catch let error as RPCError {
            throw error
        } catch {
            throw RPCError(.parseError, "the line is not valid JSON")
        }
    }

    private func run(
        _ request: Request, _ context: RequestContext
    ) async -> Result<any Encodable & Sendable, RPCError> {
        do {
            return .success(try await request.call.get()(context))
        } catch let error as RPCError {
            return .failure(error)
        } catch {
            Log.error("control: \(request.method): \(error)")
            return .failure(RPCError(.internalError, Log.redacted("\(request.method) failed: \(error)")))
        }
    }

    private func encode(_ value: some Encodable) -> [UInt8]? {
        do {
            return Array(try encoder.encode(value))
        } catch {
            Log.error("control: an answer cannot be encoded: \(error)")
            guard let answer = value as? Answer, case .success = answer.result else { return nil }
            let error = RPCError(.internalError, "the answer cannot be written as JSON")
            return encode(Answer(id: answer.id, result: .failure(error)))
        }
    }
}

/// One request, read in one pass: the method picks the type of the parameters. Trouble with the method or the
/// parameters is kept, as it is answered under the request's id.
private struct Request: Decodable {
    static let methods = methodsKey()

    let id: RequestID?
    let method: String
    let call: Result<Router.Call, RPCError>

    init(from decoder: any Decoder) throws {
        guard let box = try? decoder.container(keyedBy: EnvelopeKeys.self) else {
            throw RPCError(.invalidRequest, "a request is an object")
        }
        guard (try? box.decode(String.self, forKey: .jsonrpc)) == "2.0" else {
            throw RPCError(.invalidRequest, "jsonrpc must be \"2.0\"")
        }
        id = box.contains(.id) ? try box.decode(RequestID.self, forKey: .id) : nil
        guard let method = try? box.decode(String.self, forKey: .method) else {
            throw RPCError(.invalidRequest, "method must be text")
        }
        self.method = method
        let methods = decoder.userInfo[Self.methods] as? [String: Router.Method] ?? [:]
        guard let found = methods[method] else {
            let names = methods.keys.sorted().joined(separator: ", ")
            call = .failure(RPCError(.unknownMethod, "there is no method \"\(method)\": there are \(names)"))
            return
        }
        do {
            let params = box.contains(.params) ? try box.superDecoder(forKey: .params) : nil
            call = .success(try found.bind(params))
        } catch {
            call = .failure(RPCError(error))
        }
    }

    private static func methodsKey() -> CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: "methods") else { preconditionFailure("no key") }
        return key
    }
}
