package import Basics

/// A live I420 picture lent for the time of one call.
///
/// The pointers are valid and writable only while the call runs, on the calling thread. Strides are bytes.
package struct LiveFrame {
    package let luma, chromaU, chromaV: UnsafeMutablePointer<UInt8>
    package let lumaStride, chromaStride: Int
    package let width, height: Int

    package init(
        luma: UnsafeMutablePointer<UInt8>, chromaU: UnsafeMutablePointer<UInt8>,
        chromaV: UnsafeMutablePointer<UInt8>, lumaStride: Int, chromaStride: Int, width: Int, height: Int
    ) {
        self.luma = luma
        self.chromaU = chromaU
        self.chromaV = chromaV
        self.lumaStride = lumaStride
        self.chromaStride = chromaStride
        self.width = width
        self.height = height
    }
}

/// Who draws on the program. Called by the program's streaming thread for every frame: an implementation does not
/// block, allocate, log or await.
package protocol Painter: Sendable {
    /// Whether anything is to be drawn; false keeps the frame untouched and uncopied.
    var isShowing: Bool { get }

    /// Draws what is due at `time`, the frame's running time in the program.
    func paint(on frame: LiveFrame, at time: Nanoseconds)
}
