/// A place in the animation that the sender of the gift fills: `src[]`.
package struct FusionSource: Hashable, Sendable {
    package enum Kind: String, Sendable, Codable {
        case image, text
    }

    package enum Fit: String, Sendable, Codable {
        /// `fitXY` and everything unknown.
        case stretch
        /// `centerFull`.
        case cover
    }

    package let id: String
    package let kind: Kind
    /// What the sender names it by; opaque, brackets included.
    package let tag: String
    /// Pixels of the source's own bitmap. Zero where the file does not say.
    package let size: Size
    package let fit: Fit
    /// As in the file, for instance `#RRGGBB`; nil is the default.
    package let colour: String?
    package let isBold: Bool
}

/// One source in one frame: an entry of `obj[]`.
package struct FusionElement: Hashable, Sendable {
    /// Index into the manifest's sources.
    package let source: Int
    package let z: Double
    /// Where it is drawn, in pixels of the canvas. May reach outside.
    package let target: Rectangle
    /// Its mask, in coded pixels, inside the coded picture.
    package let mask: Rectangle
    /// Whether the mask is a quarter turn clockwise off (`mt` is 90).
    package let isTurned: Bool
}

/// `src[]` and `frame[]` while they are read. Only too many sources refuse the file.
struct Fusion {
    private(set) var sources: [FusionSource] = []
    private(set) var elements: [Int: [FusionElement]] = [:]
    private var indices: [String: Int] = [:]

    /// Nothing to draw.
    init() {}

    init(_ root: JSON, layout: Layout, warnings: inout Warnings) throws(AnimationError) {
        try readSources(root["src"], warnings: &warnings)
        readFrames(root["frame"], layout: layout, warnings: &warnings)
    }

    // MARK: Sources

    private mutating func readSources(_ json: JSON?, warnings: inout Warnings) throws(AnimationError) {
        guard let entries = json?.elements else {
            warnings.add("src is \(json?.what ?? "missing") where an array is expected")
            return
        }
        guard entries.count <= Limits.sources else {
            throw AnimationError(
                .limitExceeded, "src holds \(entries.count) sources, more than \(Limits.sources).")
        }
        for entry in entries {
            guard let source = Self.source(entry, warnings: &warnings) else { continue }
            if let index = indices[source.id] {
                warnings.add("srcId is there twice, the last counts")
                sources[index] = source
            } else {
                indices[source.id] = sources.count
                sources.append(source)
            }
        }
    }

    private static func source(_ json: JSON, warnings: inout Warnings) -> FusionSource? {
        guard let id = json["srcId"]?.identifier else {
            warnings.add("a source without srcId is left out")
            return nil
        }
        let kind: FusionSource.Kind
        switch json["srcType"]?.text {
        case "img": kind = .image
        case "txt": kind = .text
        default:
            warnings.add("a source that is neither img nor txt is left out")
            return nil
        }
        let width = json["w"]?.side ?? 0
        let height = json["h"]?.side ?? 0
        guard max(width, height) <= Limits.sourceSide else {
            warnings.add("a source of more than \(Limits.sourceSide) pixels is left out")
            return nil
        }
        let colour = json["color"]?.text ?? ""
        if kind == .text, !colour.isEmpty, FusionColour(colour) == nil {
            warnings.add("a text colour that is neither #RRGGBB nor #AARRGGBB nor a name counts as black")
        }
        return FusionSource(
            id: id, kind: kind, tag: json["srcTag"]?.text ?? "", size: Size(width, height),
            fit: json["fitType"]?.text == "centerFull" ? .cover : .stretch,
            colour: colour.isEmpty ? nil : colour, isBold: json["style"]?.text == "b")
    }

    // MARK: Frames

    private mutating func readFrames(_ json: JSON?, layout: Layout, warnings: inout Warnings) {
        guard let entries = json?.elements else {
            warnings.add("frame is \(json?.what ?? "missing") where an array is expected")
            return
        }
        var seen: Set<Int> = []
        for entry in entries {
            guard let index = entry["i"]?.whole, (0..<layout.frameCount).contains(index),
                let objects = entry["obj"]?.elements
            else {
                warnings.add("a frame entry without a good i or obj is left out")
                continue
            }
            if !seen.insert(index).inserted { warnings.add("a frame index is there twice, the last counts") }
            let found = frame(objects, coded: layout.coded, warnings: &warnings)
            elements[index] = found.isEmpty ? nil : found
        }
    }

    /// The usable elements of one frame, lowest z first and otherwise in the order of the file.
    private func frame(_ objects: [JSON], coded: Size, warnings: inout Warnings) -> [FusionElement] {
        if objects.count > Limits.elementsPerFrame {
            warnings.add("more than \(Limits.elementsPerFrame) elements in a frame, the rest is left out")
        }
        var found: [FusionElement] = []
        for object in objects.prefix(Limits.elementsPerFrame) {
            guard let element = element(object, coded: coded, warnings: &warnings) else { continue }
            let place = found.lastIndex { $0.z <= element.z }.map { $0 + 1 } ?? 0
            found.insert(element, at: place)
        }
        return found
    }

    private func element(_ json: JSON, coded: Size, warnings: inout Warnings) -> FusionElement? {
        guard let source = json["srcId"]?.identifier.flatMap({ indices[$0] }) else {
            warnings.add("an element names no known srcId and is left out")
            return nil
        }
        guard let target = json["frame"]?.rectangle, let mask = json["mFrame"]?.rectangle else {
            warnings.add("an element without a good frame or mFrame is left out")
            return nil
        }
        guard target.isDrawable else {
            warnings.add("an element whose frame is empty or far outside is left out")
            return nil
        }
        guard mask.width > 0, mask.height > 0, mask.lies(within: coded) else {
            warnings.add("an element whose mFrame is empty or outside the picture is left out")
            return nil
        }
        let turn = json["mt"]?.finite ?? 0
        if turn != 0, turn != 90 { warnings.add("a mask rotation other than 0 and 90 counts as 0") }
        return FusionElement(
            source: source, z: json["z"]?.finite ?? 0, target: target, mask: mask, isTurned: turn == 90)
    }
}

extension JSON {
    /// A text, or a whole number as text: some tools write ids without quotes.
    fileprivate var identifier: String? { text ?? whole.map { "\($0)" } }

    fileprivate var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// A side in whole pixels, rounded up; nil for what is none.
    fileprivate var side: Int? {
        guard let finite, finite > 0 else { return nil }
        return Int(min(finite, 1e9).rounded(.up))
    }
}

extension Rectangle {
    /// Has an area, and numbers that no arithmetic can overflow.
    fileprivate var isDrawable: Bool {
        width > 0 && height > 0 && [x, y, width, height].allSatisfy { $0.magnitude <= 1e6 }
    }
}
