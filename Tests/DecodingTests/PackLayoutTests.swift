import Foundation
import Testing
import VAP

@testable import Decoding

@Suite("Pack layout")
struct PackLayoutTests {
    @Test(
        "follows the official tool",
        arguments: [
            // Made by the tool; the file is known.
            (Size(750, 1624), 0.5, Size(1136, 1632), Rectangle(x: 754, y: 0, width: 375, height: 812)),
            // Wide pictures get their alpha below.
            (Size(1504, 672), 0.5, Size(1504, 1024), Rectangle(x: 0, y: 676, width: 752, height: 336)),
            // A tie goes to the right.
            (Size(400, 400), 0.5, Size(608, 400), Rectangle(x: 404, y: 0, width: 200, height: 200)),
            (Size(64, 48), 1.0, Size(64, 112), Rectangle(x: 0, y: 52, width: 64, height: 48)),
            (Size(33, 31), 0.5, Size(48, 64), Rectangle(x: 0, y: 35, width: 16, height: 15)),
        ])
    func official(canvas: Size, scale: Double, coded: Size, alpha: Rectangle) throws {
        let layout = try PackLayout.plan(
            canvas: canvas, alphaScale: scale, frameCount: 7, framesPerSecond: 24)
        #expect(layout.coded == coded)
        #expect(layout.alpha == alpha)
        #expect(
            layout.colour == Rectangle(x: 0, y: 0, width: Double(canvas.width), height: Double(canvas.height))
        )
        #expect(layout.canvas == canvas)
    }

    @Test("writes the JSON with the tool's keys in the tool's order")
    func json() throws {
        let layout = try PackLayout.plan(
            canvas: Size(750, 1624), alphaScale: 0.5, frameCount: 120, framesPerSecond: 24)
        #expect(
            PackLayout.json(layout)
                == #"{"info":{"v":2,"f":120,"w":750,"h":1624,"fps":24,"videoW":1136,"videoH":1632,"#
                + #""aFrame":[754,0,375,812],"rgbFrame":[0,0,750,1624],"isVapx":0,"orien":0}}"#)
    }

    @Test(
        "refuses what no encoder takes",
        arguments: [Size(0, 10), Size(10, 1), Size(4097, 16), Size(3000, 4000)])
    func refused(canvas: Size) {
        #expect {
            try PackLayout.plan(canvas: canvas, alphaScale: 1, frameCount: 1, framesPerSecond: 25)
        } throws: {
            ($0 as? PackError)?.kind == .sizeUnsupported
        }
    }

    @Test("warns above the side that every phone takes")
    func warned() throws {
        func warnings(_ width: Int, _ height: Int) throws -> Int {
            PackLayout.warnings(
                try PackLayout.plan(
                    canvas: Size(width, height), alphaScale: 0.5, frameCount: 1, framesPerSecond: 25)
            ).count
        }
        #expect(try warnings(672, 1504) == 0)
        #expect(try warnings(750, 1624) == 1)
    }

    @Test("validates the options before any work")
    func options() {
        func kind(_ change: (inout PackOptions) -> Void) -> PackError.Kind? {
            var options = PackOptions()
            change(&options)
            do throws(PackError) { try options.validate() } catch { return error.kind }
            return nil
        }
        #expect(kind { _ in } == nil)
        #expect(kind { $0.framesPerSecond = 0 } == .optionInvalid)
        #expect(kind { $0.framesPerSecond = 61 } == .optionInvalid)
        #expect(kind { $0.alphaScale = 0.4 } == .optionInvalid)
        #expect(kind { $0.alphaScale = .nan } == .optionInvalid)
        #expect(kind { $0.rate = .quality(52) } == .optionInvalid)
        #expect(kind { $0.rate = .bitrate(0) } == .optionInvalid)
        #expect(kind { $0.rate = .bitrate(2_000_000) } == nil)
    }
}

@Suite("Pack cadence")
struct PackCadenceTests {
    /// How often each picture of a constant-rate input is shown.
    private func shown(_ sourceRate: Double, as rate: Int, pictures: Int) throws -> [Int] {
        var cadence = PackCadence(framesPerSecond: rate, sourceRate: sourceRate)
        return try (1...pictures).map { try cadence.frames(until: Double($0) / sourceRate) }
    }

    @Test("gives one frame a picture at the same rate, for an hour of stamps in milliseconds")
    func same() throws {
        var cadence = PackCadence(framesPerSecond: 30, sourceRate: 30)
        for index in 1...18_000 {
            let milliseconds = (Double(index) / 30 * 1000).rounded()
            #expect(try cadence.frames(until: milliseconds / 1000) == 1)
        }
    }

    @Test(
        "plays 23.976 and 29.97 frame for frame", arguments: [(24_000.0 / 1001, 24), (30_000.0 / 1001, 30)])
    func film(source: Double, rate: Int) throws {
        #expect(try shown(source, as: rate, pictures: 2400).allSatisfy { $0 == 1 })
    }

    @Test("repeats pictures of a slower input and drops those of a faster one")
    func other() throws {
        #expect(try shown(15, as: 30, pictures: 4) == [2, 2, 2, 2])
        #expect(try shown(60, as: 30, pictures: 60).reduce(0, +) == 30)
        #expect(try shown(25, as: 30, pictures: 25).reduce(0, +) == 30)
    }

    @Test("never goes back and never runs away")
    func hostile() throws {
        var cadence = PackCadence(framesPerSecond: 25, sourceRate: nil)
        #expect(try cadence.frames(until: 1) == 25)
        #expect(try cadence.frames(until: 0.5) == 0)
        #expect(try cadence.frames(until: -1e300) == 0)
        for time in [601, 1e18, .infinity, .nan] {
            #expect { try cadence.frames(until: time) } throws: { ($0 as? PackError)?.kind == .tooLong }
        }
    }
}

@Suite("Pack names")
struct PackNamesTests {
    @Test("count as a person counts")
    func natural() {
        let sorted = ["a1.png", "a2.png", "a10.png", "a010b.png", "b.png", "b0.png", "b00.png"]
        #expect(sorted.shuffled().sorted(by: PackNames.isBefore) == sorted)
        let huge = "9" + String(repeating: "0", count: 60)
        #expect(PackNames.isBefore("\(huge).png", "1\(huge).png"))
    }

    @Test("are the PNG files alone")
    func filter() throws {
        let directory = try PackDirectory()
        for name in ["2.png", "10.PNG", "readme.txt", ".1.png"] {
            try Data().write(to: URL(fileURLWithPath: directory.file(name)))
        }
        #expect(
            try PackNames.pictures(in: directory.path) == [directory.file("2.png"), directory.file("10.PNG")])
        #expect { try PackNames.pictures(in: directory.file("none")) } throws: {
            ($0 as? PackError)?.kind == .inputMissing
        }
    }
}
