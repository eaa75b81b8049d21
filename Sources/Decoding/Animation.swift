internal import CLibAV
package import Pictures
package import VAP

/// A parsed gift file. Immutable; shared by all gifts that play it, each with a `Player` of its own.
///
/// The file stays open: what is played is what was checked, whatever takes its name meanwhile.
package final class Animation: Sendable {
    package let path: String
    package let byteCount: Int64
    /// At the file's top level.
    package let boxes: [Box]
    package let origin: VAPFile.Origin
    /// Nil for a bare split file.
    package let manifest: Manifest?
    package let layout: Layout
    /// How its sidecar wants it blended, where a gift does not say otherwise.
    package let blend: Blend?
    package let codec: VideoCodec
    /// The codec's profile as libav names it, and the four letters of the track's sample entry.
    package let profile, sampleEntry: String
    package let format: CodedFormat
    /// Coded pictures in the track; may differ from the layout's `frameCount`.
    package let codedFrameCount: Int
    /// The first sound track; nil when there is none.
    package let soundTrack: SoundTrack?
    package var hasSound: Bool { soundTrack != nil }
    /// Oddities that do not keep it from playing, for the operator.
    package let warnings: [String]
    let file: GiftFile
    let frames: FrameTable

    /// How far the first picture that can be decoded may lie behind the first coded one.
    private static let patience = 250

    /// Opens and checks a file: boxes, layout, track, first picture. Takes some milliseconds, and a read of the
    /// whole file; blocks on the disk alone.
    ///
    /// A sidecar is the path of a JSON file that counts instead of the `vapc` box. A bare layout counts only where
    /// neither is there.
    package static func open(
        path: String, sidecar: String? = nil, bare: BareLayout? = nil
    ) throws(AnimationError) -> Animation {
        let file = try GiftFile.open(path)
        let json: [UInt8]? =
            if let sidecar { try GiftFile.whole(sidecar, limit: Int64(Limits.payload)) } else { nil }
        let parsed = try VAPFile.read(file, sidecar: json, bare: bare)
        try MovieCheck.check(parsed.boxes, in: file)
        return try Animation(path: path, file: file, parsed: parsed)
    }

    private init(path: String, file: GiftFile, parsed: VAPFile) throws(AnimationError) {
        let track = try Track(file)
        let first = try Self.first(of: track, in: file)
        if let manifest = parsed.manifest {
            layout = manifest.layout
            try layout.check(codedSize: first.format.size)
        } else if let bare = parsed.bare {
            layout = try Layout(
                bare, coded: first.format.size, frameCount: track.table.count,
                framesPerSecond: track.framesPerSecond)
        } else {
            throw AnimationError(.layoutMissing, "The file has no layout.")
        }
        blend = try parsed.blend.map { name throws(AnimationError) in try Self.blend(name) }
        self.path = path
        self.file = file
        byteCount = file.count
        boxes = parsed.boxes
        origin = parsed.origin
        manifest = parsed.manifest
        codec = first.codec
        profile = first.profile
        sampleEntry = first.sampleEntry
        format = first.format
        codedFrameCount = track.table.count
        soundTrack = track.sound
        frames = track.table
        warnings = parsed.warnings + track.warnings(layout) + first.warnings
    }

    private static func blend(_ name: String) throws(AnimationError) -> Blend {
        if let blend = Blend(rawValue: name) { return blend }
        let names = Blend.allCases.map(\.rawValue).joined(separator: ", ")
        throw AnimationError(.fieldValue, "The sidecar's blend is none of \(names).")
    }

    /// What the first picture that can be decoded tells.
    private static func first(of track: Track, in file: GiftFile) throws(AnimationError) -> First {
        var decoder = try TrackDecoder.open(try TrackReader.open(file), track.table, packets: patience)
        guard try decoder.next() else {
            throw AnimationError(
                .mediaCorrupt,
                "None of the first \(min(patience, track.table.count)) pictures can be decoded.")
        }
        return First(
            codec: decoder.codecName, profile: decoder.profile, sampleEntry: decoder.sampleEntry,
            format: try CodedFormat(decoder.frame.raw.pointee),
            index: decoder.index ?? 0)
    }

    private struct First {
        let codec: VideoCodec
        let profile, sampleEntry: String
        let format: CodedFormat
        let index: Int

        var warnings: [String] {
            index > 0 ? ["the first \(index) pictures cannot be decoded and are not shown"] : []
        }
    }
}

/// A gift file's sound, as the track's header says it.
package struct SoundTrack: Hashable, Sendable, Codable {
    /// As libav names it, for instance `aac`.
    package let codec: String
    /// Samples a second; 0 where the header does not say.
    package let sampleRate: Int
    package let channels: Int
    package let seconds: Double
}

/// What the track says about itself before anything is decoded.
private struct Track {
    let table: FrameTable
    let sound: SoundTrack?
    let framesPerSecond: Double
    private let videoCount: Int

    /// Reads all coded pictures for their stamps.
    init(_ file: GiftFile) throws(AnimationError) {
        let reader = try TrackReader.open(file)
        let packet = Owner<AVPacket>.packet()
        var stamps: [Int64] = []
        while try reader.read(into: packet.raw) {
            guard stamps.count < MovieCheck.samples else {
                throw AnimationError(.limitExceeded, "The track holds more than \(stamps.count) pictures.")
            }
            stamps.append(packet.raw.pointee.pts)
        }
        guard !stamps.isEmpty else {
            throw AnimationError(.videoMissing, "The video track holds no pictures.")
        }
        table = FrameTable(stamps)
        sound = reader.sound
        videoCount = reader.videoCount
        framesPerSecond = reader.framesPerSecond
    }

    func warnings(_ layout: Layout) -> [String] {
        var warnings: [String] = []
        if table.count != layout.frameCount {
            warnings.append(
                "f is \(layout.frameCount), but the track holds \(table.count) pictures: "
                    + (table.count < layout.frameCount ? "the last is held" : "the rest is not shown"))
        }
        if videoCount > 1 { warnings.append("\(videoCount) video tracks, of which the first is played") }
        return warnings
    }
}
