/// A text's colour as Android reads it: `#RRGGBB`, `#AARRGGBB` or one of its names. The other platforms read eight
/// digits another way round; this one is right for the files that there are.
package struct FusionColour: Hashable, Sendable {
    package let red, green, blue, alpha: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    /// What a file means that says nothing.
    package static let black = FusionColour(red: 0, green: 0, blue: 0)

    /// Nil for a text that is no colour.
    package init?(_ text: String) {
        guard text.hasPrefix("#") else {
            guard let named = Self.names[text.lowercased()] else { return nil }
            self.init(bits: named | 0xFF00_0000)
            return
        }
        let digits = text.dropFirst()
        guard digits.utf8.count == 6 || digits.utf8.count == 8, digits.allSatisfy(\.isHexDigit),
            let bits = UInt32(digits, radix: 16)
        else { return nil }
        self.init(bits: digits.utf8.count == 6 ? bits | 0xFF00_0000 : bits)
    }

    private init(bits: UInt32) {
        self.init(
            red: UInt8(bits >> 16 & 255), green: UInt8(bits >> 8 & 255), blue: UInt8(bits & 255),
            alpha: UInt8(bits >> 24))
    }

    private static let names: [String: UInt32] = [
        "black": 0x000000, "darkgray": 0x444444, "darkgrey": 0x444444, "gray": 0x888888, "grey": 0x888888,
        "lightgray": 0xCCCCCC, "lightgrey": 0xCCCCCC, "white": 0xFFFFFF, "red": 0xFF0000, "green": 0x00FF00,
        "blue": 0x0000FF, "yellow": 0xFFFF00, "cyan": 0x00FFFF, "magenta": 0xFF00FF, "aqua": 0x00FFFF,
        "fuchsia": 0xFF00FF, "lime": 0x00FF00, "maroon": 0x800000, "navy": 0x000080, "olive": 0x808000,
        "purple": 0x800080, "silver": 0xC0C0C0, "teal": 0x008080,
    ]
}

extension FusionSource {
    /// The colour of a text source; black when the file says none, or none that can be read.
    package var textColour: FusionColour { colour.flatMap { FusionColour($0) } ?? .black }
}
