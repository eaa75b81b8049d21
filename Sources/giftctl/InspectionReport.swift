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
        /// Of text, as in the file.
        let colour: String?
        let isBold: Bool
    }

    /// The pictures as the codec holds them, told by the first of them.
    struct Coded: Encodable {
        let codec: String
        let profile: String
        /// The four letters of the track's sample entry.
        let entry: String
        let size: Size
        let pixels: String
        let bitDepth: Int
        let matrix: String
        let range: String
        let pictures: Int
        /// Of those that are shown, the ones that can be decoded.
        let decoded: Int
    }

    let file: String
    let bytes: Int64
    let boxes: [Box]
    /// Where the layout comes from: `box`, or the sidecar's path.
    let layout: String
    /// What the sidecar says of it.
    let blend: String?
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
    let sound: SoundTrack?
    let sources: [Source]
    /// Frames that something of a source is drawn in.
    let fusedFrames: Int
    /// Bytes behind the last box.
    let trailingBytes: Int64
    /// Why it would end as failed, when it would.
    let damage: InspectionFault.Fault?
    /// Oddities that do not keep it from playing.
    let warnings: [String]

    init(_ animation: Animation, _ survey: AnimationSurvey, sidecar: String?) {
        let plan = animation.layout
        file = animation.path
        bytes = animation.byteCount
        boxes = animation.boxes.map { Box(type: $0.type, offset: $0.offset, size: $0.size) }
        layout = animation.origin == .sidecar ? sidecar ?? "sidecar" : animation.origin.rawValue
        blend = animation.blend?.rawValue
        size = plan.canvas
        frames = plan.frameCount
        fps = plan.framesPerSecond
        duration = Double(plan.duration) / 1e9
        let format = animation.format
        coded = Coded(
            codec: animation.codec.rawValue, profile: animation.profile, entry: animation.sampleEntry,
            size: format.size, pixels: format.name, bitDepth: format.bitDepth,
            matrix: format.colour.matrix.rawValue, range: format.colour.range.rawValue,
            pictures: animation.codedFrameCount, decoded: survey.decoded)
        colour = plan.colour
        alpha = plan.alpha
        hasSound = animation.hasSound
        sound = animation.soundTrack
        sources = (animation.manifest?.sources ?? []).map {
            Source(
                id: $0.id, kind: $0.kind.rawValue, tag: $0.tag, size: $0.size, fit: $0.fit.rawValue,
                colour: $0.colour, isBold: $0.isBold)
        }
        fusedFrames = animation.manifest?.elements.count ?? 0
        trailingBytes = animation.byteCount - (animation.boxes.last.map { $0.offset + $0.size } ?? 0)
        damage = survey.damage.map { .init(kind: $0.kind.rawValue, message: $0.message) }
        warnings = animation.warnings + survey.warnings
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
                "\(coded.codec) \(coded.profile) (\(coded.entry)), \(coded.pictures) pictures of \(Self.text(coded.size)), \(coded.pixels), "
                    + "\(coded.matrix) \(coded.range)",
            ],
            ["colour", Self.text(colour)],
            ["alpha", Self.text(alpha)],
        ]
        if let blend { rows.append(["blend", blend]) }
        if let sound {
            let rate = "\(sound.sampleRate) Hz", length = Text.number(sound.seconds, digits: 3)
            rows.append([
                "sound", "\(sound.codec), \(rate), \(Text.count(sound.channels, "channel")), \(length) s",
            ])
        }
        for source in sources {
            let style = [source.colour, source.isBold ? "bold" : nil].compactMap(\.self)
            let words = [source.id, source.kind, source.tag, Self.text(source.size), source.fit] + style
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
