/// The bytes of a layout on their way to the reader: what tools put around the JSON is taken off.
enum JSONText {
    /// Byte order mark, NUL and white space at both ends are dropped, bytes that are no UTF-8 replaced.
    static func clean(_ raw: [UInt8], warnings: inout Warnings) throws(AnimationError) -> [UInt8] {
        if raw.starts(with: [0xff, 0xfe]) || raw.starts(with: [0xfe, 0xff]) { throw wide }
        var text = raw[...].drop(while: isPadding)
        if text.starts(with: [0xef, 0xbb, 0xbf]) { text = text.dropFirst(3).drop(while: isPadding) }
        while let last = text.last, isPadding(last) { text.removeLast() }
        guard !text.isEmpty else {
            throw AnimationError(.jsonInvalid, "The layout holds \(raw.count) bytes and no JSON among them.")
        }
        // No JSON begins with a character and a NUL, unless every character has two bytes.
        if text.dropFirst().first == 0 { throw wide }
        if String(validating: text, as: UTF8.self) != nil { return Array(text) }
        warnings.add("the JSON is not clean UTF-8, bad bytes are replaced")
        return Array(String(decoding: text, as: UTF8.self).utf8)
    }

    private static func isPadding(_ byte: UInt8) -> Bool {
        byte == 0 || byte == 0x20 || (0x09...0x0d).contains(byte)
    }

    private static var wide: AnimationError {
        AnimationError(.jsonInvalid, "The layout's JSON is UTF-16, and only UTF-8 is read.")
    }
}
