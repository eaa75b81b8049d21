/// A gift file's boxes and its layout. The media inside is not looked at.
package struct VAPFile: Sendable {
    /// Where the layout comes from.
    package enum Origin: String, Sendable, Codable {
        case box, sidecar
        /// Nowhere: the file is a bare split one and the caller has said which halves it holds.
        case halves
    }

    package let boxes: [Box]
    package let origin: Origin
    /// Nil only for `Origin.halves`: its layout is made with `Layout.init(halves:…)` once the track's size is
    /// known.
    package let manifest: Manifest?
    /// Oddities that do not keep the file from playing, those of the manifest included.
    package let warnings: [String]

    /// Reads the boxes, then the JSON: a sidecar that is given wins over the box, and the first box over
    /// later ones. `halves` counts only for a file that has neither.
    package static func read(
        _ source: some ByteSource, sidecar: [UInt8]? = nil, halves: Halves? = nil
    ) throws(AnimationError) -> VAPFile {
        let walk = try BoxWalk(source)
        var warnings = walk.warnings
        guard walk.boxes.contains(where: { $0.type == "moov" }) else {
            throw AnimationError(.movieMissing, "None of the \(walk.boxes.count) boxes is a 'moov'.")
        }
        let layouts = walk.boxes.filter { $0.type == "vapc" }
        if layouts.count > 1 { warnings.add("\(layouts.count) vapc boxes, of which the first counts") }
        if sidecar != nil, !layouts.isEmpty { warnings.add("the sidecar counts, not the vapc box") }
        if halves != nil, sidecar != nil || !layouts.isEmpty {
            warnings.add("the JSON counts, not the halves")
        }

        let manifest: Manifest?
        let origin: Origin
        if let sidecar {
            (manifest, origin) = (try Manifest(json: sidecar), .sidecar)
        } else if let box = layouts.first {
            (manifest, origin) = (try Manifest(json: payload(of: box, in: source)), .box)
        } else if halves != nil {
            (manifest, origin) = (nil, .halves)
        } else {
            throw AnimationError(
                .layoutMissing,
                "None of the \(walk.boxes.count) boxes is a 'vapc', and no sidecar or halves were given."
            )
        }
        return VAPFile(
            boxes: walk.boxes, origin: origin, manifest: manifest,
            warnings: warnings.lines + (manifest?.warnings ?? []))
    }

    private static func payload(of box: Box, in source: some ByteSource) throws(AnimationError) -> [UInt8] {
        guard box.payloadSize <= Int64(Limits.payload) else {
            throw AnimationError(
                .limitExceeded, "Box 'vapc' holds \(box.payloadSize) bytes, more than \(Limits.payload).")
        }
        return try source.exactly(Int(box.payloadSize), at: box.payloadOffset, of: "Box 'vapc'")
    }
}
