extension Layout {
    /// Everything that can be said without the track. The names in the messages are those of the JSON.
    package func check() throws(AnimationError) {
        try Self.check(coded, "videoW x videoH")
        try Self.check(canvas, "w x h")
        try checkTime()
        try Self.check(colour, "rgbFrame", in: coded)
        try Self.check(alpha, "aFrame", in: coded)
        guard Self.isNear(colour.width, canvas.width), Self.isNear(colour.height, canvas.height) else {
            throw AnimationError(
                .geometryMismatch,
                "rgbFrame is \(colour.sizeText), but w x h is \(canvas.width)x\(canvas.height).")
        }
    }

    /// Compares with the size of the decoded pictures. Nothing is scaled to fit: the rectangles would slide.
    package func check(codedSize: Size) throws(AnimationError) {
        guard codedSize == coded else {
            throw AnimationError(
                .trackMismatch,
                "The track is \(codedSize.width)x\(codedSize.height), "
                    + "but videoW x videoH is \(coded.width)x\(coded.height).")
        }
    }

    private static func check(_ size: Size, _ name: String) throws(AnimationError) {
        guard size.width > 0, size.height > 0 else {
            throw AnimationError(.fieldValue, "\(name) is \(size.width)x\(size.height), which is no size.")
        }
        guard size.width <= Limits.side, size.height <= Limits.side, size.width * size.height <= Limits.pixels
        else {
            throw AnimationError(
                .limitExceeded,
                "\(name) is \(size.width)x\(size.height), "
                    + "more than \(Limits.side) a side or \(Limits.pixels) pixels."
            )
        }
    }

    private func checkTime() throws(AnimationError) {
        guard framesPerSecond > 0, framesPerSecond <= Limits.framesPerSecond else {
            throw AnimationError(
                .fieldValue, "fps is \(framesPerSecond), not above 0 and at most \(Limits.framesPerSecond).")
        }
        guard frameCount > 0 else {
            throw AnimationError(.fieldValue, "f is \(frameCount), and there is no picture.")
        }
        guard Double(frameCount) / framesPerSecond <= Limits.duration else {
            throw AnimationError(
                .limitExceeded,
                "f is \(frameCount) at fps \(framesPerSecond), which lasts longer than \(Limits.duration) s.")
        }
    }

    private static func check(_ area: Rectangle, _ name: String, in coded: Size) throws(AnimationError) {
        guard area.width >= 1, area.height >= 1 else {
            throw AnimationError(.fieldValue, "\(name) is \(area.text), which is less than a pixel.")
        }
        guard area.lies(within: coded) else {
            throw AnimationError(
                .rectangleOutside,
                "\(name) is \(area.text), outside videoW x videoH \(coded.width)x\(coded.height).")
        }
    }

    /// Tools round sides by a pixel or two and players scale that away. More than an eighth is another
    /// picture.
    private static func isNear(_ side: Double, _ canvas: Int) -> Bool {
        abs(side - Double(canvas)) <= max(2, Double(canvas) / 8)
    }
}
