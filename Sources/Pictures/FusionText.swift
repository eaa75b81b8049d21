/// What of a sender's text is shown: everything that is a sign, and nothing that steers.
package enum FusionText {
    /// Bytes that are looked at; the rest would not be legible in any source.
    package static let byteLimit = 4096
    /// Marks on one letter that are kept; scripts in use need five.
    private static let markLimit = 8

    /// Without control characters and bidirectional overrides (which would turn text around that is not the sender's),
    /// on one line, without spaces at the ends. Empty when nothing is left.
    package static func clean(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        var (bytes, marks) = (0, 0)
        for scalar in text.unicodeScalars {
            guard let scalar = shown(scalar) else { continue }
            marks = isMark(scalar) ? marks + 1 : 0
            guard marks <= markLimit else { continue }
            bytes += scalar.utf8.count
            guard bytes <= byteLimit else { break }
            kept.append(scalar)
        }
        let isSpace: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace }
        guard let first = kept.firstIndex(where: { !isSpace($0) }),
            let last = kept.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(String.UnicodeScalarView(kept[first...last]))
    }

    private static func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case "\t", "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": return " "
        case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{FEFF}": return nil
        default: return scalar.properties.generalCategory == .control ? nil : scalar
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: !scalar.properties.isVariationSelector
        default: false
        }
    }
}

extension Unicode.Scalar {
    fileprivate var utf8: UTF8.EncodedScalar { UTF8.encode(self) ?? UTF8.encodedReplacementCharacter }
}
