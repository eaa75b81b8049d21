package import VAP

/// Where fusion sources are drawn, and which part of their pictures. Android's rules (vap-guide.md section 5.3).
/// Pure arithmetic that no numbers of a file can overflow.
enum FusionGeometry {
    /// The part of a source's picture that fills a target of `width` x `height` canvas pixels, in pixels of the
    /// picture.
    static func window(
        of source: FusionSource, picture: Size, targetWidth: Double, targetHeight: Double
    ) -> Rectangle {
        guard source.fit == .cover else {
            return Rectangle(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height))
        }
        let drawn = drawnSize(of: source, picture: picture)
        let part = part(of: drawn, width: whole(targetWidth), height: whole(targetHeight))
        let across = Double(picture.width) / Double(drawn.width)
        let down = Double(picture.height) / Double(drawn.height)
        return Rectangle(
            x: part.x * across, y: part.y * down, width: part.width * across, height: part.height * down)
    }

    /// The picture scaled, in its shape, to just cover the source's size; its own size where the file does not say.
    static func drawnSize(of source: FusionSource, picture: Size) -> Size {
        let wanted = source.size
        guard wanted.width > 0, wanted.height > 0 else { return picture }
        if picture.width * wanted.height >= picture.height * wanted.width {
            return Size(max(wanted.height * picture.width / picture.height, 1), wanted.height)
        }
        return Size(wanted.width, max(wanted.width * picture.height / picture.width, 1))
    }

    /// The middle of the drawn picture: unscaled where it is large enough, so that it keeps still while its mask
    /// changes size, else the largest part of the target's shape. Whole numbers are cut, as the Android player does.
    private static func part(of drawn: Size, width: Int, height: Int) -> Rectangle {
        if width <= drawn.width, height <= drawn.height {
            return Rectangle(
                x: Double((drawn.width - width) / 2), y: Double((drawn.height - height) / 2),
                width: Double(width), height: Double(height))
        }
        if width * drawn.height > drawn.width * height {
            let cut = max(drawn.width * height / width, 1)
            return Rectangle(
                x: 0, y: Double((drawn.height - cut) / 2), width: Double(drawn.width), height: Double(cut))
        }
        let cut = max(drawn.height * width / height, 1)
        return Rectangle(
            x: Double((drawn.width - cut) / 2), y: 0, width: Double(cut), height: Double(drawn.height))
    }

    /// At least 1; targets are at most 1e6 pixels wide.
    private static func whole(_ length: Double) -> Int { max(Int(min(length, 1e6)), 1) }
}

/// How large each source of an animation is drawn at one place, so that its picture is made no larger than that, and
/// no smaller.
package struct FusionDemand: Sendable {
    private struct Target: Hashable {
        let width, height: Double
    }

    private let manifest: Manifest
    private let across, down: Double
    private var targets: [Set<Target>]

    package init(_ manifest: Manifest, place: PlacedRectangle) {
        self.manifest = manifest
        let canvas = manifest.layout.canvas
        across = Double(place.width) / Double(canvas.width)
        down = Double(place.height) / Double(canvas.height)
        targets = Array(repeating: [], count: manifest.sources.count)
        for element in manifest.elements.values.joined() {
            targets[element.source].insert(
                Target(width: element.target.width, height: element.target.height))
        }
    }

    /// Whether any frame draws the source.
    package func isDrawn(_ source: Int) -> Bool { !targets[source].isEmpty }

    /// The size of which a picture of size `picture` need not be larger.
    package func reduced(_ picture: Size, of source: Int) -> Size {
        var (width, height) = (0.0, 0.0)
        for target in targets[source] {
            let window = FusionGeometry.window(
                of: manifest.sources[source], picture: picture, targetWidth: target.width,
                targetHeight: target.height)
            width = max(width, target.width * across / window.width)
            height = max(height, target.height * down / window.height)
        }
        func side(_ length: Int, _ factor: Double) -> Int {
            max(Int((Double(length) * min(factor, 1)).rounded(.up)), 1)
        }
        return Size(side(picture.width, width), side(picture.height, height))
    }

    /// The size that a text source is laid out for, and how many program pixels one of its pixels becomes at most.
    /// Nil when nothing draws it.
    package func text(_ source: Int) -> (size: Size, scale: Double)? {
        guard let widest = targets[source].map(\.width).max(),
            let highest = targets[source].map(\.height).max()
        else { return nil }
        let own = manifest.sources[source].size
        let size = Size(
            own.width > 0 ? own.width : max(Int(widest.rounded(.up)), 1),
            own.height > 0 ? own.height : max(Int(highest.rounded(.up)), 1))
        let scale = max(widest * across / Double(size.width), highest * down / Double(size.height))
        return (size, scale)
    }
}
