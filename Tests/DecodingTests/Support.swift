import Basics
import Foundation
import Pictures
import Testing
import VAP

@testable import Decoding

/// The files that are not part of the project: beside the package, or where `GIFTD_SHARED` says.
enum Shared {
    static let directory =
        ProcessInfo.processInfo.environment["GIFTD_SHARED"].map { URL(fileURLWithPath: $0) }
        ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared")

    static func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    static func isThere(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }
}

/// What kind of error the call throws; nil and an issue when it throws none.
func refusal<T>(of call: () throws(AnimationError) -> T) -> AnimationError? {
    do {
        _ = try call()
        Issue.record("nothing is refused")
        return nil
    } catch {
        return error
    }
}

/// A gift whose pictures are known: 32x32 in 80x32, one grey per picture in the upper left, solid red in the upper
/// right, half-clear red below, nothing in the lower right. Full-size alpha on the right.
struct PatchGift {
    static let layout = Layout(
        coded: Size(80, 32), canvas: Size(32, 32), colour: Rectangle(x: 0, y: 0, width: 32, height: 32),
        alpha: Rectangle(x: 48, y: 0, width: 32, height: 32), frameCount: 10, framesPerSecond: 10)

    static func grey(_ frame: Int) -> UInt8 { UInt8(30 + 19 * frame) }

    /// Limited BT.601 planes of one picture, 4:2:0, at any size whose eighths are those of the layout.
    static func planes(_ frame: Int, width: Int = 80, height: Int = 32) -> [UInt8] {
        let luma = UInt8((16 + 219 * Double(grey(frame)) / 255).rounded())
        var (y, u, v) = ([UInt8](), [UInt8](), [UInt8]())
        for row in 0..<height {
            for x in 0..<width {
                let isLower = row >= height / 2
                let sample: (UInt8, UInt8, UInt8) =
                    switch (x, isLower) {
                    case (..<16, false): (luma, 128, 128)
                    case (16..<32, false): (81, 90, 240)
                    case (..<16, true): (49, 109, 184)
                    case (48..<80, false): (235, 128, 128)
                    case (48..<64, true): (126, 128, 128)
                    default: (16, 128, 128)
                    }
                y.append(sample.0)
                if row % 2 == 0, x % 2 == 0 {
                    u.append(sample.1)
                    v.append(sample.2)
                }
            }
        }
        return y + u + v
    }

    /// Makes a file with ffmpeg: pictures, coded with `encoding`, and the layout behind them.
    static func make(
        _ name: String = "gift.mp4", in directory: PackDirectory, frames: Int = 10, f: Int = 10,
        _ encoding: [String] = ["-c:v", "libx264", "-bf", "0"], filter: [String] = []
    ) throws -> String {
        let raw = directory.file("\(name).yuv")
        try Data((0..<frames).flatMap { planes($0) }).write(to: URL(fileURLWithPath: raw))
        let path = directory.file(name)
        try FFmpeg.run(
            "ffmpeg",
            ["-y", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "80x32", "-framerate", "10", "-i", raw]
                + filter + encoding + ["-threads", "1", "-qp", "4", "-f", "mp4", path])
        try append(layout: f, to: path)
        return path
    }

    static func json(f: Int) -> String {
        #"{"info":{"v":2,"f":\#(f),"w":32,"h":32,"videoW":80,"videoH":32,"orien":0,"fps":10,"isVapx":0,"#
            + #""rgbFrame":[0,0,32,32],"aFrame":[48,0,32,32]}}"#
    }

    static func append(layout f: Int, to path: String) throws {
        let json = json(f: f)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seekToEnd()
        try handle.write(
            contentsOf: Data(
                packBigEndian(UInt32(8 + json.utf8.count)) + Array("vapc".utf8) + Array(json.utf8)))
        try handle.close()
    }
}

/// The cells of a registry of its own.
func testMetrics() -> DecodingMetrics { DecodingMetrics(MetricsRegistry()) }
