/// The linear map from a gift's luma and chroma to the program's, when matrix or range differ.
///
/// Derived from the definitions in ITU-R BT.601 and BT.709: with Kr and Kb a colour has
/// Y = Kr R + (1-Kr-Kb) G + Kb B, U = (B-Y) / (2-2Kb), V = (R-Y) / (2-2Kr). A grey stays grey, so chroma does not
/// depend on luma.
struct ColourMap {
    /// Coefficients for (luma, u, v) and the offset of the 8-bit result, in 1/2^13.
    struct Row {
        let luma, u, v, offset: Int32
    }

    let luma, u, v: Row

    /// Nil when there is nothing to do.
    init?(from source: ColourSpace, to target: ColourSpace) {
        guard source != target else { return nil }
        let (from, to) = (Constants(source), Constants(target))
        // R-Y, B-Y and G-Y per unit of the source's chroma.
        let redV = 2 - 2 * from.red
        let blueU = 2 - 2 * from.blue
        let greenU = -blueU * from.blue / (1 - from.red - from.blue)
        let greenV = -redV * from.red / (1 - from.red - from.blue)
        let green = 1 - to.red - to.blue
        let lumaU = to.blue * blueU + green * greenU
        let lumaV = to.red * redV + green * greenV
        let lumaScale = to.lumaSpan / from.lumaSpan
        let mixed = to.lumaSpan / from.chromaSpan
        luma = Row(
            (lumaScale, lumaU * mixed, lumaV * mixed), sourceZeros: (from.zero, 128, 128), targetZero: to.zero
        )
        let chroma = to.chromaSpan / from.chromaSpan
        let (uScale, vScale) = (chroma / (2 - 2 * to.blue), chroma / (2 - 2 * to.red))
        u = Row(
            (0, (blueU - lumaU) * uScale, -lumaV * uScale), sourceZeros: (from.zero, 128, 128),
            targetZero: 128)
        v = Row(
            (0, -lumaU * vScale, (redV - lumaV) * vScale), sourceZeros: (from.zero, 128, 128), targetZero: 128
        )
    }

    private struct Constants {
        let red, blue: Double
        let zero, lumaSpan, chromaSpan: Double

        init(_ space: ColourSpace) {
            (red, blue) = space.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
            let isLimited = space.range == .limited
            zero = isLimited ? 16 : 0
            lumaSpan = isLimited ? 219 : 255
            chromaSpan = isLimited ? 224 : 255
        }
    }
}

extension ColourMap.Row {
    fileprivate init(
        _ factors: (Double, Double, Double), sourceZeros: (Double, Double, Double), targetZero: Double
    ) {
        luma = Int32((factors.0 * 8192).rounded())
        u = Int32((factors.1 * 8192).rounded())
        v = Int32((factors.2 * 8192).rounded())
        let moved = factors.0 * sourceZeros.0 + factors.1 * sourceZeros.1 + factors.2 * sourceZeros.2
        offset = Int32(((targetZero - moved) * 8192).rounded())
    }
}

extension ColourSpace {
    /// The luma value of black.
    var black: UInt8 { range == .limited ? 16 : 0 }
    /// Luma values from black to white.
    var lumaSpan: Int { range == .limited ? 219 : 255 }
}
