import Testing

@testable import VAP

@Suite("Bare layout")
struct BareLayoutTests {
    private func read(_ text: String) throws(AnimationError) -> BareLayout? {
        try BareLayout(json: Array(text.utf8))
    }

    @Test("is read from the short form of a sidecar")
    func short() throws {
        for halves in Halves.allCases {
            #expect(try read(#"{"halves": "\#(halves.rawValue)"}"#) == BareLayout(.halves(halves)))
        }
        #expect(try read(#"{"halves":"alphaTop","fps":"24","x":1}"#)?.framesPerSecond == 24)
        let rectangles = try read(#"{"rgbFrame":[0,0,720,1280],"aFrame":[720,0,360.5,640],"fps":29.97}"#)
        let (colour, alpha) = (
            Rectangle(x: 0, y: 0, width: 720, height: 1280),
            Rectangle(x: 720, y: 0, width: 360.5, height: 640)
        )
        #expect(rectangles == BareLayout(.rectangles(colour: colour, alpha: alpha), framesPerSecond: 29.97))
    }

    @Test(
        "leaves everything else to the manifest",
        arguments: [
            "{}", #"{"info":{"v":2},"halves":"alphaLeft"}"#, "[]", "7", #"{"halves":null}"#, #"{"fps":25}"#,
        ])
    func others(text: String) throws { #expect(try read(text) == nil) }

    @Test(
        "is refused by name",
        arguments: [
            (#"{"halves":"left"}"#, AnimationError.Kind.fieldValue, "'left', none of alphaLeft"),
            (#"{"halves":1}"#, .fieldValue, "halves is 1"),
            (#"{"halves":"alphaLeft","aFrame":[0,0,1,1]}"#, .fieldValue, "exclude"),
            (#"{"rgbFrame":[0,0,1,1]}"#, .fieldMissing, "aFrame is missing"),
            (#"{"aFrame":[0,0,1,1],"rgbFrame":[0,0,1]}"#, .fieldType, "rgbFrame is an array of 3"),
            (#"{"halves":"alphaLeft","fps":true}"#, .fieldType, "fps is a truth value"),
            (#"{"halves":"alphaLeft""#, .jsonInvalid, ""),
        ])
    func refusals(text: String, kind: AnimationError.Kind, words: String) {
        let error = refusal { () throws(AnimationError) in try read(text) }
        #expect(
            error?.kind == kind && (words.isEmpty || error?.message.contains(words) == true),
            "\(error as Any)")
    }

    @Test("draws two rectangles at the size of the colour, at its own rate or the track's")
    func rectangles() throws {
        let colour = Rectangle(x: 0, y: 0, width: 33.5, height: 32)
        let cut = BareLayout.Cut.rectangles(
            colour: colour, alpha: Rectangle(x: 64, y: 0, width: 16, height: 16))
        let layout = try Layout(BareLayout(cut), coded: Size(80, 32), frameCount: 7, framesPerSecond: 30)
        #expect(layout.canvas == Size(34, 32) && layout.colour == colour)
        #expect(layout.framesPerSecond == 30 && layout.frameCount == 7)
        let own = BareLayout(cut, framesPerSecond: 12.5)
        #expect(
            try Layout(own, coded: Size(80, 32), frameCount: 7, framesPerSecond: 30).framesPerSecond == 12.5)
    }

    @Test("is held against the picture that it cuts")
    func checked() {
        func kind(_ colour: Rectangle, _ rate: Double?) -> AnimationError.Kind? {
            let cut = BareLayout.Cut.rectangles(
                colour: colour, alpha: Rectangle(x: 64, y: 0, width: 16, height: 16))
            return refusal { () throws(AnimationError) in
                try Layout(
                    BareLayout(cut, framesPerSecond: rate), coded: Size(80, 32), frameCount: 7,
                    framesPerSecond: 30)
            }?.kind
        }
        #expect(kind(Rectangle(x: 60, y: 0, width: 32, height: 32), nil) == .rectangleOutside)
        #expect(kind(Rectangle(x: 0, y: 0, width: 0, height: 32), nil) == .fieldValue)
        #expect(kind(Rectangle(x: 0, y: 0, width: 1e300, height: 32), nil) == .limitExceeded)
        #expect(kind(Rectangle(x: 0, y: 0, width: .nan, height: 32), nil) != nil)
        #expect(kind(Rectangle(x: 0, y: 0, width: 32, height: 32), 0) == .fieldValue)
        #expect(kind(Rectangle(x: 0, y: 0, width: 32, height: 32), 1000) == .fieldValue)
    }

    @Test("comes from a sidecar, which counts instead of the box")
    func sidecar() throws {
        let json = Array(#"{"halves":"alphaRight"}"#.utf8)
        for bytes in [Make.box("ftyp") + Make.moov, Make.file()] {
            let file = try VAPFile.read(MemorySource(bytes), sidecar: json)
            #expect(file.origin == .sidecar && file.manifest == nil)
            #expect(file.bare == BareLayout(.halves(.alphaRight)))
        }
    }
}

@Suite("Sidecar")
struct SidecarTests {
    private func read(_ text: String, box: Bool = true) throws(AnimationError) -> VAPFile {
        let bytes = box ? Make.file() : Make.box("ftyp") + Make.moov
        return try VAPFile.read(MemorySource(bytes), sidecar: Array(text.utf8))
    }

    @Test("may say how the gift is blended, alone or beside a layout")
    func blend() throws {
        let alone = try read(#"{"blend": "straight"}"#)
        #expect(
            alone.blend == "straight" && alone.origin == .box && alone.manifest != nil
                && alone.warnings.isEmpty)
        let short = try read(#"{"halves": "alphaTop", "blend": "ios"}"#)
        #expect(
            short.blend == "ios" && short.bare == BareLayout(.halves(.alphaTop)) && short.origin == .sidecar)
        let full = try read(String(decoding: Make.json(more: #","blend":"ios""#), as: UTF8.self))
        #expect(full.blend == "ios" && full.origin == .sidecar && full.manifest != nil)
        #expect(try VAPFile.read(MemorySource(Make.file())).blend == nil)
    }

    @Test("is no layout when it names a blend alone, and is refused where it is neither")
    func refusals() {
        #expect(
            kind { () throws(AnimationError) in try read(#"{"blend":"ios"}"#, box: false) } == .layoutMissing)
        #expect(kind { () throws(AnimationError) in try read(#"{"blend":7}"#) } == .fieldType)
        #expect(kind { () throws(AnimationError) in try read("{}") } == .fieldMissing)
        #expect(kind { () throws(AnimationError) in try read("[") } == .jsonInvalid)
    }
}

@Suite("Foreign formats")
struct ForeignFormatTests {
    @Test(
        "are refused by name",
        arguments: [
            ([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x86, 0x81], "WebM"),
            (Array("PAG\u{1}\0\0\0\0".utf8), "PAG"),
            (Array("PK\u{3}\u{4}\u{14}\0\0\0".utf8), "SVGA 1"),
            ([0x78, 0x9c, 0xec, 0xbd, 0x09, 0x78, 0x1b, 0x57], "SVGA 2"),
            ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "PNG"), (Array("GIF89a\0\0".utf8), "GIF"),
            ([0xff, 0xd8, 0xff, 0xe0, 0, 0x10, 0x4a, 0x46], "JPEG"),
            (Array("RIFF\u{1}\0\0\0WEBPVP8 ".utf8), "WebP"),
            (Array("RIFF\u{1}\0\0\0AVI LIST".utf8), "AVI"), (Array("{\"v\":\"5.5\"}".utf8), "Lottie"),
        ] as [([UInt8], String)])
    func named(bytes: [UInt8], name: String) {
        let error = refusal { () throws(AnimationError) in try VAPFile.read(MemorySource(bytes)) }
        #expect(error?.kind == .notMP4 && error?.message.contains(name) == true, "\(error as Any)")
    }

    @Test("YYEVA is told from its metadata, and plays with a layout that is given")
    func yyeva() throws {
        let movie = Make.box("moov", Array("yyyeffectmp4json[[eJzdXcuO]]yyeffectmp4json".utf8))
        let source = MemorySource(Make.box("ftyp") + movie)
        let error = refusal { () throws(AnimationError) in try VAPFile.read(source) }
        #expect(error?.kind == .layoutMissing && error?.message.contains("YYEVA") == true)
        #expect(try VAPFile.read(source, bare: BareLayout(.halves(.alphaRight))).origin == .given)
        let plain = MemorySource(Make.box("ftyp") + Make.box("moov", Array("yyeffectmp4json".utf8)))
        let other = refusal { () throws(AnimationError) in try VAPFile.read(plain) }
        #expect(other?.kind == .layoutMissing && other?.message.contains("YYEVA") == false)
    }
}
