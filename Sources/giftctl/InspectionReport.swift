internal import Decoding
internal import Pictures
internal import VAP

/// A playable gift file, taken apart. Its fields are those of the JSON.
struct InspectionReport: Encodable {
    /// At the top level of the file; offset and size in bytes, the header included.
    struct Box: Encodable {
        let type: String
        let offset: Int64
        let size: Int64
    }

    /// A place that the sender of a gift may fill, with what the file calls it.
    struct Source: Encodable {
        let id: String
        let kind: String
        let tag: String
        let size: Size
        let fit: String
    }

    /// The pictures as the codec holds them, told by the first of them.
    struct Coded: Encodable {
        let codec: String
        let size: Size
        let pixels: String
        let matrix: String
        let range: String
        let pictures: Int
    }

    let file: String
    let bytes: Int64
    let boxes: [Box]
    /// Where the layout comes from: `box`, or the sidecar's path.
    let layout: String
    /// At which the animation was drawn.
    let size: Size
    /// That are shown; the track may hold more or fewer.
    let frames: Int
    let fps: Double
    /// Seconds.
    let duration: Double
    let coded: Coded
    /// Where colour and alpha lie in the coded picture, in its pixels.
    let colour: Rectangle
    let alpha: Rectangle
    let hasSound: Bool
    let sources: [Source]
    /// Frames that something of a source is drawn in.
    let fusedFrames: Int
    /// Oddities that do not keep it from playing.
    let warnings: [String]

    init(_ animation: Animation, sidecar: String?) {
        let plan = animation.layout
        file = animation.path
        bytes = animation.byteCount
        boxes = animation.boxes.map { Box(type: $0.type, offset: $0.offset, size: $0.size) }
        layout = sidecar ?? animation.origin.rawValue
        size = plan.canvas
        frames = plan.frameCount
        fps = plan.framesPerSecond
        duration = Double(plan.duration) / 1e9
        let format = animation.format
        coded = Coded(
            codec: animation.codec.rawValue, size: format.size, pixels: format.name,
            matrix: format.colour.matrix.rawValue, range: format.colour.range.rawValue,
            pictures: animation.codedFrameCount)
        colour = plan.colour
        alpha = plan.alpha
        hasSound = animation.hasSound
        sources = (animation.manifest?.sources ?? []).map {
            Source(id: $0.id, kind: $0.kind.rawValue, tag: $0.tag, size: $0.size, fit: $0.fit.rawValue)
        }
        fusedFrames = animation.manifest?.elements.count ?? 0
        warnings = animation.warnings
    }
}

// MARK: For people

extension InspectionReport {
    /// One line that says it all, and a table of the parts.
    var text: String {
        let head = """
            \(Self.clean(file)): \(Self.text(size)), \(Text.count(frames, "frame")) at \(Text.number(fps, digits: 3)) fps, \
            \(Text.number(duration, digits: 3)) s, \(hasSound ? "with sound" : "no sound"), \(Text.bytes(Int(bytes)))
            """
        var rows = [
            ["boxes", boxes.map { "\($0.type) \($0.size)" }.joined(separator: ", ")],
            ["layout", layout == "box" ? "in the file" : Self.clean(layout)],
            [
                "coded",
                "\(coded.codec), \(coded.pictures) pictures of \(Self.text(coded.size)), \(coded.pixels), "
                    + "\(coded.matrix) \(coded.range)",
            ],
            ["colour", Self.text(colour)],
            ["alpha", Self.text(alpha)],
        ]
        for source in sources {
            let words = [source.id, source.kind, source.tag, Self.text(source.size), source.fit]
            rows.append(["source", words.map(Self.clean).joined(separator: ", ")])
        }
        if !sources.isEmpty { rows.append(["fusion", "in \(fusedFrames) of \(frames) frames"]) }
        rows += warnings.map { ["warning", Self.clean($0)] }
        return head + "\n" + Text.table(rows)
    }

    private static func text(_ size: Size) -> String { "\(size.width)x\(size.height)" }

    private static func text(_ rectangle: Rectangle) -> String {
        let numbers = [rectangle.width, rectangle.height, rectangle.x, rectangle.y].map {
            Text.number($0, digits: 2)
        }
        return "\(numbers[0])x\(numbers[1]) at \(numbers[2]),\(numbers[3])"
    }

    /// A file's own words, without what a terminal would act on.
    private static func clean(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? "." : $0 }))
    }
}
