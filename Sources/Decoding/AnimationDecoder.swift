internal import CLibAV
internal import Pictures
internal import VAP

/// Gives out an animation's pictures in display order, each with its display index. One thread.
///
/// Damage is noted and passed over, so that what can be decoded is shown; a change of size or format ends it.
struct AnimationDecoder: ~Copyable {
    /// The first damage, in words; nil while all went well.
    private(set) var damage: AnimationError?
    private let animation: Animation
    private var decoder: TrackDecoder
    private var last: Int?
    /// Pictures from here on are never shown.
    private let end: Int

    init(_ animation: Animation) throws(AnimationError) {
        let decoder = try TrackDecoder.open(try TrackReader.open(animation.file), animation.frames)
        self.decoder = decoder
        self.animation = animation
        end = min(animation.codedFrameCount, animation.layout.frameCount)
    }

    /// Decodes on to the next picture and answers its display index, which only rises; nil behind the last.
    mutating func next() throws(AnimationError) -> Int? {
        while try decodesOn() {
            guard let index = decoder.index, index > last ?? -1 else { continue }
            guard index < end else { break }
            try checkFormat(at: index)
            if let last, index > last + 1 { note(last + 1, "is missing") }
            if decoder.isPatched { note(index, "is damaged") }
            last = index
            return index
        }
        if let last, last + 1 < end { note(last + 1, "is missing") }
        return nil
    }

    /// Lends the picture that `next` has decoded.
    func withFrame<Result>(
        _ body: (DecodedFrame) throws(AnimationError) -> Result
    ) throws(AnimationError) -> Result {
        let frame = decoder.frame.raw.pointee
        guard let luma = frame.data.0, let chromaU = frame.data.1, let chromaV = frame.data.2 else {
            throw AnimationError(.mediaCorrupt, "A decoded picture has no planes.")
        }
        let format = animation.format
        return try body(
            DecodedFrame(
                planes: (UnsafeRawPointer(luma), UnsafeRawPointer(chromaU), UnsafeRawPointer(chromaV)),
                strides: (Int(frame.linesize.0), Int(frame.linesize.1), Int(frame.linesize.2)),
                size: format.size, chromaShiftX: format.chromaShiftX, chromaShiftY: format.chromaShiftY,
                bitDepth: format.bitDepth, colour: format.colour))
    }

    private mutating func decodesOn() throws(AnimationError) -> Bool {
        do {
            return try decoder.next()
        } catch {
            throw AnimationError(error.kind, "Behind picture \(last ?? -1): \(error.message)")
        }
    }

    /// The rectangles hold for one size, and the tables of the preparing for one format.
    private func checkFormat(at index: Int) throws(AnimationError) {
        let (format, first) = (try CodedFormat(decoder.frame.raw.pointee), animation.format)
        guard format.size == first.size, format.name == first.name else {
            throw AnimationError(
                .trackMismatch,
                "From picture \(index) on the track is \(format.size.width)x\(format.size.height) \(format.name), "
                    + "but it began as \(first.size.width)x\(first.size.height) \(first.name).")
        }
    }

    private mutating func note(_ index: Int, _ what: String) {
        let picture = "Picture \(index) of \(animation.codedFrameCount)"
        damage = damage ?? AnimationError(.mediaCorrupt, "\(picture) \(what).")
    }
}
