package import VAP

/// One decoded gift frame, lent for the time of a call: planar Y, U, V.
///
/// A sample is one byte for a bit depth of 8, else two bytes in native order. Strides are bytes. `size` is the shown
/// size in luma samples; chroma planes are that size shifted right by the chroma shifts, rounded up.
package struct DecodedFrame {
    package let planes: (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer)
    package let strides: (Int, Int, Int)
    package let size: Size
    package let chromaShiftX, chromaShiftY: Int
    package let bitDepth: Int
    package let colour: ColourSpace

    package init(
        planes: (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer), strides: (Int, Int, Int), size: Size,
        chromaShiftX: Int, chromaShiftY: Int, bitDepth: Int, colour: ColourSpace
    ) {
        self.planes = planes
        self.strides = strides
        self.size = size
        self.chromaShiftX = chromaShiftX
        self.chromaShiftY = chromaShiftY
        self.bitDepth = bitDepth
        self.colour = colour
    }

    /// What prepared tables depend on.
    var form: Form {
        Form(
            size: size, chromaShiftX: chromaShiftX, chromaShiftY: chromaShiftY, bitDepth: bitDepth,
            colour: colour)
    }

    struct Form: Hashable {
        let size: Size
        let chromaShiftX, chromaShiftY: Int
        let bitDepth: Int
        let colour: ColourSpace
    }
}
