internal import CLibAV
internal import Pictures
internal import VAP

/// What all of a feed's pictures have in common.
struct RenderFormat {
    let size: Size
    let rate: RenderRate
    var colour: ColourSpace
    /// Of one pixel.
    let aspect: AVRational
    let chromaLocation: AVChromaLocation
}

/// Where the live pictures come from: one for each frame of the program, in order. One thread.
protocol RenderFeed: AnyObject {
    var format: RenderFormat { get }
    /// How many frames there will be, as far as the feed says.
    var count: Int? { get }
    /// Pictures passed over because they cannot be decoded.
    var damaged: Int { get }
    /// The feed's own sound, from its first picture on; nil where there is none.
    func sound() -> FeedSound?
    /// Puts the next frame's picture on the canvas; false at the end.
    func next(onto canvas: RenderCanvas) throws(RenderError) -> Bool
}

/// One colour for ever.
final class ColourFeed: RenderFeed {
    let format: RenderFormat
    let count: Int? = nil
    let damaged = 0
    private let luma, u, v: UInt8

    /// `rgb` holds red, green and blue.
    init(_ rgb: [UInt8], _ size: Size, _ rate: RenderRate, _ colour: ColourSpace) {
        format = RenderFormat(
            size: size, rate: rate, colour: colour, aspect: AVRational(num: 1, den: 1),
            chromaLocation: AVCHROMA_LOC_UNSPECIFIED)
        let (red, blue) = colour.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let (black, span, chromaSpan) =
            colour.range == .limited ? (16.0, 219.0, 224.0) : (0.0, 255.0, 255.0)
        let (r, g, b) = (Double(rgb[0]) / 255, Double(rgb[1]) / 255, Double(rgb[2]) / 255)
        let y = red * r + (1 - red - blue) * g + blue * b
        luma = Self.byte(black + span * y)
        u = Self.byte(128 + chromaSpan * (b - y) / (2 - 2 * blue))
        v = Self.byte(128 + chromaSpan * (r - y) / (2 - 2 * red))
    }

    func sound() -> FeedSound? { nil }

    func next(onto canvas: RenderCanvas) throws(RenderError) -> Bool {
        try canvas.fill(luma, u, v)
        return true
    }

    private static func byte(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
}
