/// Which numbers stand for which colours.
package struct ColourSpace: Hashable, Sendable {
    package enum Matrix: String, Sendable, Codable { case bt601, bt709 }
    package enum Range: String, Sendable, Codable { case limited, full }

    package var matrix: Matrix
    package var range: Range

    package init(_ matrix: Matrix, _ range: Range) {
        self.matrix = matrix
        self.range = range
    }
}

/// The program's pictures: planar 4:2:0 with 8 bits (I420), sizes even, for the life of the process.
package struct ProgramFormat: Hashable, Sendable {
    package let width, height: Int
    package let colour: ColourSpace

    package init(width: Int, height: Int, colour: ColourSpace) {
        self.width = width
        self.height = height
        self.colour = colour
    }
}

/// How a gift's colour and alpha are laid over the live picture L; C and a are the stored colour and alpha.
package enum Blend: String, Sendable, Codable, CaseIterable {
    /// `C + (1-a) L`: what Android and Web players show. The default.
    case premultiplied
    /// `C a + (1-a) L`.
    case straight
    /// `C a + (1-a²) L`.
    case ios
}
