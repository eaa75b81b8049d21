package import VAP

/// How a gift file is made. The defaults make what the official tool makes, at a better quality.
package struct PackOptions: Hashable, Sendable {
    package enum Codec: String, Sendable, CaseIterable { case h264, hevc }

    /// How many bits are spent.
    package enum Rate: Hashable, Sendable {
        /// Constant quality: the encoder's CRF, 0 (lossless or nearly so) to 51.
        case quality(Int)
        /// An average, in bits per second.
        case bitrate(Int)
    }

    /// What the colour samples of the input mean where it is not opaque.
    package enum Colour: String, Sendable, CaseIterable {
        /// The colour as it was drawn; PNG files are always so.
        case straight
        /// Already multiplied by alpha, on black.
        case premultiplied
    }

    package var codec: Codec = .h264
    /// Whole frames a second, 1 to 60. Nil: 25 for pictures, the nearest whole rate of a video.
    package var framesPerSecond: Int?
    /// Size of the stored alpha against the colour, 0.5 to 1. Half a size is what all players expect to scale up.
    package var alphaScale = 0.5
    package var rate = Rate.quality(22)
    package var colour = Colour.straight
    /// Leaves out the input's own sound. A sound file that is given is taken all the same.
    package var isMuted = false

    package init() {}

    /// Refuses what no encoder or player takes.
    func validate() throws(PackError) {
        if let framesPerSecond, !(1...60).contains(framesPerSecond) {
            throw PackError(.optionInvalid, "\(framesPerSecond) frames per second: use 1 to 60")
        }
        guard (0.5...1).contains(alphaScale) else {
            throw PackError(.optionInvalid, "alpha scale \(alphaScale): use 0.5 to 1")
        }
        switch rate {
        case .quality(let value) where !(0...51).contains(value):
            throw PackError(.optionInvalid, "quality \(value): use 0 (best) to 51")
        case .bitrate(let value) where !(10_000...200_000_000).contains(value):
            throw PackError(.optionInvalid, "\(value) bits per second: use 10000 to 200000000")
        default: break
        }
    }
}

/// How far the packing is. `expected` is nil while the input does not say how many frames it has.
package struct PackProgress: Hashable, Sendable {
    package let frames: Int
    package let expected: Int?
}

/// What was written.
package struct PackResult: Hashable, Sendable {
    package let layout: Layout
    package let byteCount: Int
    package let hasSound: Bool
    /// Sentences for a person: the file plays, but not everywhere or not as meant.
    package let warnings: [String]
}
