/// The address of a feed or a destination, checked: an instance can be opened as far as its text can tell.
///
/// What may be secret (the stream key of RTMP, SRT's passphrase and stream id, a password) is in `text` alone,
/// never in a description or a dump.
package struct StreamURI: Hashable, Sendable {
    package enum Scheme: String, Sendable, CaseIterable {
        case rtmp, srt, file, test
    }

    /// Who of the two ends of an SRT connection calls.
    package enum Mode: String, Sendable {
        case caller, listener
    }

    /// Why a text is no address; says what to write instead and never repeats the text.
    package struct Refusal: Error, Equatable {
        let message: String
    }

    package let scheme: Scheme
    /// As it was written. Holds secrets.
    package let text: String
    /// For people: as it was written, with stars in place of what may be secret.
    package let redacted: String
    /// The parts that `redacted` hides.
    package let secrets: [String]
    /// Of rtmp and srt; empty for an SRT listener on all interfaces. An IPv6 address has no brackets here.
    package let host: String
    /// Of rtmp (1935 when left out) and srt, else 0.
    package let port: Int
    /// Of file: the path, not escaped in any way. Of rtmp: application and stream key.
    package let path: String
    /// Of srt. Values as they were written.
    package let query: [String: String]

    /// Of srt: what `mode=` says, else `caller`.
    package var mode: Mode { query["mode"].flatMap(Mode.init) ?? .caller }

    package init(_ text: String) throws(Refusal) {
        let least: UInt8 = text.hasPrefix("file:") ? 0x20 : 0x21
        guard text.utf8.allSatisfy({ $0 >= least && $0 != 0x7F }) else {
            throw Refusal(message: "an address holds no spaces or control characters")
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let scheme = Scheme(rawValue: String(parts[0])) else {
            throw Refusal(message: "wants an address that begins with rtmp:// srt:// file: or test:")
        }
        self.scheme = scheme
        self.text = text
        let rest = parts[1]
        var address = Address()
        switch scheme {
        case .test:
            guard rest.isEmpty else { throw Refusal(message: "\"test:\" takes nothing behind the colon") }
        case .file: address = try Self.file(rest)
        case .rtmp: address = try Self.rtmp(rest)
        case .srt: address = try Self.srt(rest)
        }
        (host, port, path) = (address.host, address.port, address.path)
        query = Dictionary(address.query) { first, _ in first }
        secrets = address.secrets
        redacted = "\(scheme.rawValue):\(address.shown)"
    }

    /// The built-in test picture and tone.
    package static let test = StreamURI()

    private init() {
        (scheme, text, redacted, host, path) = (.test, "test:", "test:", "", "")
        (port, query, secrets) = (0, [:], [])
    }

    /// An address while it is taken apart.
    private struct Address {
        var host = "", port = 0, path = ""
        var query: [(String, String)] = []
        var secrets: [String] = []
        /// What stands behind the scheme's colon, with stars in place of secrets.
        var shown = ""
    }
}

// MARK: The schemes

extension StreamURI {
    /// `file:/a/path`, `file:///a/path` or `file:a/path` below the working directory.
    private static func file(_ rest: Substring) throws(Refusal) -> Address {
        let path = rest.hasPrefix("//") ? rest.dropFirst(2) : rest
        guard !rest.hasPrefix("//") || path.hasPrefix("/") else {
            throw Refusal(message: "a file is on this machine: write file:/path or file:///path")
        }
        guard !path.isEmpty, !path.hasSuffix("/") else { throw Refusal(message: "\"file:\" wants a path") }
        return Address(path: String(path), shown: String(rest))
    }

    /// `//host[:port]/application/key`; the key may hold more slashes and a query.
    private static func rtmp(_ rest: Substring) throws(Refusal) -> Address {
        let (authority, path) = try authority(rest)
        var address = try endpoint(authority, defaultPort: 1935)
        let application = path.prefix { $0 != "/" && $0 != "?" }
        let key = path.dropFirst(application.count + 1)
        guard !address.host.isEmpty, !application.isEmpty, !key.isEmpty else {
            throw Refusal(message: "wants rtmp://host/application/key: a part is missing")
        }
        address.path = String(path)
        // Servers see the last name and the query; both may be logged alone.
        let name = key.prefix { $0 != "?" }.split(separator: "/").last ?? ""
        address.secrets += [String(key), String(name), String(key.drop { $0 != "?" }.dropFirst())]
        address.shown += "/\(application)/***"
        return address
    }

    /// `//host:port[?name=value&…]`
    private static func srt(_ rest: Substring) throws(Refusal) -> Address {
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let (authority, path) = try authority(parts[0])
        guard path.isEmpty else { throw Refusal(message: "wants srt://host:port?name=value: no path") }
        var address = try endpoint(authority, defaultPort: 0)
        guard address.port > 0 else { throw Refusal(message: "wants srt://host:port: the port is missing") }
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, !sides[0].isEmpty else {
                throw Refusal(message: "wants name=value pairs after \"?\"")
            }
            try add(String(sides[0]), String(sides[1]), to: &address)
        }
        guard !address.host.isEmpty || address.query.contains(where: { $0 == ("mode", "listener") }) else {
            throw Refusal(message: "without a host an SRT address wants ?mode=listener")
        }
        return address
    }

    /// Takes one parameter of an SRT address; names that nobody here knows pass.
    private static func add(_ name: String, _ value: String, to address: inout Address) throws(Refusal) {
        guard !address.query.contains(where: { $0.0 == name }) else {
            throw Refusal(message: "the parameter \(name.prefix(24)) is given twice")
        }
        guard name != "mode" || Mode(rawValue: value) != nil else {
            throw Refusal(message: "mode wants caller or listener")
        }
        guard name != "passphrase" || (10...79).contains(value.utf8.count) else {
            throw Refusal(message: "passphrase wants 10 to 79 characters")
        }
        let isSecret = name == "passphrase" || name == "streamid"
        if isSecret { address.secrets.append(value) }
        address.shown += "\(address.query.isEmpty ? "?" : "&")\(name)=\(isSecret ? "***" : value)"
        address.query.append((name, value))
    }

    /// Splits `//authority/path`; the path without its first slash.
    private static func authority(_ rest: Substring) throws(Refusal) -> (Substring, Substring) {
        guard rest.hasPrefix("//") else { throw Refusal(message: "wants \"//\" and a host behind the colon") }
        let body = rest.dropFirst(2)
        let host = body.prefix { $0 != "/" }
        return (host, body.dropFirst(host.count + 1))
    }

    /// `[user:password@]host[:port]`, `[::1]:port`.
    private static func endpoint(_ text: Substring, defaultPort: Int) throws(Refusal) -> Address {
        let sign = text.lastIndex(of: "@")
        let place = sign.map { text[text.index(after: $0)...] } ?? text
        let person = sign.map { text[..<$0] } ?? ""
        guard let (host, port) = HostPort.split(place, defaultPort: defaultPort) else {
            throw Refusal(message: "host or port cannot be read: wants host:port with a port of 1 to 65535")
        }
        var address = Address(host: host, port: port)
        address.secrets = person.split(separator: ":", maxSplits: 1).dropFirst().map(String.init)
        let user = person.prefix { $0 != ":" }
        address.shown = "//\(user)\(address.secrets.isEmpty ? "" : ":***")\(sign == nil ? "" : "@")\(place)"
        return address
    }
}

extension StreamURI: CustomStringConvertible, CustomReflectable {
    package var description: String { redacted }

    package var customMirror: Mirror { Mirror(self, children: ["redacted": redacted]) }
}

/// `host:port` as people write it.
enum HostPort {
    /// Nil when the text is neither host nor `host:port`, or the port is none. An IPv6 host wants brackets.
    static func split(_ text: Substring, defaultPort: Int) -> (host: String, port: Int)? {
        let isBracketed = text.hasPrefix("[")
        let host = isBracketed ? text.dropFirst().prefix { $0 != "]" } : text.prefix { $0 != ":" }
        let rest = text.dropFirst(host.count + (isBracketed ? 2 : 0))
        let isClosed = !isBracketed || text.dropFirst(1 + host.count).hasPrefix("]")
        let allowed = isBracketed ? ":.%" : ".-_*"
        guard isClosed,
            host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || allowed.contains($0) })
        else { return nil }
        guard !rest.isEmpty else { return (String(host), defaultPort) }
        guard rest.hasPrefix(":"), rest.dropFirst().allSatisfy({ ("0"..."9").contains($0) }),
            let port = Int(rest.dropFirst()), (1...65535).contains(port)
        else { return nil }
        return (String(host), port)
    }
}
