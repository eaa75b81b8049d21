internal import CKernels

/// One prepared picture of a gift: the part of it that lies on the program, in the program's size and colours.
///
/// Planes: colour G (luma, U, V) and alpha A (luma, chroma). `blend` computes, per sample with zero point z,
/// `out = clamp(G - z + round((L (255-A) + z A) / 255))`: the right blend for premultiplied colour, in which colour
/// beyond alpha adds light to luma and chroma alike. Only the runs of samples with alpha are visited: the cost follows
/// what the gift covers, the rest of the live picture is not touched, and outside the runs the planes hold nothing
/// of meaning.
///
/// The buffers are made once and refilled. Written by one `PicturePreparer` at a time, read by one streaming thread at
/// a time, never both: whoever owns the window of pictures sees to that.
// Unchecked: raw memory, handed from thread to thread by its owner under a lock.
package final class Picture: @unchecked Sendable {
    struct Plane {
        let colour, alpha: UnsafeMutablePointer<UInt8>
        let stride, width, height: Int
        let zero: UInt8
    }

    /// Where the picture's first sample lies on the program.
    let originX, originY: Int
    let width, height: Int
    let luma, chromaU, chromaV: Plane
    /// Those of chroma serve U and V.
    var lumaRuns, chromaRuns: Runs
    private let storage: UnsafeMutableRawPointer
    /// What the picture may hold, in bytes.
    package let byteCount: Int

    /// Room for what is visible of a gift at `place`; nothing when it lies outside.
    package init(place: PlacedRectangle, program: ProgramFormat) {
        let visible = place.visible(in: program)
        width = visible.columns.count
        height = visible.rows.count
        originX = place.x + visible.columns.lowerBound
        originY = place.y + visible.rows.lowerBound
        let stride = (width + 63) & ~63
        let chromaStride = (width / 2 + 63) & ~63
        let (lumaSize, chromaSize) = (stride * height, chromaStride * height / 2)
        let planeBytes = max(2 * lumaSize + 3 * chromaSize, 64)
        storage = .allocate(byteCount: planeBytes, alignment: 64)
        storage.initializeMemory(as: UInt8.self, repeating: 0, count: planeBytes)
        let bytes = storage.assumingMemoryBound(to: UInt8.self)
        luma = Plane(
            colour: bytes, alpha: bytes + lumaSize, stride: stride, width: width, height: height,
            zero: program.colour.black)
        let chroma = bytes + 2 * lumaSize
        chromaU = Plane(
            colour: chroma, alpha: chroma + 2 * chromaSize, stride: chromaStride, width: width / 2,
            height: height / 2, zero: 128)
        chromaV = Plane(
            colour: chroma + chromaSize, alpha: chromaU.alpha, stride: chromaStride, width: width / 2,
            height: height / 2, zero: 128)
        lumaRuns = Runs(width: width, height: height)
        chromaRuns = Runs(width: width / 2, height: height / 2)
        byteCount = planeBytes + lumaRuns.byteCount + chromaRuns.byteCount
    }

    deinit {
        lumaRuns.deallocate()
        chromaRuns.deallocate()
        storage.deallocate()
    }

    /// Lays the picture over a live frame of the program's size. Streaming thread: allocates nothing.
    package func blend(onto frame: LiveFrame) {
        guard originX + width <= frame.width, originY + height <= frame.height else { return }
        blend(luma, lumaRuns, onto: frame.luma, frame.lumaStride, x: originX, y: originY)
        blend(chromaU, chromaRuns, onto: frame.chromaU, frame.chromaStride, x: originX / 2, y: originY / 2)
        blend(chromaV, chromaRuns, onto: frame.chromaV, frame.chromaStride, x: originX / 2, y: originY / 2)
    }

    private func blend(
        _ plane: Plane, _ runs: Runs, onto live: UnsafeMutablePointer<UInt8>, _ liveStride: Int, x: Int,
        y: Int
    ) {
        for index in 0..<runs.count {
            let run = runs[index]
            let (row, begin) = (Int(run.row), Int(run.begin))
            let offset = row * plane.stride + begin
            ck_blend(
                live + (y + row) * liveStride + x + begin, plane.colour + offset, plane.alpha + offset,
                Int(run.end) - begin, plane.zero)
        }
    }
}
