/// A size in whole pixels.
package struct Size: Hashable, Sendable, Codable {
    package var width, height: Int

    package init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }
}

/// A rectangle in pixels of the picture that it lies in. Files hold fractions (an odd size halved), so these
/// are not whole numbers.
package struct Rectangle: Hashable, Sendable, Codable {
    package var x, y, width, height: Double

    package init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Whether no part of it is outside a picture of that size.
    package func lies(within size: Size) -> Bool {
        x >= 0 && y >= 0 && x + width <= Double(size.width) && y + height <= Double(size.height)
    }

    package func overlaps(_ other: Rectangle) -> Bool {
        x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
    }

    /// For messages: `187.5x40`, `32x32`.
    var sizeText: String { "\(Self.short(width))x\(Self.short(height))" }

    /// For messages: `[4, 0, 187.5, 40]`.
    var text: String { "[\([x, y, width, height].map(Self.short).joined(separator: ", "))]" }

    private static func short(_ number: Double) -> String {
        Int(exactly: number).map { "\($0)" } ?? "\(number)"
    }
}

/// Where colour and alpha lie in the coded picture, and how the animation runs. Validated by `check` where it
/// comes from a file: such an instance can be played as it is.
package struct Layout: Hashable, Sendable {
    /// `videoW` x `videoH`: the size of the coded picture, after the codec's own cropping.
    package var coded: Size
    /// `w` x `h`: the size at which the animation was drawn, the unit of all fusion rectangles.
    package var canvas: Size
    /// `rgbFrame`, in coded pixels, inside `coded`.
    package var colour: Rectangle
    /// `aFrame`, in coded pixels, inside `coded`. Often half the size of `colour`.
    package var alpha: Rectangle
    /// `f`, at least 1.
    package var frameCount: Int
    /// `fps`, above 0 and at most 120.
    package var framesPerSecond: Double

    package init(
        coded: Size, canvas: Size, colour: Rectangle, alpha: Rectangle, frameCount: Int,
        framesPerSecond: Double
    ) {
        self.coded = coded
        self.canvas = canvas
        self.colour = colour
        self.alpha = alpha
        self.frameCount = frameCount
        self.framesPerSecond = framesPerSecond
    }

    /// How long one play lasts, in nanoseconds: f / fps, whatever the track holds.
    package var duration: Int64 { Int64(min(Double(frameCount) / framesPerSecond * 1e9, 9e18).rounded()) }

    /// The display index due at a media time in nanoseconds. Clamped into the animation.
    package func index(at mediaTime: Int64) -> Int {
        // A time that is a multiple of the frame duration up to rounding belongs to the frame that begins
        // there.
        let exact = Double(mediaTime) * framesPerSecond / 1e9
        return Int(min(max(exact + 1e-6, 0), Double(frameCount - 1)))
    }
}
