import Testing

@testable import VAP

@Suite("Fusion")
struct FusionTests {
    private static let avatar =
        ##"{"srcId":"1","srcType":"img","srcTag":"[it]","w":90,"h":91,"fitType":"centerFull"}"##
    private static let name =
        ##"{"srcId":"2","srcType":"txt","srcTag":"name","w":33.5,"h":44,"color":"#FFF18D","style":"b"}"##

    private func object(_ source: String, z: Int = 0, x: Int = 0, more: String = "") -> String {
        "{\"srcId\":\(source),\"z\":\(z),\"frame\":[\(x),0,8,8],\"mFrame\":[68,0,8,8],\"mt\":0\(more)}"
    }

    private func manifest(sources: [String], frames: [String], changes: [String: String?] = [:]) throws
        -> Manifest
    {
        var changes = changes
        changes["isVapx"] = changes["isVapx"] ?? "1"
        let more = ",\"src\":[\(sources.joined(separator: ","))],\"frame\":[\(frames.joined(separator: ","))]"
        return try Manifest(json: Make.json(changes, more: more))
    }

    private func frame(_ index: Int, _ objects: String...) -> String {
        "{\"i\":\(index),\"obj\":[\(objects.joined(separator: ","))]}"
    }

    @Test("reads sources of both kinds")
    func sources() throws {
        let manifest = try manifest(sources: [Self.avatar, Self.name], frames: [frame(0, object("\"1\""))])
        #expect(manifest.isFusion && manifest.warnings.isEmpty)
        let (image, text) = (manifest.sources[0], manifest.sources[1])
        #expect(image.kind == .image && image.tag == "[it]" && image.fit == .cover)
        #expect(image.size == Size(90, 91) && image.colour == nil && !image.isBold)
        #expect(text.kind == .text && text.fit == .stretch && text.isBold)
        #expect(text.colour == "#FFF18D" && text.size == Size(34, 44))
    }

    @Test("keys frames by their index in any order, and sorts elements by z, stably")
    func order() throws {
        let manifest = try manifest(
            sources: [Self.avatar, Self.name],
            frames: [
                frame(
                    7, object("\"1\"", z: 2, x: 1), object("\"2\"", z: 0, x: 2), object("\"1\"", z: 2, x: 3),
                    object("2", z: 1, x: 4)),
                frame(0, object("\"2\"")),
            ])
        #expect(manifest.elements[7]?.map(\.target.x) == [2, 4, 1, 3])
        #expect(manifest.elements[7]?.map(\.source) == [1, 1, 0, 0])
        #expect(manifest.elements.keys.sorted() == [0, 7])
    }

    @Test("lets the last of duplicate sources and frames win, and says so")
    func duplicates() throws {
        let other = ##"{"srcId":"1","srcType":"txt","srcTag":"later","w":1,"h":1}"##
        let manifest = try manifest(
            sources: [Self.avatar, other],
            frames: [frame(0, object("\"1\"", x: 1)), frame(0, object("\"1\"", x: 2))])
        #expect(manifest.sources.map(\.tag) == ["later"])
        #expect(manifest.elements[0]?.map(\.target.x) == [2])
        #expect(
            manifest.warnings == [
                "srcId is there twice, the last counts", "a frame index is there twice, the last counts",
            ])
    }

    @Test("leaves out elements that cannot be drawn, and counts them in one line")
    func skipped() throws {
        let bad = [
            object("\"7\""), object("\"8\""),
            object("\"1\"").replacing("\"mFrame\":[68,0,8,8]", with: "\"mFrame\":[76,0,8,8]"),
            object("\"1\"").replacing("\"mFrame\":[68,0,8,8]", with: "\"mFrame\":[-1,0,8,8]"),
            object("\"1\"").replacing("\"mFrame\":[68,0,8,8]", with: "\"mFrame\":[0,0,0,0]"),
            object("\"1\"").replacing("\"frame\":[0,0,8,8]", with: "\"frame\":[0,0,1e300,8]"),
            object("\"1\"").replacing("\"frame\":[0,0,8,8]", with: "\"frame\":7"),
            "7", "null", "{}",
        ]
        let manifest = try manifest(
            sources: [Self.avatar],
            frames: [frame(3, (bad + [object("\"1\"", x: -4)]).joined(separator: ","))])
        #expect(manifest.elements[3]?.map(\.target.x) == [-4])
        #expect(manifest.warnings.contains("an element names no known srcId and is left out (5 times)"))
        #expect(
            manifest.warnings.contains(
                "an element whose mFrame is empty or outside the picture is left out (3 times)"))
        #expect(manifest.warnings.count == 4)
    }

    @Test("plays without fusion when the arrays are missing or broken")
    func broken() throws {
        for more in [
            "", ",\"src\":7,\"frame\":{}", ",\"src\":[7,null,{}],\"frame\":[1,{\"i\":0}]", ",\"src\":null",
        ] {
            let manifest = try Manifest(json: Make.json(["isVapx": "1"], more: more))
            #expect(!manifest.isFusion && manifest.elements.isEmpty)
            #expect(manifest.warnings.last == "isVapx is 1, but there is nothing to draw")
        }
    }

    @Test("leaves fusion alone unless isVapx is 1")
    func notVapx() throws {
        let manifest = try manifest(
            sources: [Self.avatar], frames: [frame(0, object("\"1\""))], changes: ["isVapx": "0"])
        #expect(!manifest.isFusion && manifest.sources.isEmpty)
        #expect(manifest.warnings == ["src is there, but isVapx is not 1: nothing is drawn"])
    }

    @Test("honours a quarter turn and no other")
    func turned() throws {
        for (turn, isTurned, warnings) in [
            ("90", true, 0), ("0", false, 0), ("180", false, 1), ("45", false, 1),
        ] {
            let element = object("\"1\"").replacing("\"mt\":0", with: "\"mt\":\(turn)")
            let manifest = try manifest(sources: [Self.avatar], frames: [frame(0, element)])
            #expect(manifest.elements[0]?.first?.isTurned == isTurned)
            #expect(manifest.warnings.count == warnings)
        }
    }

    @Test("leaves out frames outside the animation")
    func outside() throws {
        let manifest = try manifest(
            sources: [Self.avatar], frames: [-1, 10, 9].map { frame($0, object("\"1\"")) })
        #expect(Array(manifest.elements.keys) == [9])
        #expect(manifest.warnings == ["a frame entry without a good i or obj is left out (2 times)"])
    }

    @Test("refuses too many sources, and cuts a frame of too many elements")
    func limits() throws {
        let many = Array(repeating: Self.avatar, count: Limits.sources + 1)
        let error = refusal { () throws(AnimationError) in
            try Manifest(json: Make.json(["isVapx": "1"], more: ",\"src\":[\(many.joined(separator: ","))]"))
        }
        #expect(error?.kind == .limitExceeded)
        let crowd = Array(repeating: object("\"1\""), count: Limits.elementsPerFrame + 5).joined(
            separator: ",")
        let manifest = try manifest(sources: [Self.avatar], frames: [frame(0, crowd)])
        #expect(manifest.elements[0]?.count == Limits.elementsPerFrame)
    }

    @Test("leaves out sources that it cannot use, and takes numbers for ids")
    func badSources() throws {
        let bad = [
            ##"{"srcId":"1","srcType":"video"}"##, ##"{"srcId":"1"}"##, ##"{"srcType":"img"}"##,
            ##"{"srcId":[],"srcType":"img"}"##,
            ##"{"srcId":"1","srcType":"img","w":5000,"h":1}"##,
            ##"{"srcId":"1","srcType":"img","w":1,"h":1e300}"##,
        ]
        let good = ##"{"srcId":1,"srcType":"img","w":-1,"h":"x","color":7,"style":[],"fitType":null}"##
        let manifest = try manifest(sources: bad + [good], frames: [frame(0, object("\"1\""))])
        let wanted = FusionSource(
            id: "1", kind: .image, tag: "", size: Size(0, 0), fit: .stretch, colour: nil, isBold: false)
        #expect(manifest.sources == [wanted] && manifest.isFusion)
        #expect(
            manifest.warnings == [
                "a source that is neither img nor txt is left out (2 times)",
                "a source without srcId is left out (2 times)",
                "a source of more than 4096 pixels is left out (2 times)",
            ])
    }
}
