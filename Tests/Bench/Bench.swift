internal import Basics
internal import Pictures
internal import VAP

/// Bytes that look like a picture to nobody, the same on every run.
final class Plane {
    let start: UnsafeMutablePointer<UInt8>

    init(_ count: Int, seed: UInt32) {
        start = .allocate(capacity: count)
        var state = seed
        for index in 0..<count {
            state = state &* 1_664_525 &+ 1_013_904_223
            start[index] = UInt8(truncatingIfNeeded: state >> 24)
        }
    }

    deinit { start.deallocate() }
}

/// A 4:2:0 picture, as a live frame and as a decoded one.
struct Planes {
    let width, height: Int
    let luma, chromaU, chromaV: Plane

    init(_ width: Int, _ height: Int) {
        (self.width, self.height) = (width, height)
        luma = Plane(width * height, seed: 1)
        chromaU = Plane(width * height / 4, seed: 2)
        chromaV = Plane(width * height / 4, seed: 5)
    }

    var frame: LiveFrame {
        LiveFrame(
            luma: luma.start, chromaU: chromaU.start, chromaV: chromaV.start, lumaStride: width,
            chromaStride: width / 2, width: width, height: height)
    }

    var decoded: DecodedFrame {
        DecodedFrame(
            planes: (
                UnsafeRawPointer(luma.start), UnsafeRawPointer(chromaU.start), UnsafeRawPointer(chromaV.start)
            ), strides: (width, width / 2, width / 2), size: Size(width, height), chromaShiftX: 1,
            chromaShiftY: 1,
            bitDepth: 8, colour: ColourSpace(.bt601, .limited))
    }
}

/// Prints the median and the best of many runs, for about half a second; with `bytes` also how many GB of them a
/// second are made.
func measure(_ name: String, bytes: Int = 0, _ body: () -> Void) {
    var times: [Int64] = []
    let end = Monotonic.now() + 500 * .millisecond
    repeat {
        let begin = Monotonic.now()
        body()
        times.append(Monotonic.now() - begin)
    } while Monotonic.now() < end
    times.sort()
    let gap = String(repeating: " ", count: max(1, 32 - name.count))
    let median = times[times.count / 2]
    let rate = bytes > 0 ? ", \(Double(bytes * 10 / Int(max(median, 1))) / 10) GB/s" : ""
    print("\(name)\(gap)\(median / 1000) µs, best \(times[0] / 1000) µs\(rate)")
}
