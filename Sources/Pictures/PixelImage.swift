package import VAP

/// Pixels as a decoder or a renderer makes them: red, green, blue and alpha, a byte each, rows without gaps from the
/// top down. sRGB values, which are mixed as they are.
package struct PixelImage: Sendable {
    package let size: Size
    /// Four for every pixel.
    package let bytes: [UInt8]
    /// Whether the colour is multiplied by alpha.
    package let isPremultiplied: Bool

    /// `bytes` must be four for every pixel, and there is at least one pixel.
    package init(size: Size, bytes: [UInt8], isPremultiplied: Bool) {
        precondition(size.width > 0 && size.height > 0 && bytes.count == 4 * size.width * size.height)
        self.size = size
        self.bytes = bytes
        self.isPremultiplied = isPremultiplied
    }
}
