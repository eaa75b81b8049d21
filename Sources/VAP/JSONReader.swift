/// Reads JSON by RFC 8259, with hard limits on depth and number of values while it reads.
///
/// An own reader rather than a general decoder because every limit holds before memory is spent, because
/// files hold floats for integers and strings for numbers in any field, and because an error names its byte.
struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0
    private var values = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The one value in `bytes`; only white space may follow it.
    static func value(in bytes: [UInt8]) throws(AnimationError) -> JSON {
        var reader = JSONReader(bytes)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.unexpected("the end") }
        return value
    }

    /// A text that is exactly one finite JSON number.
    static func number(_ text: String) -> Double? {
        guard text.utf8.count <= 40 else { return nil }
        var reader = JSONReader(Array(text.utf8))
        guard case .number(let number)? = try? reader.number(), reader.position == reader.bytes.count else {
            return nil
        }
        return number.isFinite ? number : nil
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(AnimationError) -> JSON {
        guard depth <= Limits.jsonDepth else {
            throw AnimationError(
                .jsonTooDeep, "The layout nests deeper than \(Limits.jsonDepth) levels at byte \(position).")
        }
        values += 1
        guard values <= Limits.jsonValues else {
            throw AnimationError(.limitExceeded, "The layout holds more than \(Limits.jsonValues) values.")
        }
        skipSpace()
        switch peek() {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(AnimationError) -> JSON {
        var members: [JSON.Member] = []
        position += 1
        skipSpace()
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            guard peek() == UInt8(ascii: "\"") else { throw unexpected("a name in quotes") }
            let name = try string()
            skipSpace()
            guard take(":") else { throw unexpected("':'") }
            members.append(JSON.Member(name: name, value: try value(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw unexpected("',' or '}'") }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(AnimationError) -> JSON {
        var elements: [JSON] = []
        position += 1
        skipSpace()
        if take("]") { return .array(elements) }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw unexpected("',' or ']'") }
        return .array(elements)
    }

    private mutating func literal(_ word: StaticString, _ value: JSON) throws(AnimationError) -> JSON {
        for scalar in "\(word)".utf8 {
            guard peek() == scalar else { throw unexpected("'\(word)'") }
            position += 1
        }
        return value
    }

    // MARK: Numbers

    private mutating func number() throws(AnimationError) -> JSON {
        let start = position
        let isNegative = take("-")
        guard isDigit(peek()) else { throw unexpected("a value") }
        var magnitude = 0
        if !take("0") {
            while isDigit(peek()) {
                if position - start < 16 { magnitude = magnitude * 10 + Int(bytes[position] & 15) }
                position += 1
            }
        }
        let isShort = position - start <= 16
        var isWhole = true
        if take(".") {
            isWhole = false
            try digits()
        }
        if take("e") || take("E") {
            isWhole = false
            if !take("+") { _ = take("-") }
            try digits()
        }
        if isWhole, isShort { return .number(isNegative ? -Double(magnitude) : Double(magnitude)) }
        return .number(Double(String(decoding: bytes[start..<position], as: UTF8.self)) ?? .infinity)
    }

    private mutating func digits() throws(AnimationError) {
        guard isDigit(peek()) else { throw unexpected("a digit") }
        while isDigit(peek()) { position += 1 }
    }

    private func isDigit(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return byte &- UInt8(ascii: "0") < 10
    }

    // MARK: Strings

    private mutating func string() throws(AnimationError) -> String {
        position += 1
        let start = position
        while let byte = peek(), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            position += 1
        }
        if peek() == UInt8(ascii: "\"") {
            position += 1
            return String(decoding: bytes[start..<position - 1], as: UTF8.self)
        }
        var text = Array(bytes[start..<position])
        while !take("\"") {
            guard let byte = peek(), byte >= 0x20 else { throw unexpected("the end of a string") }
            position += 1
            if byte == UInt8(ascii: "\\") {
                try escape(into: &text)
            } else {
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func escape(into text: inout [UInt8]) throws(AnimationError) {
        let byte = peek()
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(bytes[position - 1])
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try scalar()).utf8)
        default:
            position -= 1
            throw unexpected("an escape that JSON knows")
        }
    }

    /// Behind `\u`: a scalar, of one unit or of a surrogate pair. Half a pair becomes U+FFFD.
    private mutating func scalar() throws(AnimationError) -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let afterFirst = position
        if first < 0xdc00, take("\\"), take("u") {
            let second = try unit()
            if (0xdc00..<0xe000).contains(second) {
                let value = 0x10000 + (first - 0xd800) << 10 + (second - 0xdc00)
                return Unicode.Scalar(value) ?? "\u{fffd}"
            }
        }
        position = afterFirst
        return "\u{fffd}"
    }

    private mutating func unit() throws(AnimationError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw unexpected("four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    // MARK: Bytes

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
            position += 1
        }
    }

    private func unexpected(_ wanted: String) -> AnimationError {
        guard let byte = peek() else {
            return AnimationError(
                .jsonInvalid, "The layout's JSON ends after \(position) bytes where \(wanted) is expected.")
        }
        let shown =
            (0x21...0x7e).contains(byte) ? "'\(Character(Unicode.Scalar(byte)))'" : "the value \(byte)"
        return AnimationError(
            .jsonInvalid, "Byte \(position) of the layout's JSON is \(shown) where \(wanted) is expected.")
    }
}
