internal import CLibAV
internal import VAP

/// Draws the coded picture of one frame: colour multiplied by alpha on black, alpha as grey, black between.
///
/// Made once for a layout; one thread.
final class PackComposer {
    let layout: Layout
    private let isPremultiplied: Bool
    private let stored: Owner<AVFrame>
    private let alpha: Owner<AVFrame>
    private let storedAlpha: Owner<AVFrame>
    private let shrinker = PackScaler()
    private let converter = PackScaler()

    init(_ layout: Layout, colour: PackOptions.Colour) {
        self.layout = layout
        isPremultiplied = colour == .premultiplied
        stored = .picture(AV_PIX_FMT_RGB24, layout.coded.width, layout.coded.height)
        alpha = .picture(AV_PIX_FMT_GRAY8, layout.canvas.width, layout.canvas.height)
        storedAlpha = .picture(AV_PIX_FMT_GRAY8, Int(layout.alpha.width), Int(layout.alpha.height))
        for row in 0..<layout.coded.height {
            stored.raw.pointee.row(row).update(repeating: 0, count: layout.coded.width * 3)
        }
    }

    /// `source` is RGBA at the canvas size, `target` 4:2:0 at the coded size and writable.
    func compose(
        _ source: UnsafeMutablePointer<AVFrame>, into target: UnsafeMutablePointer<AVFrame>
    ) throws(PackError) {
        for row in 0..<layout.canvas.height {
            multiply(
                UnsafePointer(source.pointee.row(row)), colour: stored.raw.pointee.row(row),
                alpha: alpha.raw.pointee.row(row))
        }
        try shrinker.convert(alpha.raw, into: storedAlpha.raw)
        for row in 0..<Int(layout.alpha.height) { placeAlpha(row) }
        try converter.convert(stored.raw, into: target)
    }

    /// One row: colour times alpha, rounded, and alpha by itself.
    private func multiply(
        _ source: UnsafePointer<UInt8>, colour: UnsafeMutablePointer<UInt8>,
        alpha: UnsafeMutablePointer<UInt8>
    ) {
        for x in 0..<layout.canvas.width {
            let a = UInt32(source[4 * x + 3])
            alpha[x] = UInt8(truncatingIfNeeded: a)
            let factor = isPremultiplied ? 255 : a
            for channel in 0..<3 {
                let product = UInt32(source[4 * x + channel]) * factor + 128
                colour[3 * x + channel] = UInt8(truncatingIfNeeded: (product + product >> 8) >> 8)
            }
        }
    }

    private func placeAlpha(_ row: Int) {
        let grey = storedAlpha.raw.pointee.row(row)
        let place = stored.raw.pointee.row(Int(layout.alpha.y) + row) + 3 * Int(layout.alpha.x)
        for x in 0..<3 * Int(layout.alpha.width) { place[x] = grey[x / 3] }
    }
}

extension AVFrame {
    /// The first byte of a row of the first plane. Only for frames of our own making: their plane is there.
    fileprivate func row(_ index: Int) -> UnsafeMutablePointer<UInt8> {
        guard let data = data.0 else { fatalError("out of memory") }
        return data + index * Int(linesize.0)
    }
}
