internal import CKernels

/// A prepared picture packed into what it covers, for keeping. It looks exactly like the picture that it was made from,
/// and is blended at least as fast: what it covers lies in the order in which it is read.
///
/// Each plane is a list of spans. A span is solid (alpha is 255 throughout: its colours alone are kept, and replace the
/// live ones) or not (colours, then alpha). Spans of chroma hold U, V, then alpha.
///
/// Immutable; any number of threads may blend it at once.
// Unchecked: raw memory, written in `init` alone.
package final class SparsePicture: @unchecked Sendable {
    struct Span {
        let row, begin, count: Int32
        let isSolid: Bool
    }

    private let storage: SparseStorage.Slab
    private let lumaSpans, chromaSpans: UnsafeMutableBufferPointer<Span>
    private let lumaBytes, chromaBytes: UnsafeMutablePointer<UInt8>
    private let originX, originY: Int
    private let width, height: Int
    private let zero: UInt8
    /// What it holds, in bytes.
    package let byteCount: Int

    /// Packs `picture`, which the caller owns, into `storage`.
    package init(_ picture: Picture, in storage: SparseStorage) {
        let luma = Self.spans(of: picture.luma, picture.lumaRuns)
        let chroma = Self.spans(of: picture.chromaU, picture.chromaRuns)
        let lumaSize = luma.reduce(0) { $0 + Int($1.count) * ($1.isSolid ? 1 : 2) }
        let chromaSize = chroma.reduce(0) { $0 + Int($1.count) * ($1.isSolid ? 2 : 3) }
        let spanSize = (luma.count + chroma.count) * MemoryLayout<Span>.stride
        byteCount = spanSize + lumaSize + chromaSize
        let (slab, start) = storage.take(byteCount)
        self.storage = slab
        let spans = start.bindMemory(to: Span.self, capacity: luma.count + chroma.count)
        lumaSpans = UnsafeMutableBufferPointer(start: spans, count: luma.count)
        chromaSpans = UnsafeMutableBufferPointer(start: spans + luma.count, count: chroma.count)
        _ = lumaSpans.initialize(from: luma)
        _ = chromaSpans.initialize(from: chroma)
        lumaBytes = (start + spanSize).assumingMemoryBound(to: UInt8.self)
        chromaBytes = lumaBytes + lumaSize
        (originX, originY) = (picture.originX, picture.originY)
        (width, height) = (picture.width, picture.height)
        zero = picture.luma.zero
        copy(picture.luma, to: lumaBytes)
        copy(picture.chromaU, picture.chromaV, to: chromaBytes)
    }

    /// Lays the picture over a live frame of the program's size. Streaming thread: allocates nothing.
    package func blend(onto frame: LiveFrame) {
        guard originX + width <= frame.width, originY + height <= frame.height else { return }
        let luma = frame.luma + originY * frame.lumaStride + originX
        var bytes = UnsafePointer(lumaBytes)
        for index in lumaSpans.indices {
            let span = lumaSpans[index]
            let (live, count) = (luma + Int(span.row) * frame.lumaStride + Int(span.begin), Int(span.count))
            if span.isSolid {
                live.update(from: bytes, count: count)
                bytes += count
            } else {
                ck_blend(live, bytes, bytes + count, count, zero)
                bytes += 2 * count
            }
        }
        blendChroma(onto: frame)
    }

    private func blendChroma(onto frame: LiveFrame) {
        let first = originY / 2 * frame.chromaStride + originX / 2
        var bytes = UnsafePointer(chromaBytes)
        for index in chromaSpans.indices {
            let span = chromaSpans[index]
            let (place, count) = (
                first + Int(span.row) * frame.chromaStride + Int(span.begin), Int(span.count)
            )
            let (liveU, liveV) = (frame.chromaU + place, frame.chromaV + place)
            if span.isSolid {
                liveU.update(from: bytes, count: count)
                liveV.update(from: bytes + count, count: count)
                bytes += 2 * count
            } else {
                ck_blend(liveU, bytes, bytes + 2 * count, count, 128)
                ck_blend(liveV, bytes + count, bytes + 2 * count, count, 128)
                bytes += 3 * count
            }
        }
    }

    private static func spans(of plane: Picture.Plane, _ runs: Runs) -> [Span] {
        var spans: [Span] = []
        spans.reserveCapacity(runs.count)
        for index in 0..<runs.count {
            let run = runs[index]
            let row = plane.alpha + Int(run.row) * plane.stride
            var place = Int(run.begin)
            while place < Int(run.end) {
                var isSolid: Int32 = 0
                let count = ck_span(row + place, Int(run.end) - place, &isSolid)
                spans.append(
                    Span(row: run.row, begin: Int32(place), count: Int32(count), isSolid: isSolid != 0))
                place += count
            }
        }
        return spans
    }

    private func copy(_ plane: Picture.Plane, to start: UnsafeMutablePointer<UInt8>) {
        var out = start
        for span in lumaSpans {
            let (offset, count) = (Int(span.row) * plane.stride + Int(span.begin), Int(span.count))
            out = Self.append(plane.colour + offset, count, to: out)
            if !span.isSolid { out = Self.append(plane.alpha + offset, count, to: out) }
        }
    }

    private func copy(
        _ planeU: Picture.Plane, _ planeV: Picture.Plane, to start: UnsafeMutablePointer<UInt8>
    ) {
        var out = start
        for span in chromaSpans {
            let (offset, count) = (Int(span.row) * planeU.stride + Int(span.begin), Int(span.count))
            out = Self.append(planeU.colour + offset, count, to: out)
            out = Self.append(planeV.colour + offset, count, to: out)
            if !span.isSolid { out = Self.append(planeU.alpha + offset, count, to: out) }
        }
    }

    private static func append(
        _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, to out: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        out.initialize(from: bytes, count: count)
        return out + count
    }
}
