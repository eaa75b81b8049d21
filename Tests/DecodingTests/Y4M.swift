import Foundation
import Testing

/// A YUV4MPEG2 file, read the plainest way.
struct Y4M {
    let header: String
    let width, height: Int
    /// Luma, U and V of each picture, one behind the other.
    let frames: [[UInt8]]

    init(_ path: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let end = try #require(bytes.firstIndex(of: 10))
        header = String(decoding: bytes[..<end], as: UTF8.self)
        let words = header.split(separator: " ")
        width = try #require(words.first { $0.hasPrefix("W") }.flatMap { Int($0.dropFirst()) })
        height = try #require(words.first { $0.hasPrefix("H") }.flatMap { Int($0.dropFirst()) })
        let count = width * height + 2 * ((width + 1) / 2 * ((height + 1) / 2))
        var (at, frames) = (end + 1, [[UInt8]]())
        while at < bytes.count {
            try #require(String(decoding: bytes[at..<at + 6], as: UTF8.self) == "FRAME\n")
            frames.append(Array(bytes[at + 6..<at + 6 + count]))
            at += 6 + count
        }
        self.frames = frames
    }

    func luma(_ frame: Int, _ x: Int, _ y: Int) -> Int { Int(frames[frame][y * width + x]) }
}
