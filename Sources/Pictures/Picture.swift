internal import CKernels

/// One prepared picture of a gift: the part of it that lies on the program, in the program's size and colours.
///
/// Planes: colour G (luma, U, V) and alpha A (luma, chroma). `blend` computes, per sample with zero point z,
/// `out = clamp(G - z + round((L (255-A) + z A) / 255))`: the right blend for premultiplied colour, in which colour
/// beyond alpha adds light to luma and chroma alike. Every row knows the span in which its alpha is not 0; the rest of
/// the live picture is not touched.
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
    /// First and one past last sample with alpha, for every luma row, then for every chroma row.
    let spans: UnsafeMutablePointer<(begin: Int32, end: Int32)>
    private let storage: UnsafeMutableRawPointer
    /// What the picture holds, in bytes.
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
        byteCount = max(2 * lumaSize + 3 * chromaSize, 64)
        storage = .allocate(byteCount: byteCount, alignment: 64)
        storage.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
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
        spans = .allocate(capacity: max(height * 3 / 2, 1))
        spans.initialize(repeating: (0, 0), count: max(height * 3 / 2, 1))
    }

    deinit {
        spans.deallocate()
        storage.deallocate()
    }

    /// Lays the picture over a live frame of the program's size. Streaming thread: allocates nothing.
    package func blend(onto frame: LiveFrame) {
        guard originX + width <= frame.width, originY + height <= frame.height else { return }
        blend(luma, spans, onto: frame.luma, frame.lumaStride, x: originX, y: originY)
        let chromaSpans = spans + height
        blend(chromaU, chromaSpans, onto: frame.chromaU, frame.chromaStride, x: originX / 2, y: originY / 2)
        blend(chromaV, chromaSpans, onto: frame.chromaV, frame.chromaStride, x: originX / 2, y: originY / 2)
    }

    private func blend(
        _ plane: Plane, _ spans: UnsafeMutablePointer<(begin: Int32, end: Int32)>,
        onto live: UnsafeMutablePointer<UInt8>, _ liveStride: Int, x: Int, y: Int
    ) {
        for row in 0..<plane.height {
            let (begin, end) = (Int(spans[row].begin), Int(spans[row].end))
            guard begin < end else { continue }
            let offset = row * plane.stride + begin
            ck_blend(
                live + (y + row) * liveStride + x + begin, plane.colour + offset, plane.alpha + offset,
                end - begin,
                plane.zero)
        }
    }

    /// Finds the spans of row `row` of a plane whose rows begin at `base`.
    func measure(_ plane: Plane, row: Int, base: Int) {
        var (begin, end) = (0, 0)
        ck_span(plane.alpha + row * plane.stride, plane.width, &begin, &end)
        spans[base + row] = (Int32(begin), Int32(end))
    }
}
