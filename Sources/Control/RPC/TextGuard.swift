internal import FoundationEssentials

/// What is refused before the JSON decoder sees a text: it takes quadratic time when types nest deeply, reads
/// other encodings than UTF-8, and keeps the first of two equal keys without a word.
enum TextGuard {
    static let depthLimit = 32

    static func check(_ text: [UInt8]) throws(RPCError) {
        guard text[...].index(of: 0) == nil else {
            throw RPCError(.parseError, "the line contains a NUL byte")
        }
        guard String(validating: text, as: UTF8.self) != nil else {
            throw RPCError(.parseError, "the line is not valid UTF-8")
        }
        if text.first(where: { !isSpace($0) }) == UInt8(ascii: "[") {
            throw RPCError(.batchUnsupported, "batches are not supported: send one request per line")
        }
        var walk = Walk()
        try walk.run(text)
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    /// One pass over the bytes. It only has to be right for valid JSON: other text the decoder refuses.
    private struct Walk {
        private struct Level {
            var keys: Set<String> = []
            var isObject: Bool
            var expectsKey: Bool
        }

        private var levels: [Level] = []

        mutating func run(_ text: [UInt8]) throws(RPCError) {
            var index = 0
            while index < text.count {
                switch text[index] {
                case UInt8(ascii: "\""):
                    let end = endOfString(text, from: index + 1)
                    if levels.last?.expectsKey == true { try note(text[index + 1..<end]) }
                    index = end
                case UInt8(ascii: "{"): try open(isObject: true)
                case UInt8(ascii: "["): try open(isObject: false)
                case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = levels.popLast()
                case UInt8(ascii: ","):
                    if let last = levels.indices.last { levels[last].expectsKey = levels[last].isObject }
                default: break
                }
                index += 1
            }
        }

        private mutating func open(isObject: Bool) throws(RPCError) {
            guard levels.count < TextGuard.depthLimit else {
                throw RPCError(.tooDeep, "the request nests deeper than \(TextGuard.depthLimit) levels")
            }
            levels.append(Level(isObject: isObject, expectsKey: isObject))
        }

        /// The index of the closing quote, or of the end of the text.
        private func endOfString(_ text: [UInt8], from start: Int) -> Int {
            var index = start
            while index < text.count, text[index] != UInt8(ascii: "\"") {
                index += text[index] == UInt8(ascii: "\\") ? 2 : 1
            }
            return min(index, text.count)
        }

        private mutating func note(_ key: ArraySlice<UInt8>) throws(RPCError) {
            guard let last = levels.indices.last else { return }
            levels[last].expectsKey = false
            guard let name = unescaped(key) else { return }
            guard levels[last].keys.insert(name).inserted else {
                throw RPCError(.invalidRequest, "the field \"\(name)\" is given twice")
            }
        }

        private func unescaped(_ key: ArraySlice<UInt8>) -> String? {
            guard key.contains(UInt8(ascii: "\\")) else { return String(decoding: key, as: UTF8.self) }
            let quoted = [UInt8(ascii: "\"")] + key + [UInt8(ascii: "\"")]
            return try? JSONDecoder().decode(String.self, from: Data(quoted))
        }
    }
}
