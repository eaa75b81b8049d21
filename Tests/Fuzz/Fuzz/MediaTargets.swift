internal import CFuzzer
internal import Glibc
internal import Pictures
internal import VAP

@testable import Decoding

// As the other targets: each returns when the bytes were taken or refused as they should be, and traps otherwise.

/// A gift file from its boxes to pictures that can be blended: opened, decoded, prepared for three places, one with a
/// part outside, and blended.
func fuzzMovie(_ bytes: [UInt8]) {
    guard let path = MemoryFile.path(holding: bytes) else { return }
    do throws(AnimationError) {
        // A bare file plays too: what the JSON forbids, the media may still try.
        let animation = try Animation.open(path: path, bare: BareLayout(.halves(.alphaRight)))
        precondition(animation.codedFrameCount > 0 && !animation.format.name.isEmpty)
        // Large pictures cost time and show nothing that small ones do not.
        guard animation.layout.coded.width * animation.layout.coded.height <= 1 << 19 else { return }
        try play(animation)
    } catch {
        precondition(!error.message.isEmpty && !error.message.contains("\n"), "one sentence")
    }
}

private func play(_ animation: Animation) throws(AnimationError) {
    var decoder = try AnimationDecoder(animation)
    let stages = [(40, Blend.premultiplied), (98, .straight), (14, .ios)].map { Stage(animation, $0.0, $0.1) }
    var last = -1
    while last < 12, let index = try decoder.next() {
        precondition(
            index > last && index < animation.layout.frameCount, "indices rise and lie in the animation")
        last = index
        for stage in stages {
            try decoder.withFrame { frame throws(AnimationError) in try stage.show(frame) }
        }
    }
}

/// One place on a small program.
private struct Stage {
    private let preparer: PicturePreparer
    private let picture: Picture
    private let program: ProgramFormat

    init(_ animation: Animation, _ side: Int, _ blend: Blend) {
        program = ProgramFormat(width: 64, height: 64, colour: ColourSpace(.bt709, .limited))
        let place = PlacedRectangle(x: 64 - side, y: 32 - side, width: side, height: side)
        preparer = PicturePreparer(layout: animation.layout, place: place, program: program, blend: blend)
        picture = Picture(place: place, program: program)
    }

    func show(_ frame: DecodedFrame) throws(AnimationError) {
        try preparer.prepare(frame, into: picture)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64 * 64 * 3 / 2) { bytes in
            bytes.initialize(repeating: 90)
            guard let start = bytes.baseAddress else { return }
            picture.blend(
                onto: LiveFrame(
                    luma: start, chromaU: start + 4096, chromaV: start + 5120, lumaStride: 64,
                    chromaStride: 32,
                    width: 64, height: 64))
        }
    }
}

/// An avatar: refused in one sentence, or a whole picture within the limits.
func fuzzImage(_ bytes: [UInt8]) {
    do throws(ImageError) {
        let image = try ImageDecoder.decode(bytes)
        precondition(image.size.width * image.size.height <= ImageDecoder.pixelLimit)
        precondition(image.bytes.count == 4 * image.size.width * image.size.height)
    } catch {
        precondition(!error.message.isEmpty && !error.message.contains("\n"), "one sentence")
    }
}

/// A file in memory, filled anew for each input.
private enum MemoryFile {
    private static let descriptor = memfd_create("gift", 0)

    /// A path that opens it; nil when there is no memory for it.
    static func path(holding bytes: [UInt8]) -> String? {
        guard descriptor >= 0, ftruncate(descriptor, 0) == 0 else { return nil }
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { return nil }
        return "/proc/self/fd/\(descriptor)"
    }
}
