internal import CKernels

/// Alpha of two rows as 15-bit weights, for blends that multiply the stored colour by it: in this precision, and before
/// anything is cut off, as stored colour may be brighter than white. Made once for a width, an even number; one thread.
final class AlphaWeights {
    /// Above it alpha counts as solid, as it does in bytes.
    private static let ceiling = Int32((251.5 / 255 * Double(CK_WEIGHT_ONE)).rounded())
    /// From a weight's square to a byte, for `ck_alpha`.
    private static let gain = Int32((255.0 * 2_097_152 / Double(CK_WEIGHT_ONE)).rounded())

    private let width: Int
    private let black, maskGain: Int32
    private let upper, lower, chroma, scratch: UnsafeMutablePointer<UInt16>

    init(width: Int, colour: ColourSpace) {
        self.width = width
        black = Int32(colour.black) << 7
        maskGain = Int32((Double(CK_WEIGHT_ONE) * 32_768 / Double(colour.lumaSpan * 128)).rounded())
        let made = (0..<4).map { _ in UnsafeMutablePointer<UInt16>.allocate(capacity: max(width, 1)) }
        for line in made { line.initialize(repeating: 0, count: max(width, 1)) }
        (upper, lower, chroma, scratch) = (made[0], made[1], made[2], made[3])
    }

    deinit { for line in [upper, lower, chroma, scratch] { line.deallocate() } }

    /// Takes the 15-bit luma of the alpha of row `row`. Low alpha is not cut off: what has none in bytes is cleared.
    func take(_ luma: UnsafePointer<UInt16>, row: Int) {
        let line = line(row)
        line.update(from: luma, count: width)
        ck_mask(line, width, black, maskGain, 0, Self.ceiling)
    }

    /// Multiplies luma about the gift's black.
    func weigh(luma: UnsafeMutablePointer<UInt16>, row: Int) {
        ck_weigh(luma, line(row), width, UInt16(black))
    }

    /// Multiplies chroma that has luma's resolution.
    func weigh(wide chroma: UnsafeMutablePointer<UInt16>, row: Int) {
        ck_weigh(chroma, line(row), width, 128 << 7)
    }

    /// Multiplies the chroma of both rows by the mean of the four.
    func weighChroma(_ u: UnsafeMutablePointer<UInt16>, _ v: UnsafeMutablePointer<UInt16>) {
        ck_halve(chroma, upper, lower, width / 2)
        ck_weigh(u, chroma, width / 2, 128 << 7)
        ck_weigh(v, chroma, width / 2, 128 << 7)
    }

    /// The square of row `row` in bytes.
    func square(row: Int, into alpha: UnsafeMutablePointer<UInt8>) {
        scratch.update(from: line(row), count: width)
        ck_weigh(scratch, line(row), width, 0)
        ck_alpha(alpha, scratch, width, 0, Self.gain, 0, 255)
    }

    private func line(_ row: Int) -> UnsafeMutablePointer<UInt16> { row % 2 == 0 ? upper : lower }
}
