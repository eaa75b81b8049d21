import Foundation
import Testing
import VAP

/// One entry of the manifest of hostile files.
struct HostileCase: Decodable, Sendable, CustomTestStringConvertible {
    let id: String
    let kind: Int
    let must: String
    let error: String?
    let alsoOK: [String]?
    let file: String?
    let expect: Expectation?

    struct Expectation: Decodable, Sendable {
        let frames: Int?
        let fps: Double?
        let w, h: Int?
    }

    enum CodingKeys: String, CodingKey {
        case id, kind, must, error, file, expect
        case alsoOK = "also_ok"
    }

    var testDescription: String { id }

    /// The kinds of error that are right.
    var refusals: [AnimationError.Kind] {
        let others = (alsoOK ?? []).filter { $0.hasPrefix("reject:") }.map { String($0.dropFirst(7)) }
        return ([error].compactMap { $0 } + others).compactMap { Self.kinds[$0] }
    }

    /// Cases whose fault is in boxes or JSON; the others need the track.
    static let all: [HostileCase] = {
        struct List: Decodable { let cases: [HostileCase] }
        guard let bytes = Shared.bytes("cases/vap/manifest.json"),
            let list = try? JSONDecoder().decode(List.self, from: Data(bytes))
        else { return [] }
        return list.cases.filter { ($0.kind == 1 || $0.kind == 2) && $0.file != nil }
    }()

    /// Errors that only show when the media is opened.
    static let media: Set<String> = ["moov_invalid", "track_mismatch", "no_video_track"]

    /// The names that the manifest uses.
    static let kinds: [String: AnimationError.Kind] = [
        "empty_file": .emptyFile, "not_mp4": .notMP4, "box_size_invalid": .boxSizeInvalid,
        "box_truncated": .boxTruncated, "vapc_missing": .layoutMissing, "json_invalid": .jsonInvalid,
        "json_too_deep": .jsonTooDeep, "config_field_missing": .fieldMissing, "config_field_type": .fieldType,
        "config_version": .versionUnsupported, "config_value": .fieldValue,
        "rect_out_of_frame": .rectangleOutside,
        "geometry_mismatch": .geometryMismatch, "track_mismatch": .trackMismatch,
        "moov_missing": .movieMissing,
        "moov_invalid": .mediaInvalid, "no_video_track": .videoMissing,
        "codec_unsupported": .codecUnsupported,
        "decoder_open": .decoderFailed, "pixel_format_unsupported": .pixelFormatUnsupported,
        "media_corrupt": .mediaCorrupt, "limits_exceeded": .limitExceeded,
    ]
}

@Suite("Hostile files", .enabled(if: Shared.isThere("cases/vap/manifest.json")))
struct CaseTests {
    @Test("answer as the manifest says", arguments: HostileCase.all)
    func answers(entry: HostileCase) throws {
        let bytes = try #require(Shared.bytes("cases/vap/\(entry.file ?? "")"))
        var result = Result<VAPFile, any Error>.failure(CancellationError())
        let seconds = processorSeconds { result = Result { try VAPFile.read(MemorySource(bytes)) } }
        #expect(seconds < 1)
        switch result {
        case .success(let file):
            let isFree = entry.must != "reject" || HostileCase.media.contains(entry.error ?? "")
            #expect(isFree, "accepted instead of \(entry.error ?? "")")
            let layout = try #require(file.manifest?.layout)
            if let frames = entry.expect?.frames { #expect(layout.frameCount == frames) }
            if let fps = entry.expect?.fps { #expect(layout.framesPerSecond == fps) }
            if let w = entry.expect?.w, let h = entry.expect?.h { #expect(layout.canvas == Size(w, h)) }
            if entry.must == "degrade" { #expect(!file.warnings.isEmpty) }
        case .failure(let error):
            #expect(entry.must == "reject", "\(error)")
            let kind = try #require((error as? AnimationError)?.kind)
            #expect(entry.refusals.contains(kind), "\(error)")
        }
    }

    @Test("the names of errors are one to one")
    func names() {
        #expect(Set(HostileCase.kinds.values).count == HostileCase.kinds.count)
        #expect(HostileCase.all.count > 50)
    }
}

@Suite("Real files", .enabled(if: Shared.isThere("vap-samples")))
struct SampleTests {
    @Test(
        "are read without a warning, box and sidecar alike",
        arguments: ["demo", "mask_blur_demo", "mask_trunk_demo", "pk_start", "vap", "vapx", "web_demo"])
    func sample(name: String) throws {
        let bytes = try #require(Shared.bytes("vap-samples/\(name).mp4"))
        let json = try #require(Shared.bytes("vap-samples/\(name).vapc.json"))
        let sidecar = try Manifest(json: json)
        let box = try VAPFile.read(MemorySource(bytes)).manifest
        #expect(box?.layout == sidecar.layout)
        #expect(box?.sources == sidecar.sources && box?.elements == sidecar.elements)
        #expect(sidecar.warnings.isEmpty)
    }

    @Test("pk_start is read whole: 17 sources, masks smaller than their targets among them")
    func fusion() throws {
        let json = try #require(Shared.bytes("vap-samples/pk_start.vapc.json"))
        let manifest = try Manifest(json: json)
        #expect(manifest.sources.count == 17 && manifest.isFusion)
        let elements = manifest.elements.values.joined()
        #expect(elements.contains { $0.mask.width < $0.target.width })
        #expect(manifest.elements.keys.allSatisfy { (0..<120).contains($0) })
    }

    @Test("bare files are refused, or cut where halves are named")
    func bare() throws {
        for name in ["special_size_750", "alphaplayer_heartbeats"] {
            let source = MemorySource(try #require(Shared.bytes("vap-samples/\(name).mp4")))
            #expect(kind { () throws(AnimationError) in try VAPFile.read(source) } == .layoutMissing)
            #expect(try VAPFile.read(source, bare: BareLayout(.halves(.alphaLeft))).origin == .given)
        }
    }
}
