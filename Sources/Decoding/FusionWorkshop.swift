internal import Basics
package import Pictures
package import VAP

/// Makes the pictures of fusion sources: renders texts, decodes images, in the size at which they are drawn. Takes
/// milliseconds, and more for large images: for a worker, never for the frame path. One thread at a time.
package final class FusionWorkshop {
    /// What became of one filling.
    package struct Outcome: Sendable {
        package let tag: String
        package let kind: FusionSource.Kind
        /// Nil: its picture is there, or the text has nothing to show.
        package let failure: ImageError?
    }

    /// The picture bytes of an order by where they come from, or why there are none.
    package typealias Images = [String: Result<[UInt8], ImageError>]

    private struct TextKey: Hashable {
        let text: String
        let style: TextRenderer.Style
        let colour: ColourSpace
    }

    /// Made with the first text: it reads the tables of all fonts.
    private lazy var renderer = TextRenderer()
    private var texts = ByteCache<TextKey, FusionBitmap>(limit: 16 << 20)

    package init() {}

    /// Gets everything ready that the first text would wait for.
    package func warmUp() {
        let style = TextRenderer.Style(size: Size(64, 16), scale: 1, colour: .black, isBold: false)
        _ = renderer.render("A中🎁", style)
    }

    /// Makes what an order asks for, for a gift at `place`. Whatever cannot be made is left out. `isLate` is asked
    /// before each picture; from then on the rest is left out.
    package func make(
        _ order: FusionOrder, place: PlacedRectangle, program: ProgramFormat, images: Images,
        isLate: () -> Bool = { false }
    ) -> (art: FusionArt?, outcomes: [Outcome]) {
        let demand = FusionDemand(order.manifest, place: place)
        var tray = Tray(order.manifest)
        for filling in order.fillings where demand.isDrawn(filling.source) {
            guard case .text(let text) = filling.content else { continue }
            tray.put(filling.source) { () throws(ImageError) in
                if isLate() { throw .late }
                return self.text(text, filling.source, demand, order.manifest, program.colour)
            }
        }
        // Each image is decoded once, and none longer in memory than it takes.
        for address in order.addresses {
            let sources = order.fillings.filter { $0.content == .image(address) }.map(\.source)
            let image = Result { () throws(ImageError) in
                if isLate() { throw .late }
                return try ImageDecoder.decode(try (images[address] ?? .failure(.late)).get())
            }
            for source in sources {
                tray.put(source) { () throws(ImageError) in
                    let image = try image.get()
                    guard demand.isDrawn(source) else { return nil }
                    return FusionBitmap(
                        image, colour: program.colour, reduced: demand.reduced(image.size, of: source))
                }
            }
        }
        return (FusionArt(order.manifest, bitmaps: tray.bitmaps), tray.outcomes)
    }

    private func text(
        _ text: String, _ source: Int, _ demand: FusionDemand, _ manifest: Manifest, _ colour: ColourSpace
    ) -> FusionBitmap? {
        guard let (size, scale) = demand.text(source) else { return nil }
        let style = TextRenderer.Style(
            size: size, scale: scale, colour: manifest.sources[source].textColour,
            isBold: manifest.sources[source].isBold)
        let key = TextKey(text: FusionText.clean(text), style: style, colour: colour)
        if let known = texts.value(key) { return known }
        guard let image = renderer.render(text, style) else { return nil }
        let bitmap = FusionBitmap(image, colour: colour, natural: size)
        texts.keep(bitmap, key, byteCount: bitmap.byteCount + 4 * key.text.utf8.count)
        return bitmap
    }

    /// The pictures of one gift while they are made.
    private struct Tray {
        private let manifest: Manifest
        private(set) var bitmaps: [FusionBitmap?]
        private(set) var outcomes: [Outcome] = []
        private var byteCount = 0

        init(_ manifest: Manifest) {
            self.manifest = manifest
            bitmaps = manifest.sources.map { _ in nil }
        }

        mutating func put(_ source: Int, _ make: () throws(ImageError) -> FusionBitmap?) {
            let result = Result { () throws(ImageError) in
                let bitmap = try make()
                let sum = byteCount + (bitmap?.byteCount ?? 0)
                guard sum <= FusionArt.byteLimit else {
                    throw ImageError(
                        .tooLarge, "the gift's pictures take \(sum) bytes, more than \(FusionArt.byteLimit)")
                }
                return bitmap
            }
            var failure: ImageError?
            switch result {
            case .success(let bitmap):
                bitmaps[source] = bitmap
                byteCount += bitmap?.byteCount ?? 0
            case .failure(let error): failure = error
            }
            let (tag, kind) = (manifest.sources[source].tag, manifest.sources[source].kind)
            outcomes.append(Outcome(tag: tag, kind: kind, failure: failure))
        }
    }
}

extension FusionOrder {
    /// Where its images are, each once, in the order of the file.
    package var addresses: [String] {
        var seen: Set<String> = []
        return fillings.compactMap { filling in
            guard case .image(let address) = filling.content else { return nil }
            return seen.insert(address).inserted ? address : nil
        }
    }
}

extension ImageError {
    /// Whoever waited for it waits no longer.
    package static let late = ImageError(.late, "it was not there in time")
}
