/// What a JSON file beside a gift file says: its layout, in full or in short, how it is blended, or both.
struct Sidecar {
    enum Content {
        case manifest(Manifest)
        case bare(BareLayout)
        /// The gift file's own layout counts.
        case nothing
    }

    let content: Content
    /// As it stands there; whether it is the name of a blend is for others to say.
    let blend: String?

    init(json: [UInt8]) throws(AnimationError) {
        guard json.count <= Limits.payload else {
            throw AnimationError(
                .limitExceeded, "The sidecar holds \(json.count) bytes, more than \(Limits.payload).")
        }
        var warnings = Warnings()
        let root = try JSONReader.value(in: JSONText.clean(json, warnings: &warnings))
        blend = try Self.blend(root)
        if let bare = try BareLayout(root) {
            content = .bare(bare)
        } else if blend != nil, root["info"] == nil {
            content = .nothing
        } else {
            content = .manifest(try Manifest(root, warnings))
        }
    }

    private static func blend(_ root: JSON) throws(AnimationError) -> String? {
        guard let value = root["blend"] else { return nil }
        guard case .string(let name) = value else {
            throw AnimationError(.fieldType, "blend is \(value.what) where a name is expected.")
        }
        return name
    }
}
