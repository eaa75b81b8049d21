/// Names formats that come where a gift file is expected, so that a refusal says what was sent.
enum ForeignFormat {
    /// By what a file begins with; nil when nobody knows it.
    static func name(of header: [UInt8]) -> String? {
        let forms: [([UInt8], String)] = [
            ([0x1a, 0x45, 0xdf, 0xa3], "WebM or Matroska"),
            (Array("PAG".utf8), "PAG"),
            ([0x50, 0x4b, 0x03, 0x04], "a ZIP archive, as SVGA 1, Lottie and AlphaPlayer use them"),
            ([0x78, 0x01], "zlib data, as SVGA 2 uses it"),
            ([0x78, 0x9c], "zlib data, as SVGA 2 uses it"),
            ([0x78, 0xda], "zlib data, as SVGA 2 uses it"),
            ([0x89, 0x50, 0x4e, 0x47], "PNG"),
            (Array("GIF8".utf8), "GIF"),
            ([0xff, 0xd8, 0xff], "JPEG"),
            (Array("FLV".utf8), "FLV"),
            (Array("{".utf8), "JSON, as Lottie uses it"),
        ]
        if header.starts(with: Array("RIFF".utf8)) {
            return header.dropFirst(8).starts(with: Array("WEBP".utf8))
                ? "WebP" : "RIFF, as AVI and WAV use it"
        }
        return forms.first { header.starts(with: $0.0) }?.1
    }

    /// Whether a movie box holds the metadata that YYEVA files have instead of a `vapc` box.
    static func isYYEVA(movie payload: [UInt8]) -> Bool {
        contains(Array("yyeffectmp4json[[".utf8), in: payload)
    }

    private static func contains(_ word: [UInt8], in bytes: [UInt8]) -> Bool {
        guard let first = word.first else { return true }
        var rest = bytes[...]
        while let at = rest.firstIndex(of: first) {
            rest = rest[at...]
            if rest.starts(with: word) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
