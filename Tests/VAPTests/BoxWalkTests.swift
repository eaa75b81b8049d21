import Testing
import VAP

@Suite("Box walk")
struct BoxWalkTests {
    private func read(_ bytes: [UInt8]) throws(AnimationError) -> VAPFile {
        try VAPFile.read(MemorySource(bytes))
    }

    @Test("lists the boxes of the top level with their places")
    func lists() throws {
        let file = try read(Make.file())
        #expect(file.boxes.map(\.type) == ["ftyp", "vapc", "moov", "mdat"])
        #expect(file.boxes.first == file.boxes.first { $0.offset == 0 && $0.size == 12 })
        #expect(file.boxes.last?.payloadSize == 3)
        #expect(file.origin == .box)
        #expect(file.warnings.isEmpty)
    }

    @Test("finds the layout behind a box with a 64-bit size")
    func largeSize() throws {
        let file = try read(
            Make.longBox("mdat", size: 20, [1, 2, 3, 4]) + Make.moov + Make.box("vapc", Make.json()))
        #expect(file.boxes.map(\.headerSize) == [16, 8, 8])
        #expect(file.manifest?.layout.frameCount == 10)
    }

    @Test("reads a layout box that has a 64-bit size itself")
    func largeLayout() throws {
        let json = Make.json()
        let file = try read(Make.moov + Make.longBox("vapc", size: UInt64(json.count + 16), json))
        #expect(file.manifest?.layout.canvas == Size(32, 32))
    }

    @Test("takes size 0 as up to the end", arguments: ["mdat", "vapc"])
    func sizeZero(type: String) throws {
        let start = type == "mdat" ? Make.box("vapc", Make.json()) + Make.moov : Make.moov
        let bytes = start + Make.header(type, size: 0) + (type == "mdat" ? [1, 2, 3] : Make.json())
        let file = try read(bytes)
        #expect(file.boxes.last.map { $0.offset + $0.size } == Int64(bytes.count))
        #expect(file.manifest != nil)
    }

    @Test("takes what lies in a box of size 0 for data")
    func behindSizeZero() {
        let bytes = Make.moov + Make.header("mdat", size: 0) + Make.box("vapc", Make.json())
        #expect(kind { () throws(AnimationError) in try read(bytes) } == .layoutMissing)
    }

    @Test("takes the first of two layouts")
    func firstLayout() throws {
        let second = Make.box("vapc", Make.json(["f": "99"]))
        let file = try read(Make.file() + second)
        #expect(file.manifest?.layout.frameCount == 10)
        #expect(file.warnings == ["2 vapc boxes, of which the first counts"])
    }

    @Test("looks into no box for another")
    func decoys() {
        let decoy = Make.box("vapc", Make.json())
        let bytes = Make.box("free", decoy) + Make.box("uuid", decoy) + Make.box("moov", decoy)
        #expect(kind { () throws(AnimationError) in try read(bytes) } == .layoutMissing)
    }

    @Test(
        "tolerates a tail that is no box",
        arguments: [[1], Array(repeating: 7, count: 7), .init(repeating: 0, count: 5000)])
    func tail(bytes: [UInt8]) throws {
        let file = try read(Make.file() + bytes)
        #expect(file.boxes.count == 4)
        #expect(file.warnings == ["\(bytes.count) bytes behind the last box are no box"])
    }

    @Test("refuses sizes that cannot be", arguments: 2...7)
    func shortSize(size: Int) {
        let bytes = Make.moov + Make.header("mdat", size: UInt32(size)) + [1, 2, 3]
        #expect(kind { () throws(AnimationError) in try read(bytes) } == .boxSizeInvalid)
    }

    @Test(
        "refuses 64-bit sizes that cannot be",
        arguments: [0, 1, 15, UInt64.max, UInt64.max - 15, 1 << 63, .max >> 1])
    func longSize(size: UInt64) {
        let bytes = Make.moov + Make.longBox("mdat", size: size, [1, 2, 3])
        #expect(kind { () throws(AnimationError) in try read(bytes) } == .boxSizeInvalid)
    }

    @Test("refuses a box that ends behind the file, and says by how much")
    func truncated() throws {
        let cut = Make.moov + Make.header("vapc", size: 0xFFFF_FFF0) + [1, 2, 3]
        let error = try #require(refusal { () throws(AnimationError) in try read(cut) })
        #expect(error.kind == .boxTruncated)
        #expect(error.message == "Box 'vapc' at byte 11 says 4294967280 bytes, but the file ends after 11.")
        let half = Make.moov + Make.header("mdat", size: 1) + [0, 0]
        #expect(kind { () throws(AnimationError) in try read(half) } == .boxTruncated)
    }

    @Test("refuses every prefix of a good file or reads it, and never anything else")
    func prefixes() {
        let whole = Make.file()
        for length in 0..<whole.count {
            guard let file = try? read(Array(whole.prefix(length))) else { continue }
            #expect(file.boxes.map(\.type) == ["ftyp", "vapc", "moov"])
        }
    }

    @Test("refuses an empty file, a short one, and what is no MP4")
    func notMP4() {
        #expect(kind { () throws(AnimationError) in try read([]) } == .emptyFile)
        let others = ["x", "<!DOCTYPE html><html>", "RIFF____WEBPVP8 ", String(repeating: "\0", count: 100)]
        for text in others {
            #expect(kind { () throws(AnimationError) in try read(Array(text.utf8)) } == .notMP4)
        }
    }

    @Test("tells a file without moov from one without layout")
    func missing() {
        let unfinished = Make.box("ftyp") + Make.box("vapc", Make.json()) + Make.box("mdat")
        #expect(kind { () throws(AnimationError) in try read(unfinished) } == .movieMissing)
        #expect(
            kind { () throws(AnimationError) in try read(Make.box("ftyp") + Make.moov) } == .layoutMissing)
    }

    @Test("refuses too many boxes and a layout that is too long")
    func limits() {
        let many = Make.moov + Array(repeating: Make.box("free"), count: Limits.boxes).joined()
        #expect(kind { () throws(AnimationError) in try read(many) } == .limitExceeded)
        let long = Make.moov + Make.box("vapc", Array(repeating: 0x20, count: Limits.payload + 1))
        #expect(kind { () throws(AnimationError) in try read(long) } == .limitExceeded)
    }
}

@Suite("Where the layout comes from")
struct OriginTests {
    @Test("a sidecar wins over the box")
    func sidecar() throws {
        let file = try VAPFile.read(MemorySource(Make.file()), sidecar: Make.json(["f": "5"]))
        #expect(file.origin == .sidecar)
        #expect(file.manifest?.layout.frameCount == 5)
        #expect(file.warnings == ["the sidecar counts, not the vapc box"])
    }

    @Test("a sidecar saves a file whose box is bad or missing")
    func sidecarAlone() throws {
        for bytes in [Make.file(layout: [1, 2, 3]), Make.box("ftyp") + Make.moov] {
            #expect(try VAPFile.read(MemorySource(bytes), sidecar: Make.json()).manifest != nil)
        }
    }

    @Test("a layout that is given counts only where there is no JSON")
    func halves() throws {
        let bare = try VAPFile.read(
            MemorySource(Make.box("ftyp") + Make.moov), bare: BareLayout(.halves(.alphaLeft)))
        #expect(bare.origin == .given)
        #expect(bare.manifest == nil && bare.bare == BareLayout(.halves(.alphaLeft)))
        let full = try VAPFile.read(MemorySource(Make.file()), bare: BareLayout(.halves(.alphaLeft)))
        #expect(full.origin == .box)
        #expect(full.warnings == ["the JSON counts, not the layout that was given"])
    }

    private struct Unreadable: ByteSource {
        struct Failure: Error {}
        let count: Int64 = 100
        func read(at offset: Int64, count: Int) throws -> [UInt8] { throw Failure() }
    }

    private struct Endless: ByteSource {
        let count: Int64 = 100
        func read(at offset: Int64, count: Int) throws -> [UInt8] {
            throw AnimationError(.loadTimeout, "Endless.")
        }
    }

    private struct Shrinking: ByteSource {
        let count: Int64 = 100
        func read(at offset: Int64, count: Int) -> [UInt8] { [0, 0] }
    }

    @Test("a file that cannot be read or shrinks meanwhile is refused")
    func unreadable() {
        #expect(kind { () throws(AnimationError) in try VAPFile.read(Unreadable()) } == .notFound)
        #expect(kind { () throws(AnimationError) in try VAPFile.read(Shrinking()) } == .boxTruncated)
        #expect(kind { () throws(AnimationError) in try VAPFile.read(Endless()) } == .loadTimeout)
    }
}
