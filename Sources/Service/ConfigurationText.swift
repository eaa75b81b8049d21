/// A configuration's text, walked once: its JSON5 syntax is checked with positions, and the place of every key
/// and item is kept for messages about their values.
///
/// What passes here, FoundationEssentials' decoder reads too, with the same meaning. Refused besides what JSON5
/// refuses: a key given twice, NaN and infinities, escapes in keys, continued lines, nesting beyond 32.
struct ConfigurationText {
    /// Something wrong at a byte of the text; `key` is the path of the value it is in.
    struct Problem: Error {
        let offset: Int
        let key: String
        let message: String
    }

    /// Where a member of an object or an item of a list stands.
    struct Place {
        /// Of the key, or of the item itself.
        let offset: Int
        let value: Range<Int>
    }

    static let maximumDepth = 32

    let bytes: [UInt8]
    /// By path: `destinations[1].uri`. The whole document is the empty path.
    private(set) var places: [String: Place] = [:]
    private var at = 0

    init(_ bytes: [UInt8]) throws(Problem) {
        self.bytes = bytes
        try skipSpace()
        guard byte == UInt8(ascii: "{") else { throw wrong("", "wants \"{\", found \(found)") }
        places[""] = Place(offset: at, value: try value("", depth: 1))
        try skipSpace()
        guard at == bytes.count else { throw wrong("", "wants nothing after the last \"}\", found \(found)") }
    }

    /// Line and column of a byte, both from 1; columns count characters as editors do.
    func position(_ offset: Int) -> (line: Int, column: Int) { Self.position(offset, in: bytes) }

    static func position(_ offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
        let before = bytes[..<min(offset, bytes.count)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return (line, before[start...].count { $0 & 0xC0 != 0x80 } + 1)
    }

    /// Where the first byte stands that is not UTF-8, or NUL; nil when there is none.
    static func firstInvalid(_ bytes: [UInt8]) -> Int? {
        guard String(validating: bytes, as: UTF8.self) == nil || bytes.contains(0) else { return nil }
        var (decoder, at, iterator) = (UTF8(), 0, bytes.makeIterator())
        while case .scalarValue(let scalar) = decoder.decode(&iterator), scalar.value != 0 {
            at += UTF8.width(scalar)
        }
        return at
    }

    /// The text of a value as it was written.
    func source(_ key: String) -> String? {
        places[key].map { String(decoding: bytes[$0.value], as: UTF8.self) }
    }

    private var byte: UInt8? { at < bytes.count ? bytes[at] : nil }

    /// What stands at the current place, for a message.
    private var found: String {
        guard let byte else { return "the end of the file" }
        guard Self.isWord(byte) else {
            return "\"\(String(decoding: bytes[at...], as: UTF8.self).prefix(1))\""
        }
        return "\"\(String(decoding: bytes[at...].prefix(24).prefix(while: Self.isWord), as: UTF8.self))\""
    }

    private func wrong(_ key: String, _ message: String, at offset: Int? = nil) -> Problem {
        Problem(offset: offset ?? at, key: key, message: message)
    }

    static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
}

// MARK: Values

extension ConfigurationText {
    /// Walks one value and answers the bytes that it takes.
    private mutating func value(_ key: String, depth: Int) throws(Problem) -> Range<Int> {
        let start = at
        guard depth <= Self.maximumDepth else {
            throw wrong(key, "more than \(Self.maximumDepth) brackets inside one another")
        }
        switch byte {
        case UInt8(ascii: "{"): try object(key, depth: depth)
        case UInt8(ascii: "["): try list(key, depth: depth)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): try text(key)
        case let byte? where Self.isDigit(byte) || "+-.".utf8.contains(byte): try number(key)
        case let byte? where Self.isWord(byte): try literal(key)
        default: throw wrong(key, "wants a value, found \(found)")
        }
        return start..<at
    }

    /// The members of an object; the opening bracket stands next.
    private mutating func object(_ key: String, depth: Int) throws(Problem) {
        let open = at
        at += 1
        while try !closes("}", of: key, open: open) {
            let (offset, name) = (at, try name(key))
            let path = key.isEmpty ? name : "\(key).\(name)"
            if let first = places[path] {
                let (line, column) = position(first.offset)
                throw wrong(path, "given twice, first at \(line):\(column)", at: offset)
            }
            try skipSpace()
            guard byte == UInt8(ascii: ":") else {
                throw wrong(path, "wants \":\" after the key, found \(found)")
            }
            at += 1
            try skipSpace()
            places[path] = Place(offset: offset, value: try value(path, depth: depth + 1))
            try separate("}", of: key, open: open)
        }
    }

    /// The items of a list; the opening bracket stands next.
    private mutating func list(_ key: String, depth: Int) throws(Problem) {
        let open = at
        at += 1
        var count = 0
        while try !closes("]", of: key, open: open) {
            let (offset, path) = (at, "\(key)[\(count)]")
            places[path] = Place(offset: offset, value: try value(path, depth: depth + 1))
            count += 1
            try separate("]", of: key, open: open)
        }
    }

    /// Whether the closing bracket stands next; takes it then.
    private mutating func closes(
        _ bracket: Unicode.Scalar, of key: String, open: Int
    ) throws(Problem) -> Bool {
        try skipSpace()
        guard let byte else { throw unclosed(key, open) }
        guard byte == UInt8(ascii: bracket) else { return false }
        at += 1
        return true
    }

    /// Takes the comma after a member; a closing bracket may stand in its place.
    private mutating func separate(_ bracket: Unicode.Scalar, of key: String, open: Int) throws(Problem) {
        try skipSpace()
        guard let byte else { throw unclosed(key, open) }
        if byte == UInt8(ascii: ",") {
            at += 1
        } else if byte != UInt8(ascii: bracket) {
            throw wrong(key, "wants \",\" or \"\(bracket)\", found \(found)")
        }
    }

    private func unclosed(_ key: String, _ open: Int) -> Problem {
        wrong(key, "\"\(Character(Unicode.Scalar(bytes[open])))\" is never closed", at: open)
    }

    /// A key, quoted or not.
    private mutating func name(_ key: String) throws(Problem) -> String {
        let start = at
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            try text(key)
            let inner = bytes[(start + 1)..<(at - 1)]
            guard !inner.isEmpty, !inner.contains(UInt8(ascii: "\\")) else {
                throw wrong(key, "a key is written without escapes and is not empty", at: start)
            }
            return String(decoding: inner, as: UTF8.self)
        }
        while let byte, Self.isWord(byte) { at += 1 }
        guard at > start, !Self.isDigit(bytes[start]) else {
            at = start
            throw wrong(key, "wants a key, found \(found)")
        }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }
}

// MARK: Words and space

extension ConfigurationText {
    /// true, false, null. Any other bare word is a text that lacks its quotes.
    private mutating func literal(_ key: String) throws(Problem) {
        let start = at
        while let byte, Self.isWord(byte) { at += 1 }
        let word = String(decoding: bytes[start..<at], as: UTF8.self)
        if ["true", "false", "null"].contains(word) { return }
        guard !["NaN", "Infinity"].contains(word) else {
            throw wrong(key, "\(word) has no meaning here", at: start)
        }
        throw wrong(key, "text wants quotes: \"\(word.prefix(24))\"", at: start)
    }

    /// Spaces, line ends and comments.
    private mutating func skipSpace() throws(Problem) {
        while let byte {
            if [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
                at += 1
            } else if byte == UInt8(ascii: "/") {
                try skipComment()
            } else {
                return
            }
        }
    }

    /// To the end of the line, or to `*/`. A lone carriage return ends a line, as it does for the decoder.
    private mutating func skipComment() throws(Problem) {
        let start = at
        switch at + 1 < bytes.count ? bytes[at + 1] : 0 {
        case UInt8(ascii: "/"):
            while let byte, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") { at += 1 }
        case UInt8(ascii: "*"):
            at += 2
            while at + 1 < bytes.count, (bytes[at], bytes[at + 1]) != (UInt8(ascii: "*"), UInt8(ascii: "/")) {
                at += 1
            }
            guard at + 1 < bytes.count else { throw wrong("", "\"/*\" is never closed", at: start) }
            at += 2
        default:
            throw wrong("", "wants \"//\" or \"/*\" for a comment, found \"/\"")
        }
    }
}

// MARK: Texts and numbers

extension ConfigurationText {
    /// A text in either kind of quotes, on one line.
    private mutating func text(_ key: String) throws(Problem) {
        let (start, quote) = (at, byte)
        at += 1
        while let byte, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
            if byte == quote {
                at += 1
                return
            }
            if byte == UInt8(ascii: "\\") {
                try escape(key)
            } else if byte < 0x20 {
                throw wrong(key, "a control character inside a text, write it as \\t or \\u00…")
            } else {
                at += 1
            }
        }
        throw wrong(key, "the text is not closed on its line", at: start)
    }

    /// One escape. Those that JSON5 allows and the decoder refuses or reads otherwise are refused.
    private mutating func escape(_ key: String) throws(Problem) {
        let next = at + 1 < bytes.count ? bytes[at + 1] : 0
        guard next == UInt8(ascii: "u") else {
            guard "\"'\\/bfnrt".utf8.contains(next) else {
                throw wrong(key, "an escape that is none of \\\" \\' \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")
            }
            at += 2
            return
        }
        let start = at
        let unit = try unicodeEscape(key)
        switch unit {
        case 0: throw wrong(key, "a text holds no \\u0000", at: start)
        case 0xD800..<0xDC00:
            let isPair =
                byte == UInt8(ascii: "\\") ? (0xDC00..<0xE000).contains(try unicodeEscape(key)) : false
            guard isPair else { throw wrong(key, "half of a \\u pair", at: start) }
        case 0xDC00..<0xE000: throw wrong(key, "half of a \\u pair", at: start)
        default: break
        }
    }

    /// `\uXXXX`.
    private mutating func unicodeEscape(_ key: String) throws(Problem) -> Int {
        let digits = bytes[min(at + 2, bytes.count)...].prefix(4)
        guard at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "u"), digits.count == 4,
            digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw wrong(key, "wants \\u and four hexadecimal digits") }
        at += 6
        return unit
    }

    /// Everything that could belong to a number is taken first, so that a message shows all of it.
    private mutating func number(_ key: String) throws(Problem) {
        let start = at
        while let byte, Self.isWord(byte) || byte == UInt8(ascii: ".") || isSign(byte, from: start) {
            at += 1
        }
        let word = String(decoding: bytes[start..<at], as: UTF8.self)
        guard Self.isNumber(word) else { throw wrong(key, "\"\(word.prefix(24))\" is no number", at: start) }
    }

    /// A sign belongs to a number at its start and behind an exponent's e.
    private func isSign(_ byte: UInt8, from start: Int) -> Bool {
        guard byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") else { return false }
        return at == start || bytes[at - 1] | 0x20 == UInt8(ascii: "e")
    }

    /// JSON5's numbers that a Double holds: decimal with an optional fraction and exponent, or hexadecimal.
    private static func isNumber(_ word: String) -> Bool {
        var digits = word[...]
        if let sign = digits.first, "+-".contains(sign) { digits.removeFirst() }
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            return (3...14).contains(digits.count) && digits.dropFirst(2).allSatisfy(\.isHexDigit)
        }
        let mantissa = digits.prefix { !"eE".contains($0) }
        let parts = mantissa.split(separator: ".", omittingEmptySubsequences: false)
        let exponent = digits.dropFirst(mantissa.count)
        guard parts.count <= 2, !parts.allSatisfy(\.isEmpty), parts[0] == "0" || !parts[0].hasPrefix("0"),
            (parts + [exponent.dropFirst()].map(unsigned)).allSatisfy({ $0.utf8.allSatisfy(isDigit) }),
            exponent.isEmpty || !unsigned(exponent.dropFirst()).isEmpty
        else { return false }
        // Swift wants a digit on both sides of the point.
        let whole = parts[0].isEmpty ? "0" : parts[0]
        let fraction = parts.count < 2 || parts[1].isEmpty ? "0" : parts[1]
        return Double("\(whole).\(fraction)\(exponent)")?.isFinite ?? false
    }

    private static func unsigned(_ exponent: Substring) -> Substring {
        exponent.first.map { "+-".contains($0) } ?? false ? exponent.dropFirst() : exponent
    }
}
