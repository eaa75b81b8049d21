import Basics
import Foundation
import Pictures
import VAP

@testable import Decoding

/// A live frame of the program: limited BT.601, one colour, until something is painted on it.
final class Canvas {
    typealias RGB = (red: Double, green: Double, blue: Double)

    static func program(_ width: Int, _ height: Int) -> ProgramFormat {
        ProgramFormat(width: width, height: height, colour: ColourSpace(.bt601, .limited))
    }

    let width, height: Int
    private let bytes: UnsafeMutablePointer<UInt8>
    private let background: RGB

    init(_ width: Int, _ height: Int, _ background: RGB) {
        (self.width, self.height) = (width, height)
        self.background = background
        bytes = .allocate(capacity: width * height * 3 / 2)
        clear()
    }

    deinit { bytes.deallocate() }

    func clear() {
        let luma = 0.299 * background.red + 0.587 * background.green + 0.114 * background.blue
        let u = 128 + (background.blue - luma) / 1.772 * 224 / 255
        let v = 128 + (background.red - luma) / 1.402 * 224 / 255
        let quarter = width * height / 4
        bytes.initialize(repeating: UInt8((16 + luma * 219 / 255).rounded()), count: 4 * quarter)
        (bytes + 4 * quarter).initialize(repeating: UInt8(u.rounded()), count: quarter)
        (bytes + 5 * quarter).initialize(repeating: UInt8(v.rounded()), count: quarter)
    }

    var frame: LiveFrame {
        LiveFrame(
            luma: bytes, chromaU: bytes + width * height, chromaV: bytes + width * height * 5 / 4,
            lumaStride: width, chromaStride: width / 2, width: width, height: height)
    }

    var contents: [UInt8] { Array(UnsafeBufferPointer(start: bytes, count: width * height * 3 / 2)) }

    func luma(_ x: Int, _ y: Int) -> UInt8 { bytes[y * width + x] }

    func rgb(_ x: Int, _ y: Int) -> RGB {
        let chroma = y / 2 * width / 2 + x / 2
        let luma = (Double(luma(x, y)) - 16) * 255 / 219
        let u = (Double(bytes[width * height + chroma]) - 128) * 255 / 224
        let v = (Double(bytes[width * height * 5 / 4 + chroma]) - 128) * 255 / 224
        func limit(_ value: Double) -> Double { min(max(value, 0), 255) }
        return (
            limit(luma + 1.402 * v), limit(luma - 0.344136 * u - 0.714136 * v), limit(luma + 1.772 * u)
        )
    }
}

extension Player {
    /// Waits until the picture with this index is prepared, or until none will come.
    func settle(_ index: Int) {
        _ = state.guarded.wait(deadline: Monotonic.now() + 5 * .second) { guarded -> Bool? in
            guarded.lease != nil || guarded.window.isSettled(at: index) ? true : nil
        }
    }

    /// Waits until it is ready or has failed, and answers the failure.
    func load() -> LoadResult? {
        let result = Locked<LoadResult?>(nil)
        start(
            onReady: { result.change { $0 = .ready } },
            onFailed: { error in result.change { $0 = .failed(error) } })
        return result.wait(deadline: Monotonic.now() + 5 * .second) { $0 }
    }

    /// Plays on to a picture, one by one as a program would, and leaves it on the canvas.
    func paint(picture index: Int, on canvas: Canvas) {
        let due = state.guarded.withLock { $0.window.due } ?? 0
        for index in min(due, index)...index {
            settle(min(index, animation.codedFrameCount - 1))
            canvas.clear()
            let time = Nanoseconds(seconds: Double(index) / animation.layout.framesPerSecond)
            paint(on: canvas.frame, mediaTime: time)
        }
    }
}

/// What became of a player that was started.
enum LoadResult: Equatable {
    case ready
    case failed(AnimationError)
}
