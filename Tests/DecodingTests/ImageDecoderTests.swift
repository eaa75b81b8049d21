import Foundation
import Pictures
import Testing
import VAP

@testable import Decoding

/// A picture of four quarters: red and green above, blue and white below; the right half may be less than solid.
enum Quarters {
    static let (width, height) = (32, 16)

    static func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        switch (x < width / 2, y < height / 2) {
        case (true, true): [200, 0, 0]
        case (false, true): [0, 200, 0]
        case (true, false): [0, 0, 200]
        case (false, false): [255, 255, 255]
        }
    }

    static func rgba(alpha: UInt8 = 255) -> [UInt8] {
        (0..<height).flatMap { y in
            (0..<width).flatMap { x in pixel(x, y) + [x < width / 2 ? 255 : alpha] }
        }
    }

    /// Lets ffmpeg write the picture to a file of the name's format.
    static func write(
        _ name: String, in directory: PackDirectory, alpha: UInt8 = 255, _ options: [String] = []
    ) throws -> [UInt8] {
        let raw = directory.file("quarters.rgba")
        try Data(rgba(alpha: alpha)).write(to: URL(fileURLWithPath: raw))
        let path = directory.file(name)
        try FFmpeg.run(
            "ffmpeg",
            ["-y", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", "\(width)x\(height)", "-i", raw] + options
                + ["-frames:v", "1", path])
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}

@Suite("Still pictures", .timeLimit(.minutes(1)))
struct ImageDecoderTests {
    /// The pixel in the middle of each quarter, of a picture of the quarters' shape.
    private func middles(_ image: PixelImage) -> [[Int]] {
        let (width, height) = (image.size.width, image.size.height)
        return [(1, 1), (3, 1), (1, 3), (3, 3)].map { across, down in
            let index = 4 * (height * down / 4 * width + width * across / 4)
            return image.bytes[index..<index + 4].map { Int($0) }
        }
    }

    private func expect(
        _ image: PixelImage, _ wanted: [[Int]], within tolerance: Int, _ name: String,
        size: Size = Size(Quarters.width, Quarters.height)
    ) {
        #expect(image.size == size && !image.isPremultiplied, "\(name)")
        for (found, wanted) in zip(middles(image), wanted) {
            for channel in 0..<4 {
                #expect(
                    abs(found[channel] - wanted[channel]) <= tolerance, "\(name): \(found), not \(wanted)")
            }
        }
    }

    private func kind(_ bytes: [UInt8]) -> ImageError.Kind? {
        do throws(ImageError) {
            _ = try ImageDecoder.decode(bytes)
            return nil
        } catch {
            #expect(!error.message.isEmpty && !error.message.contains("\n"))
            return error.kind
        }
    }

    static let solid = [[200, 0, 0, 255], [0, 200, 0, 255], [0, 0, 200, 255], [255, 255, 255, 255]]
    static let half = [[200, 0, 0, 255], [0, 200, 0, 128], [0, 0, 200, 255], [255, 255, 255, 128]]
    /// BT.601's luma of the quarters, full range.
    static let grey = [60, 117, 23, 255].map { [$0, $0, $0, 255] }

    static let greyHalf = zip(grey, half).map { Array($0[..<3]) + [$1[3]] }

    /// A palette of the picture's own colours.
    static let palette = [
        "-filter_complex", "split[a][b];[a]palettegen=reserve_transparent=0[p];[b][p]paletteuse",
    ]

    typealias Format = (name: String, alpha: UInt8, options: [String], wanted: [[Int]], tolerance: Int)

    static let formats: [Format] = [
        ("rgb.png", 255, ["-pix_fmt", "rgb24"], solid, 0),
        ("rgba.png", 128, ["-pix_fmt", "rgba"], half, 0),
        ("interlaced.png", 128, ["-pix_fmt", "rgba", "-flags", "+ildct"], half, 0),
        ("palette.png", 255, ["-pix_fmt", "pal8"] + palette, solid, 1),
        ("rgb16.png", 255, ["-pix_fmt", "rgb48be"], solid, 1),
        ("rgba16.png", 128, ["-pix_fmt", "rgba64be"], half, 1),
        ("grey.png", 255, ["-pix_fmt", "gray"], grey, 2),
        ("grey16.png", 255, ["-pix_fmt", "gray16be"], grey, 2),
        ("greyAlpha.png", 128, ["-pix_fmt", "ya8"], greyHalf, 2),
        ("greyAlpha16.png", 128, ["-pix_fmt", "ya16be"], greyHalf, 2),
        ("bits.png", 255, ["-pix_fmt", "monob"], [0, 0, 0, 255].map { [$0, $0, $0, 255] }, 0),
        ("420.jpg", 255, ["-pix_fmt", "yuvj420p", "-q:v", "2"], solid, 8),
        ("444.jpg", 255, ["-pix_fmt", "yuvj444p", "-q:v", "2"], solid, 8),
        ("lossy.webp", 255, ["-c:v", "libwebp", "-quality", "95"], solid, 10),
        ("lossyAlpha.webp", 128, ["-c:v", "libwebp", "-quality", "95"], half, 10),
        ("lossless.webp", 128, ["-c:v", "libwebp", "-lossless", "1", "-pix_fmt", "bgra"], half, 0),
        ("quarters.gif", 255, palette, solid, 1),
    ]

    @Test(
        "come out as they were painted, from every format", .enabled(if: FFmpeg.isInstalled),
        arguments: formats)
    func decodes(_ format: Format) throws {
        let directory = try PackDirectory()
        let (name, wanted, tolerance) = (format.name, format.wanted, format.tolerance)
        var options = format.options
        // A grey that is full range, and a black and white without dots.
        if wanted == Self.grey || name.hasPrefix("grey") { options += ["-vf", "scale=out_range=full"] }
        if name == "bits.png" { options += ["-sws_dither", "none"] }
        let bytes = try Quarters.write(name, in: directory, alpha: format.alpha, options)
        expect(try ImageDecoder.decode(bytes), wanted, within: tolerance, name)
        // Whatever it is called, and whatever follows.
        if name.hasSuffix("png") {
            expect(
                try ImageDecoder.decode(bytes + [1, 2, 3]), wanted, within: tolerance, "\(name) with a tail")
        }
    }

    @Test("a camera's orientation is undone", .enabled(if: FFmpeg.isInstalled), arguments: 1...8)
    func orientation(number: Int) throws {
        let directory = try PackDirectory()
        let plain = try Quarters.write("plain.jpg", in: directory, ["-pix_fmt", "yuvj444p", "-q:v", "2"])
        let image = try ImageDecoder.decode(StillWriter.turned(plain, orientation: number))
        // Which stored quarter (0 and 1 above, 2 and 3 below) is seen where: by the definition of EXIF's tag.
        let seen = [
            [0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0], [2, 3, 0, 1], [0, 2, 1, 3], [2, 0, 3, 1], [3, 1, 2, 0],
            [1, 3, 0, 2],
        ][number - 1]
        let size = number < 5 ? Size(32, 16) : Size(16, 32)
        expect(image, seen.map { Self.solid[$0] }, within: 8, "orientation \(number)", size: size)
    }

    @Test("a grey JPEG is grey")
    func greyJPEG() throws {
        for level in [0, 16, 100, 235, 255] as [UInt8] {
            let image = try ImageDecoder.decode(StillWriter.jpeg(16, 8, [level]))
            #expect(image.size == Size(16, 8))
            #expect(image.bytes[..<3].allSatisfy { abs(Int($0) - Int(level)) <= 1 } && image.bytes[3] == 255)
        }
    }

    @Test("CMYK, with Adobe's turned values")
    func cmyk() throws {
        // No cyan, all magenta and yellow, no black: red. Adobe stores 255 for no ink.
        let red = try ImageDecoder.decode(StillWriter.jpeg(8, 8, [255, 0, 0, 255]))
        #expect(red.size == Size(8, 8))
        #expect(zip(red.bytes[..<4], [255, 0, 0, 255]).allSatisfy { abs(Int($0) - Int($1)) <= 3 })
        // Half black over cyan.
        let dark = try ImageDecoder.decode(StillWriter.jpeg(8, 8, [0, 255, 255, 128]))
        #expect(zip(dark.bytes[..<4], [0, 128, 128, 255]).allSatisfy { abs(Int($0) - Int($1)) <= 3 })
    }

    @Test("of a GIF the first picture", .enabled(if: FFmpeg.isInstalled))
    func firstPicture() throws {
        let directory = try PackDirectory()
        let path = directory.file("two.gif")
        try FFmpeg.run(
            "ffmpeg",
            [
                "-y", "-f", "lavfi", "-i", "color=red:s=16x16:r=5:d=0.4", "-f", "lavfi", "-i",
                "color=blue:s=16x16:r=5:d=0.4", "-filter_complex", "concat=n=2", path,
            ])
        let image = try ImageDecoder.decode(Array(try Data(contentsOf: URL(fileURLWithPath: path))))
        #expect(image.bytes[0] > 240 && image.bytes[2] < 15)
    }

    @Test("what is no picture is refused by its content")
    func unknown() {
        #expect(kind([]) == .formatUnknown)
        #expect(kind(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)) == .formatUnknown)
        #expect(kind(Array("#EXTM3U\nfile:///etc/passwd".utf8)) == .formatUnknown)
        #expect(kind([0xFF]) == .formatUnknown)
        #expect(kind(Array("RIFF".utf8)) == .formatUnknown)
    }

    @Test("a picture of too many pixels is refused from its header", arguments: [20_000, 65_535, 17_000])
    func bombs(side: Int) {
        let png = StillWriter.png(width: side, height: side == 17_000 ? 2 : side, lines: [])
        #expect(kind(png) == .tooLarge)
        let (low, high) = (UInt8(side & 255), UInt8(side >> 8))
        let gif =
            Array("GIF89a".utf8) + [low, high, 0xFF, 0x7F, 0, 0, 0]
            + [0x2C, 0, 0, 0, 0, low, high, 0xFF, 0x7F, 0, 2, 1, 0, 0, 0x3B]
        #expect(kind(gif) == .tooLarge)
    }

    @Test(
        "cut and damaged pictures are refused or decoded, and never more than that",
        .enabled(if: FFmpeg.isInstalled))
    func damage() throws {
        let directory = try PackDirectory()
        for name in ["a.png", "a.jpg", "a.webp", "a.gif"] {
            let whole = try Quarters.write(name, in: directory)
            for length in stride(from: 0, to: whole.count - 12, by: 5) where name != "a.gif" {
                #expect(kind(Array(whole[..<length])) != nil, "\(name) of \(length) bytes")
            }
            for place in stride(from: 0, to: whole.count, by: 3) {
                var damaged = whole
                damaged[place] ^= 0x55
                _ = kind(damaged)
            }
        }
    }

    struct Avatar: CustomTestStringConvertible {
        let file: String
        let wanted: Result<[Int], ImageError.Kind>
        var testDescription: String { file }
    }

    static let avatars: [Avatar] = [
        .init(file: "avatar-green.png", wanted: .success([0, 200, 0, 255])),
        .init(file: "avatar-half-clear.png", wanted: .success([0, 255, 0, 128])),
        .init(file: "avatar-palette-trns.png", wanted: .success([0, 200, 0, 255])),
        .init(file: "avatar-jpeg-named-png.png", wanted: .success([0, 200, 0, 255])),
        .init(file: "avatar-gif-animated.gif", wanted: .success([0, 200, 0, 255])),
        .init(file: "avatar-webp-lossy.webp", wanted: .success([0, 200, 0, 255])),
        .init(file: "avatar-thin-1x4096.png", wanted: .success([0, 200, 0, 255])),
        .init(file: "avatar-bomb-20000.png", wanted: .failure(.tooLarge)),
        .init(file: "avatar-gif-bomb.gif", wanted: .failure(.tooLarge)),
        .init(file: "avatar-cut.png", wanted: .failure(.broken)),
        .init(file: "avatar-zero-bytes.png", wanted: .failure(.formatUnknown)),
        .init(file: "avatar-svg.svg", wanted: .failure(.formatUnknown)),
    ]

    @Test(
        "hostile avatars are decoded or refused as they should", .enabled(if: Shared.isThere("cases/vap")),
        arguments: avatars)
    func hostile(avatar: Avatar) throws {
        let path = Shared.path("cases/vap/\(avatar.file)")
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        switch avatar.wanted {
        case .failure(let wanted): #expect(kind(bytes) == wanted)
        case .success(let wanted):
            let image = try ImageDecoder.decode(bytes)
            let middle = 4 * (image.size.height / 2 * image.size.width + image.size.width / 2)
            let found = image.bytes[middle..<middle + 4].map { Int($0) }
            #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= 20 }, "\(found)")
        }
    }
}

extension ImageError.Kind: Error {}
