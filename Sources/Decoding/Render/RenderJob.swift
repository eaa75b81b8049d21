package import Pictures
package import VAP

/// Frames per second as a fraction.
package struct RenderRate: Hashable, Sendable {
    package let numerator, denominator: Int

    package init(_ numerator: Int, _ denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// From `30`, `30000/1001` or `29.97`, which is taken for 30000/1001; nil for what is no rate of 0.01 to 1000.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2, let numerator = Int(parts[0]), let denominator = Int(parts[1]) {
            self.init(numerator, denominator)
        } else if let value = Double(text), value.isFinite, value > 0, value < 10_000 {
            self.init(nearest: value)
        } else {
            return nil
        }
        let limit = 1_000_000
        guard (1...limit).contains(numerator), (1...limit).contains(denominator),
            (0.01...1000).contains(value)
        else { return nil }
    }

    private init(nearest value: Double) {
        let ntsc = value.rounded(.up)
        if abs(value - value.rounded()) < 1e-6 {
            self.init(Int(value.rounded()), 1)
        } else if abs(value - ntsc * 1000 / 1001) < 0.01 {
            self.init(Int(ntsc) * 1000, 1001)
        } else {
            self.init(Int((value * 1000).rounded()), 1000)
        }
    }

    package var value: Double { Double(numerator) / Double(denominator) }

    /// The first frame that is not before `seconds`. A microsecond is nothing.
    package func frame(at seconds: Double) -> Int {
        Int(min(max((seconds - 1e-6) * value, 0), 1e15).rounded(.up))
    }
}

/// What is laid over which feed, and what is made of it.
package struct RenderJob: Sendable {
    package enum Feed: Hashable, Sendable {
        /// A video of any kind that libav reads.
        case file(String)
        /// One colour: red, green and blue.
        case colour([UInt8], Size, RenderRate)
    }

    package enum Output: Hashable, Sendable {
        /// YUV4MPEG2, not compressed.
        case raw(String)
        /// H.264 in MP4.
        case movie(String)
        /// A PNG file of the picture that is on screen at so many seconds.
        case still(String, at: Double)
    }

    /// One gift, from the first frame on that is not before `start`.
    package struct Gift: Sendable {
        package var animation: Animation
        /// Seconds of the program.
        package var start: Double
        package var placement: Placement
        package var blend: Blend
        /// How loud its sound is in the program's: a factor, 0 to 4.
        package var volume: Double
        /// What is filled in, by tag: texts, and the files of images.
        package var texts, images: [String: String]

        package init(
            _ animation: Animation, start: Double = 0, placement: Placement = Placement(),
            blend: Blend = .premultiplied, volume: Double = 1, texts: [String: String] = [:],
            images: [String: String] = [:]
        ) {
            self.volume = volume
            self.texts = texts
            self.images = images
            self.animation = animation
            self.start = start
            self.placement = placement
            self.blend = blend
        }
    }

    package var feed: Feed
    /// Later ones lie over earlier ones.
    package var gifts: [Gift]
    package var output: Output
    /// How long the program lasts; nil: as long as the feed, or until the last gift is over.
    package var seconds: Double?
    /// What the feed's numbers mean, whatever its tags say.
    package var matrix: ColourSpace.Matrix?
    package var range: ColourSpace.Range?
    /// Leaves all sound out; only movies have any.
    package var isMuted = false

    package init(feed: Feed, gifts: [Gift], output: Output) {
        self.feed = feed
        self.gifts = gifts
        self.output = output
    }
}

/// How far the rendering is. `expected` is nil while the feed does not say how long it is.
package struct RenderProgress: Hashable, Sendable {
    package let frames: Int
    package let expected: Int?
}

/// What was made.
package struct RenderResult: Sendable {
    /// Of the pictures that were written.
    package let size: Size
    package let rate: RenderRate
    package let frames: Int
    /// What went wrong with gifts, by their place in the job: they are shown as far as they can be.
    package let failures: [(gift: Int, error: AnimationError)]
    /// Texts and images that are not seen, by the gift's place in the job, and why.
    package let warnings: [(gift: Int, text: String)]
    /// Pictures of the feed that cannot be decoded; the one before stays.
    package let damagedFeedPictures: Int
    /// Pictures that were due and not there. Always 0, as rendering waits.
    package let picturesLate: Int
    package let hasSound: Bool
}
