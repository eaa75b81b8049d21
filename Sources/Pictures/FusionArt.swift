package import VAP

/// What the sender of a gift has filled into an animation: a picture for every source that has one, and where each
/// frame draws it. Immutable; any thread; shared by whoever plays the gift.
package struct FusionArt: Sendable {
    /// Bytes that the pictures of one gift may hold.
    package static let byteLimit = 32 << 20

    let canvas: Size
    let sources: [FusionSource]
    /// By display index, lowest z first; elements without a picture are left out.
    let elements: [Int: [FusionElement]]
    /// By source.
    let bitmaps: [FusionBitmap?]

    /// `bitmaps` holds an entry for every source of the manifest, nil for what is left out. Nil when nothing is left to
    /// draw.
    package init?(_ manifest: Manifest, bitmaps: [FusionBitmap?]) {
        precondition(bitmaps.count == manifest.sources.count)
        let elements = manifest.elements.compactMapValues { elements in
            let drawn = elements.filter { bitmaps[$0.source] != nil }
            return drawn.isEmpty ? nil : drawn
        }
        guard !elements.isEmpty else { return nil }
        self.init(
            canvas: manifest.layout.canvas, sources: manifest.sources, elements: elements, bitmaps: bitmaps)
    }

    /// Elements name sources by their index; each that is named has a bitmap.
    init(
        canvas: Size, sources: [FusionSource], elements: [Int: [FusionElement]], bitmaps: [FusionBitmap?]
    ) {
        self.canvas = canvas
        self.sources = sources
        self.elements = elements
        self.bitmaps = bitmaps
    }
}
