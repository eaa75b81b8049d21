/// A gift file's boxes and its layout. The media inside is not looked at.
package struct VAPFile: Sendable {
    /// Where the layout comes from.
    package enum Origin: String, Sendable, Codable {
        case box, sidecar
        /// Nowhere: the file is a bare split one and the caller has said how it is cut.
        case given
    }

    package let boxes: [Box]
    package let origin: Origin
    /// Nil for a bare split file.
    package let manifest: Manifest?
    /// Of a bare split file: its layout is made with `Layout.init(_:coded:…)` once the track's size is known.
    package let bare: BareLayout?
    /// How the sidecar wants it blended; the name is not checked.
    package let blend: String?
    /// Oddities that do not keep the file from playing, those of the manifest included.
    package let warnings: [String]

    /// Reads the boxes, then the JSON: a sidecar that is given wins over the box, and the first box over
    /// later ones. `bare` counts only for a file that has neither.
    package static func read(
        _ source: some ByteSource, sidecar: [UInt8]? = nil, bare: BareLayout? = nil
    ) throws(AnimationError) -> VAPFile {
        let walk = try BoxWalk(source)
        var warnings = walk.warnings
        guard walk.boxes.contains(where: { $0.type == "moov" }) else {
            throw AnimationError(.movieMissing, "None of the \(walk.boxes.count) boxes is a 'moov'.")
        }
        let layouts = walk.boxes.filter { $0.type == "vapc" }
        if layouts.count > 1 { warnings.add("\(layouts.count) vapc boxes, of which the first counts") }
        let side: Sidecar? = if let sidecar { try Sidecar(json: sidecar) } else { nil }
        let hasLayout = side.map { if case .nothing = $0.content { false } else { true } } ?? false
        if hasLayout, !layouts.isEmpty { warnings.add("the sidecar counts, not the vapc box") }
        if bare != nil, hasLayout || !layouts.isEmpty {
            warnings.add("the JSON counts, not the layout that was given")
        }

        var (manifest, cut, origin) = (Manifest?.none, bare, Origin.given)
        if let side, hasLayout {
            origin = .sidecar
            switch side.content {
            case .manifest(let own): (manifest, cut) = (own, nil)
            case .bare(let own): cut = own
            case .nothing: break
            }
        } else if let box = layouts.first {
            (manifest, cut, origin) = (try Manifest(json: payload(of: box, in: source)), nil, .box)
        } else if bare == nil {
            throw missing(walk.boxes, in: source)
        }
        return VAPFile(
            boxes: walk.boxes, origin: origin, manifest: manifest, bare: cut, blend: side?.blend,
            warnings: warnings.lines + (manifest?.warnings ?? []))
    }

    /// A refusal that names what the file is instead, where that is known, and what would help.
    private static func missing(_ boxes: [Box], in source: some ByteSource) -> AnimationError {
        let help = "a sidecar such as {\"halves\": \"alphaLeft\"} says how a bare file is cut"
        let isForeign = boxes.contains { box in
            guard box.type == "moov", box.payloadSize <= Int64(Limits.payload) else { return false }
            let payload = try? source.exactly(Int(box.payloadSize), at: box.payloadOffset, of: "Box 'moov'")
            return payload.map(ForeignFormat.isYYEVA) ?? false
        }
        return AnimationError(
            .layoutMissing,
            isForeign
                ? "The file is YYEVA, not VAP: none of its \(boxes.count) boxes is a 'vapc'; \(help)."
                : "None of the \(boxes.count) boxes is a 'vapc', and there is no sidecar; \(help).")
    }

    private static func payload(of box: Box, in source: some ByteSource) throws(AnimationError) -> [UInt8] {
        guard box.payloadSize <= Int64(Limits.payload) else {
            throw AnimationError(
                .limitExceeded, "Box 'vapc' holds \(box.payloadSize) bytes, more than \(Limits.payload).")
        }
        return try source.exactly(Int(box.payloadSize), at: box.payloadOffset, of: "Box 'vapc'")
    }
}
