internal import CLibAV
internal import VAP

/// A format of still pictures, told by the content and never by a name.
enum ImageFormat: String {
    case png = "PNG"
    case jpeg = "JPEG"
    case webp = "WebP"
    case gif = "GIF"

    init?(_ bytes: [UInt8]) {
        func begins(_ magic: [UInt8], at offset: Int = 0) -> Bool {
            bytes.dropFirst(offset).starts(with: magic)
        }
        if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if begins([0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) {
            self = .webp
        } else if begins(Array("GIF87a".utf8)) || begins(Array("GIF89a".utf8)) {
            self = .gif
        } else {
            return nil
        }
    }

    var codec: AVCodecID {
        switch self {
        case .png: AV_CODEC_ID_PNG
        case .jpeg: AV_CODEC_ID_MJPEG
        case .webp: AV_CODEC_ID_WEBP
        case .gif: AV_CODEC_ID_GIF
        }
    }

    /// Whether the end of the picture is there: these decoders make something up for what is missing.
    func isWhole(_ bytes: [UInt8]) -> Bool {
        switch self {
        case .png, .gif: return true
        case .webp:
            let size = bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
            return size + 8 <= bytes.count
        case .jpeg:
            // No marker but these stands in coded data. The last scan is the picture's and not a thumbnail's.
            for index in stride(from: bytes.count - 2, through: 0, by: -1) where bytes[index] == 0xFF {
                if bytes[index + 1] == 0xD9 { return true }
                if bytes[index + 1] == 0xDA { return false }
            }
            return false
        }
    }

    /// The size that the header announces, so that no decoder is asked for a picture that is too large. Nil where the
    /// header is cut or of a form not looked for; the decoder has a limit of its own.
    func size(_ bytes: [UInt8]) -> Size? {
        func number(_ offset: Int, _ count: Int, isBig: Bool) -> Int {
            let part = bytes[offset..<offset + count]
            return (isBig ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
        }
        switch self {
        case .png where bytes.count >= 24: return Size(number(16, 4, isBig: true), number(20, 4, isBig: true))
        case .gif where bytes.count >= 10: return Size(number(6, 2, isBig: false), number(8, 2, isBig: false))
        case .webp where bytes.count >= 30 && bytes[12..<16].elementsEqual("VP8X".utf8):
            return Size(number(24, 3, isBig: false) + 1, number(27, 3, isBig: false) + 1)
        case .jpeg:
            guard let frame = Self.jpegFrame(bytes) else { return nil }
            return Size(number(frame + 7, 2, isBig: true), number(frame + 5, 2, isBig: true))
        default: return nil
        }
    }

    /// Where the marker of the frame header stands.
    private static func jpegFrame(_ bytes: [UInt8]) -> Int? {
        var index = 2
        while index + 9 <= bytes.count, bytes[index] == 0xFF {
            let marker = bytes[index + 1]
            // Fill bytes may stand in front of a marker.
            if marker == 0xFF {
                index += 1
            } else if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                return index
            } else {
                index += 2 + (Int(bytes[index + 2]) << 8 | Int(bytes[index + 3]))
            }
        }
        return nil
    }
}
