import Testing
import VAP

@Suite("Manifest")
struct ManifestTests {
    private func manifest(_ changes: [String: String?] = [:]) throws(AnimationError) -> Manifest {
        try Manifest(json: Make.json(changes))
    }

    private func refused(_ changes: [String: String?]) -> AnimationError.Kind? {
        kind { () throws(AnimationError) in try manifest(changes) }
    }

    @Test("reads what the official tools write")
    func good() throws {
        let manifest = try manifest(["orien": "2"])
        let layout = manifest.layout
        #expect(layout.coded == Size(80, 32))
        #expect(layout.canvas == Size(32, 32))
        #expect(layout.colour == Rectangle(x: 0, y: 0, width: 32, height: 32))
        #expect(layout.alpha == Rectangle(x: 36, y: 0, width: 32, height: 32))
        #expect(layout.frameCount == 10 && layout.framesPerSecond == 10)
        #expect(manifest.orientation == 2)
        #expect(!manifest.isFusion && manifest.warnings.isEmpty)
    }

    @Test("takes floats for whole numbers and fractions where they make sense")
    func floats() throws {
        let layout = try manifest(["w": "32.0", "f": "1e1", "fps": "12.5", "aFrame": "[36.0,0,15.5,15.5]"])
            .layout
        #expect(layout.canvas.width == 32 && layout.frameCount == 10)
        #expect(layout.framesPerSecond == 12.5 && layout.alpha.width == 15.5)
        #expect(layout.duration == 800_000_000)
    }

    @Test("takes numbers given as text, and says so once")
    func texts() throws {
        let manifest = try manifest(["w": "\"32\"", "fps": "\"10\"", "aFrame": "[\"36\",0,32,32]"])
        #expect(manifest.layout.canvas.width == 32)
        #expect(manifest.warnings == ["numbers given as text: w, aFrame, fps"])
    }

    @Test(
        "names what is missing", arguments: ["f", "w", "h", "videoW", "videoH", "fps", "rgbFrame", "aFrame"])
    func missing(name: String) throws {
        for value in [nil, "null"] {
            let error = try #require(refusal { () throws(AnimationError) in try manifest([name: value]) })
            #expect(error.kind == .fieldMissing)
            #expect(error.message == "info.\(name) is missing.")
        }
    }

    @Test("does not need isVapx and orien")
    func optional() throws {
        #expect(try manifest(["isVapx": nil, "orien": nil]).isFusion == false)
        let odd = try manifest(["isVapx": "\"x\"", "orien": "[]"])
        #expect(odd.warnings == ["info.isVapx is the text 'x' where 0 or 1 is expected"])
    }

    @Test("refuses every version but 2")
    func version() {
        for value in ["1", "3", "0", "2.5", "-2", "\"1\"", nil] {
            #expect(refused(["v": value]) == .versionUnsupported)
        }
        for value in ["true", "[2]", "{}", "\"two\""] { #expect(refused(["v": value]) == .fieldType) }
    }

    @Test("refuses values of the wrong type")
    func types() {
        for value in ["true", "[]", "{}", "\"x\"", "32.5"] { #expect(refused(["w": value]) == .fieldType) }
        for value in ["0", "{}", "[]", "[1,2,3]", "[0,0,32,32,1]", "[0,0,null,32]"] {
            #expect(refused(["rgbFrame": value]) == .fieldType)
        }
        for text in ["[]", "7", "\"x\"", "null"] {
            #expect(kind { () throws(AnimationError) in try Manifest(json: Array(text.utf8)) } == .fieldType)
        }
        for (text, expected) in [("{}", AnimationError.Kind.fieldMissing), ("{\"info\":[]}", .fieldType)] {
            #expect(kind { () throws(AnimationError) in try Manifest(json: Array(text.utf8)) } == expected)
        }
    }

    @Test("refuses values that cannot be played")
    func values() {
        for name in ["w", "h", "videoW", "videoH", "f", "fps"] {
            for value in ["0", "-1", "-1e300", "1e400"] {
                #expect(refused([name: value]) == .fieldValue, "\(name) \(value)")
            }
        }
        for value in ["120.5", "1e9", "1e300"] { #expect(refused(["fps": value]) == .fieldValue) }
        for value in ["[0,0,0,0]", "[0,0,-32,32]", "[0,0,32,0.5]"] {
            #expect(refused(["aFrame": value]) == .fieldValue)
        }
    }

    @Test("refuses what is too big or too long")
    func limits() {
        for name in ["w", "h", "videoW", "videoH"] {
            for value in ["8193", "2147483647", "1e300"] { #expect(refused([name: value]) == .limitExceeded) }
        }
        #expect(refused(["videoW": "8192", "videoH": "8192"]) == .limitExceeded)
        for value in ["6001", "2147483647", "1e300"] { #expect(refused(["f": value]) == .limitExceeded) }
        #expect(refused(["fps": "1e-300"]) == .limitExceeded)
        let long = Make.json() + Array(repeating: 0x20, count: Limits.payload)
        #expect(kind { () throws(AnimationError) in try Manifest(json: long) } == .limitExceeded)
    }

    @Test("refuses rectangles outside the picture, with both in the message")
    func outside() throws {
        let outside = [
            "[49,0,32,32]", "[-4,0,32,32]", "[0,-0.5,32,32]", "[0,0.5,32,32]", "[2147483647,0,2147483647,32]",
            "[1e308,0,1e308,32]", "[0,9223372036854775807,32,32]",
        ]
        for value in outside { #expect(refused(["aFrame": value]) == .rectangleOutside, "\(value)") }
        let error = try #require(
            refusal { () throws(AnimationError) in try manifest(["rgbFrame": "[64,0,32,32]"]) })
        #expect(error.message == "rgbFrame is [64, 0, 32, 32], outside videoW x videoH 80x32.")
    }

    @Test("scales small differences between rgbFrame and w x h, and refuses big ones")
    func geometry() throws {
        #expect(
            try manifest(["w": "34", "h": "30"]).warnings == ["rgbFrame is 32x32 and is scaled to 34x30"])
        #expect(try manifest(["w": "31", "rgbFrame": "[0,0,31.5,32]"]).warnings.isEmpty)
        for value in ["64", "40", "26", "16"] {
            #expect(refused(["w": value]) == .geometryMismatch)
            #expect(refused(["h": value]) == .geometryMismatch)
        }
    }

    @Test("warns about rectangles that overlap or differ in shape")
    func oddRectangles() throws {
        #expect(try manifest(["aFrame": "[16,0,32,32]"]).warnings == ["rgbFrame and aFrame overlap"])
        #expect(try manifest(["aFrame": "[36,0,15,15.5]"]).warnings.isEmpty)
        let odd = try manifest(["aFrame": "[36,0,8,32]"]).warnings
        #expect(odd == ["aFrame is 8x32, of another shape than rgbFrame with 32x32"])
    }

    @Test("lets no file write lines or signs of its own into a message")
    func printable() throws {
        let error = try #require(
            refusal { () throws(AnimationError) in try manifest(["v": #""2\n<3>é\u202e""#]) })
        #expect(error.message == "info.v is the text '2?<3>??' where a number is expected.")
        let long = refusal { () throws(AnimationError) in
            try manifest(["v": "\"\(String(repeating: "x", count: 33))\""])
        }
        #expect(long?.message == "info.v is a text of 33 bytes where a number is expected.")
    }

    @Test("never traps, whatever single value stands in any field")
    func hostile() {
        let values = [
            "1e400", "-1e400", "1e308", "-1e308", "9223372036854775807", "-9223372036854775808", "1e-320",
            "\"1e400\"", "null",
            "[[]]", "[1e308,1e308,1e308,1e308]", "[-1e308,0,1e308,1]", "[0,0,1e-320,1]", "{\"a\":1}", "\"\"",
            "true",
        ]
        for name in Make.info.keys {
            for value in values {
                guard let layout = (try? manifest([name: value]))?.layout else { continue }
                #expect(layout.duration > 0 && layout.index(at: .max) == layout.frameCount - 1)
            }
        }
    }
}
