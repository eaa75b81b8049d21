/// Which half of a bare split file is what.
package enum Halves: String, Sendable, Codable, CaseIterable {
    /// Where the alpha is; the colour is in the other half.
    case alphaLeft, alphaRight, alphaTop, alphaBottom
}

/// How a split file without a manifest is cut. Never guessed: whoever brings the gift says so.
package struct BareLayout: Hashable, Sendable {
    package enum Cut: Hashable, Sendable {
        case halves(Halves)
        /// In pixels of the decoded picture.
        case rectangles(colour: Rectangle, alpha: Rectangle)
    }

    package var cut: Cut
    /// Instead of the track's own rate.
    package var framesPerSecond: Double?

    package init(_ cut: Cut, framesPerSecond: Double? = nil) {
        self.cut = cut
        self.framesPerSecond = framesPerSecond
    }

    /// Reads the short form of a sidecar: `{"halves": "alphaLeft"}` or `{"rgbFrame": [x, y, width, height], "aFrame":
    /// […]}`, each with `fps` or without. Nil for everything else, which may be a manifest.
    package init?(json: [UInt8]) throws(AnimationError) {
        guard json.count <= Limits.payload else { return nil }
        var warnings = Warnings()
        try self.init(try JSONReader.value(in: JSONText.clean(json, warnings: &warnings)))
    }

    init?(_ root: JSON) throws(AnimationError) {
        let names = ["halves", "rgbFrame", "aFrame"]
        guard root["info"] == nil, names.contains(where: { root[$0] != nil }) else { return nil }
        cut = try Self.cut(root)
        guard let rate = root["fps"] else { return }
        guard let number = rate.finite else {
            throw AnimationError(.fieldType, "fps is \(rate.what) where a number is expected.")
        }
        framesPerSecond = number
    }

    private static func cut(_ root: JSON) throws(AnimationError) -> Cut {
        guard let halves = root["halves"] else {
            return .rectangles(colour: try rectangle(root, "rgbFrame"), alpha: try rectangle(root, "aFrame"))
        }
        guard root["rgbFrame"] == nil, root["aFrame"] == nil else {
            throw AnimationError(
                .fieldValue, "halves and rectangles exclude each other: one of them says it.")
        }
        guard case .string(let name) = halves, let known = Halves(rawValue: name) else {
            let names = Halves.allCases.map(\.rawValue).joined(separator: ", ")
            throw AnimationError(.fieldValue, "halves is \(halves.what), none of \(names).")
        }
        return .halves(known)
    }

    private static func rectangle(_ root: JSON, _ name: String) throws(AnimationError) -> Rectangle {
        guard let value = root[name] else {
            throw AnimationError(.fieldMissing, "\(name) is missing: rgbFrame and aFrame go together.")
        }
        guard let rectangle = value.rectangle else {
            throw AnimationError(
                .fieldType, "\(name) is \(value.what) where four numbers [x, y, width, height] are expected.")
        }
        return rectangle
    }
}

extension Layout {
    /// The layout of a split file without a manifest, from the size of its decoded pictures. Checked. Of halves an odd
    /// side leaves its middle row or column out; rectangles are drawn at the size of the colour's.
    package init(
        _ bare: BareLayout, coded: Size, frameCount: Int, framesPerSecond: Double
    ) throws(AnimationError) {
        let rate = bare.framesPerSecond ?? framesPerSecond
        switch bare.cut {
        case .halves(let halves):
            self.init(halves, coded: coded, frameCount: frameCount, framesPerSecond: rate)
        case .rectangles(let colour, let alpha):
            let sides = [colour.width, colour.height].map {
                $0.isNaN ? 0 : Int(min(max($0.rounded(), 0), 1e6))
            }
            self.init(
                coded: coded, canvas: Size(sides[0], sides[1]), colour: colour, alpha: alpha,
                frameCount: frameCount, framesPerSecond: rate)
        }
        try check()
    }

    private init(_ halves: Halves, coded: Size, frameCount: Int, framesPerSecond: Double) {
        let isBeside = halves == .alphaLeft || halves == .alphaRight
        let canvas = isBeside ? Size(coded.width / 2, coded.height) : Size(coded.width, coded.height / 2)
        let first = Rectangle(x: 0, y: 0, width: Double(canvas.width), height: Double(canvas.height))
        var second = first
        if isBeside { second.x = Double(coded.width - canvas.width) }
        if !isBeside { second.y = Double(coded.height - canvas.height) }
        let isAlphaFirst = halves == .alphaLeft || halves == .alphaTop
        self.init(
            coded: coded, canvas: canvas, colour: isAlphaFirst ? second : first,
            alpha: isAlphaFirst ? first : second, frameCount: frameCount, framesPerSecond: framesPerSecond)
    }
}
