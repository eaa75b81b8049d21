import Foundation
import Testing

/// A directory that is gone when the test is over.
final class PackDirectory {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "giftd-pack-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

    /// Writes `count` pictures named `000.png` and so on into a new directory; answers its path.
    func frames(_ count: Int, _ width: Int, _ height: Int, in name: String = "frames", paint: PackPaint)
        throws -> String
    {
        let directory = file(name)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for index in 0..<count {
            var pixels: [UInt8] = []
            for y in 0..<height {
                for x in 0..<width { pixels += paint(index, x, y) }
            }
            let png = packPNG(pixels, width, height, hasAlpha: pixels.count == 4 * width * height)
            try png.write(to: URL(fileURLWithPath: directory + String(format: "/%03d.png", index)))
        }
        return directory
    }
}

/// The samples of one pixel: red, green, blue and, except for opaque pictures, alpha (straight).
typealias PackPaint = @Sendable (_ frame: Int, _ x: Int, _ y: Int) -> [UInt8]

/// Alpha rises from left to right, the colour changes from top to bottom and with time.
let packRamp: PackPaint = { frame, x, y in
    [UInt8(min(255, 40 + 3 * y)), UInt8(200 - 2 * y), UInt8(min(255, 20 * frame)), UInt8(min(255, 4 * x))]
}

/// A PNG file with stored (uncompressed) data: what the standard asks for and no more.
func packPNG(_ pixels: [UInt8], _ width: Int, _ height: Int, hasAlpha: Bool) -> Data {
    let row = width * (hasAlpha ? 4 : 3)
    var raw: [UInt8] = []
    for y in 0..<height { raw += [0] + pixels[y * row..<(y + 1) * row] }
    var zlib: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: raw.count, by: 65_535) {
        let block = raw[start..<min(start + 65_535, raw.count)]
        let size = UInt16(block.count)
        zlib += [start + block.count == raw.count ? 1 : 0, UInt8(size & 255), UInt8(size >> 8)]
        zlib += [UInt8(~size & 255), UInt8(~size >> 8)] + block
    }
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in raw { (a, b) = ((a + UInt32(byte)) % 65_521, (b + (a + UInt32(byte)) % 65_521) % 65_521) }
    zlib += packBigEndian(b << 16 | a)
    let header =
        packBigEndian(UInt32(width)) + packBigEndian(UInt32(height)) + [8, hasAlpha ? 6 : 2, 0, 0, 0]
    return Data(
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + packChunk("IHDR", header) + packChunk("IDAT", zlib)
            + packChunk("IEND", []))
}

func packBigEndian(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) } }

func packChunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    var crc: UInt32 = .max
    for byte in body {
        crc ^= UInt32(byte)
        for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return packBigEndian(UInt32(data.count)) + body + packBigEndian(~crc)
}

/// FFmpeg's programs: another reader than ours, and the maker of videos with alpha.
enum FFmpeg {
    static let isInstalled = ["ffmpeg", "ffprobe"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    /// Runs one of the programs quietly and answers its standard output.
    @discardableResult
    static func run(_ program: String, _ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(program)")
        process.arguments = ["-v", "error"] + arguments
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(program) \(arguments.joined(separator: " "))")
        return data
    }

    /// `key=value` lines of the first stream of a kind.
    static func stream(_ kind: String, _ entries: String, _ path: String) throws -> [String: String] {
        let text = String(
            decoding: try run(
                "ffprobe",
                [
                    "-count_packets", "-select_streams", "\(kind):0", "-show_entries", "stream=\(entries)",
                    "-of",
                    "default=nw=1", path,
                ]), as: UTF8.self)
        return Dictionary(
            text.split(separator: "\n").compactMap { line in
                line.firstIndex(of: "=").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// All pictures of a file as planar 4:2:0 bytes, one after the other.
    static func pictures(_ path: String) throws -> Data {
        try run(
            "ffmpeg",
            ["-i", path, "-map", "0:v:0", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-vsync", "0", "-"])
    }
}
