package import VAP

/// What a gift's sender fills in, matched with the animation's sources.
package struct FusionOrder: Sendable {
    package enum Content: Hashable, Sendable {
        case text(String)
        /// Where the picture is, as the sender says it.
        case image(String)
    }

    package struct Filling: Sendable {
        /// Index into the manifest's sources.
        package let source: Int
        package let content: Content
    }

    package let manifest: Manifest
    /// One for every source that is filled, in the order of the file.
    package let fillings: [Filling]

    /// Matches by tag; the brackets around a file's tag may be left out, as in Web players. Several sources may have one tag.
    /// The order is nil when nothing is filled in: then the gift is played as it is. The warnings say what was given and
    /// cannot be used.
    package static func match(
        _ manifest: Manifest?, texts: [String: String], images: [String: String]
    ) -> (order: FusionOrder?, warnings: [String]) {
        var warnings: [String] = []
        var fillings: [Filling] = []
        var (used, usedImages): (Set<String>, Set<String>) = ([], [])
        for (index, source) in (manifest?.sources ?? []).enumerated() {
            let isText = source.kind == .text
            guard let (key, value) = entry(of: source.tag, in: isText ? texts : images) else { continue }
            if isText { used.insert(key) } else { usedImages.insert(key) }
            fillings.append(Filling(source: index, content: isText ? .text(value) : .image(value)))
        }
        warnings += texts.keys.filter { !used.contains($0) }.sorted().map { unknown($0, "text", manifest) }
        warnings += images.keys.filter { !usedImages.contains($0) }.sorted()
            .map { unknown($0, "image", manifest) }
        guard let manifest, !fillings.isEmpty else { return (nil, warnings) }
        return (FusionOrder(manifest: manifest, fillings: fillings), warnings)
    }

    private static func entry(of tag: String, in given: [String: String]) -> (String, String)? {
        if let value = given[tag] { return (tag, value) }
        guard tag.hasPrefix("["), tag.hasSuffix("]"), tag.count > 2 else { return nil }
        let bare = String(tag.dropFirst().dropLast())
        return given[bare].map { (bare, $0) }
    }

    private static func unknown(_ tag: String, _ kind: String, _ manifest: Manifest?) -> String {
        let tags = (manifest?.sources ?? []).filter { ($0.kind == .text) == (kind == "text") }.map(\.tag)
        let known = tags.isEmpty ? "there are none" : "there are \(tags.prefix(20).joined(separator: ", "))"
        return "the gift has no \(kind) \"\(tag)\": \(known)"
    }
}
