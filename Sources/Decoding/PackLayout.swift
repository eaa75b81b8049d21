internal import VAP

/// Where the official tool puts colour and alpha, and the JSON that says so.
enum PackLayout {
    /// Black between the two rectangles, so that neither bleeds into the other.
    static let gap = 4
    /// The widest side that every phone's decoder takes, by the official tool.
    static let comfortableSide = 1504
    /// The widest side that is packed at all.
    static let largestSide = 4096

    /// Colour at the top left; alpha to its right or below it, whichever makes the longer side shorter (a tie goes
    /// to the right); both sides rounded up to 16.
    static func plan(
        canvas: Size, alphaScale: Double, frameCount: Int, framesPerSecond: Int
    ) throws(PackError) -> Layout {
        guard canvas.width >= 2, canvas.height >= 2, max(canvas.width, canvas.height) <= largestSide else {
            throw PackError(
                .sizeUnsupported,
                "\(canvas.width)x\(canvas.height) pictures: the sides must be 2 to \(largestSide)")
        }
        let alpha = Size(
            Int((Double(canvas.width) * alphaScale).rounded(.down)),
            Int((Double(canvas.height) * alphaScale).rounded(.down)))
        let right = Size(canvas.width + gap + alpha.width, canvas.height)
        let below = Size(canvas.width, canvas.height + gap + alpha.height)
        let isBelow = max(right.width, right.height) > max(below.width, below.height)
        let coded = isBelow ? padded(below) : padded(right)
        guard max(coded.width, coded.height) <= largestSide else {
            throw PackError(
                .sizeUnsupported,
                "\(canvas.width)x\(canvas.height) pictures need a video of \(coded.width)x\(coded.height),"
                    + " above \(largestSide): draw them smaller")
        }
        return Layout(
            coded: coded, canvas: canvas, colour: rectangle(0, 0, canvas),
            alpha: isBelow
                ? rectangle(0, canvas.height + gap, alpha) : rectangle(canvas.width + gap, 0, alpha),
            frameCount: frameCount, framesPerSecond: Double(framesPerSecond))
    }

    /// The payload of the `vapc` box, keys in the tool's order. Every number in a planned layout is whole.
    static func json(_ layout: Layout) -> String {
        """
        {"info":{"v":2,"f":\(layout.frameCount),"w":\(layout.canvas.width),"h":\(layout.canvas.height),\
        "fps":\(Int(layout.framesPerSecond)),"videoW":\(layout.coded.width),"videoH":\(layout.coded.height),\
        "aFrame":\(list(layout.alpha)),"rgbFrame":\(list(layout.colour)),"isVapx":0,"orien":0}}
        """
    }

    /// What a person should know about a file of this shape.
    static func warnings(_ layout: Layout) -> [String] {
        let side = max(layout.coded.width, layout.coded.height)
        guard side > comfortableSide else { return [] }
        return [
            "the video is \(layout.coded.width)x\(layout.coded.height): some phones do not decode sides above"
                + " \(comfortableSide)"
        ]
    }

    private static func padded(_ size: Size) -> Size {
        Size((size.width + 15) / 16 * 16, (size.height + 15) / 16 * 16)
    }

    private static func rectangle(_ x: Int, _ y: Int, _ size: Size) -> Rectangle {
        Rectangle(x: Double(x), y: Double(y), width: Double(size.width), height: Double(size.height))
    }

    private static func list(_ rectangle: Rectangle) -> String {
        "[\(Int(rectangle.x)),\(Int(rectangle.y)),\(Int(rectangle.width)),\(Int(rectangle.height))]"
    }
}
