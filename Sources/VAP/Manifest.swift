/// The JSON of a gift file, checked: how to play it and what may be drawn into it.
///
/// `info` is strict: whatever is wrong there refuses the file, by name. Numbers may be floats or, with a
/// warning, strings. Fusion is lenient: an entry that cannot be used is left out with a warning, for a gift
/// without a name in it is better than no gift.
package struct Manifest: Sendable {
    package let layout: Layout
    /// Whether sources are to be drawn into the pictures: `isVapx` is 1 and there are usable elements.
    package let isFusion: Bool
    package let sources: [FusionSource]
    /// By display index, lowest z first. Frames without elements have no entry.
    package let elements: [Int: [FusionElement]]
    /// `orien`: 0 any, 1 portrait, 2 landscape. Nothing depends on it.
    package let orientation: Int
    package let warnings: [String]

    /// Reads the payload of a `vapc` box or a sidecar file.
    package init(json: [UInt8]) throws(AnimationError) {
        guard json.count <= Limits.payload else {
            throw AnimationError(
                .limitExceeded, "The layout holds \(json.count) bytes, more than \(Limits.payload).")
        }
        var warnings = Warnings()
        let root = try JSONReader.value(in: JSONText.clean(json, warnings: &warnings))
        try self.init(root, warnings)
    }

    /// From JSON that has been read, with what was odd about its text.
    init(_ root: JSON, _ text: Warnings) throws(AnimationError) {
        var warnings = text
        guard case .object = root else {
            throw AnimationError(.fieldType, "The layout is \(root.what) where an object is expected.")
        }
        var info = try Info(root)
        try info.checkVersion()
        layout = try info.layout()
        try layout.check()
        orientation = root["info"]?["orien"]?.whole ?? 0
        let isVapx = info.flag("isVapx", warnings: &warnings)
        info.report(layout, warnings: &warnings)

        let fusion = isVapx ? try Fusion(root, layout: layout, warnings: &warnings) : Fusion()
        if isVapx, fusion.elements.isEmpty { warnings.add("isVapx is 1, but there is nothing to draw") }
        if !isVapx, root["src"] != nil { warnings.add("src is there, but isVapx is not 1: nothing is drawn") }
        sources = fusion.sources
        elements = fusion.elements
        isFusion = !fusion.elements.isEmpty
        self.warnings = warnings.lines
    }
}

/// The object `info` while it is read.
private struct Info {
    private let json: JSON
    private var given: [String] = []

    init(_ root: JSON) throws(AnimationError) {
        guard let info = root["info"] else {
            throw AnimationError(.fieldMissing, "The layout has no 'info'.")
        }
        guard case .object = info else {
            throw AnimationError(.fieldType, "'info' is \(info.what) where an object is expected.")
        }
        json = info
    }

    mutating func checkVersion() throws(AnimationError) {
        guard json["v"] != nil else {
            throw AnimationError(.versionUnsupported, "info.v is missing, and only version 2 is played.")
        }
        let version = try number("v")
        guard version == 2 else {
            throw AnimationError(.versionUnsupported, "info.v is \(version), and only version 2 is played.")
        }
    }

    mutating func layout() throws(AnimationError) -> Layout {
        Layout(
            coded: Size(try whole("videoW"), try whole("videoH")),
            canvas: Size(try whole("w"), try whole("h")),
            colour: try rectangle("rgbFrame"), alpha: try rectangle("aFrame"),
            frameCount: try whole("f"), framesPerSecond: try number("fps"))
    }

    /// A switch that no file is refused for.
    func flag(_ name: String, warnings: inout Warnings) -> Bool {
        guard let value = json[name] else { return false }
        if let number = value.finite { return number == 1 }
        warnings.add("info.\(name) is \(value.what) where 0 or 1 is expected")
        return value == .bool(true)
    }

    /// Says what is odd about an `info` that is good enough.
    func report(_ layout: Layout, warnings: inout Warnings) {
        if !given.isEmpty { warnings.add("numbers given as text: \(given.joined(separator: ", "))") }
        let (canvas, colour, alpha) = (layout.canvas, layout.colour, layout.alpha)
        if abs(colour.width - Double(canvas.width)) >= 1
            || abs(colour.height - Double(canvas.height)) >= 1
        {
            warnings.add(
                "rgbFrame is \(colour.sizeText) and is scaled to \(canvas.width)x\(canvas.height)"
            )
        }
        if colour.overlaps(alpha) { warnings.add("rgbFrame and aFrame overlap") }
        let skew = abs(alpha.width * colour.height - alpha.height * colour.width)
        // Halving an odd side loses up to a pixel of each.
        if skew > colour.width + colour.height {
            warnings.add(
                "aFrame is \(alpha.sizeText), of another shape than rgbFrame with \(colour.sizeText)")
        }
    }

    private func value(_ name: String) throws(AnimationError) -> JSON {
        guard let value = json[name] else {
            throw AnimationError(.fieldMissing, "info.\(name) is missing.")
        }
        return value
    }

    private mutating func number(_ name: String) throws(AnimationError) -> Double {
        let value = try value(name)
        guard let number = value.finite else {
            if case .number = value {
                throw AnimationError(.fieldValue, "info.\(name) is a number beyond all bounds.")
            }
            throw AnimationError(.fieldType, "info.\(name) is \(value.what) where a number is expected.")
        }
        if value.isString { given.append(name) }
        return number
    }

    private mutating func whole(_ name: String) throws(AnimationError) -> Int {
        let number = try number(name)
        guard number.rounded() == number else {
            throw AnimationError(.fieldType, "info.\(name) is \(number) where a whole number is expected.")
        }
        // Far above every limit, so that the limit answers.
        return Int(min(max(number, -1e15), 1e15))
    }

    private mutating func rectangle(_ name: String) throws(AnimationError) -> Rectangle {
        let value = try value(name)
        guard let rectangle = value.rectangle else {
            throw AnimationError(
                .fieldType,
                "info.\(name) is \(value.what) where four numbers [x, y, width, height] are expected.")
        }
        if value.elements?.contains(where: \.isString) == true { given.append(name) }
        return rectangle
    }
}
