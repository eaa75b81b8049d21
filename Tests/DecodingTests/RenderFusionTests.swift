import Basics
import Foundation
import Pictures
import Testing
import VAP

@testable import Decoding

@Suite(
    "Render with texts and images", .enabled(if: FFmpeg.isInstalled, "ffmpeg makes the files"),
    .timeLimit(.minutes(1)))
struct RenderFusionTests {
    /// An image where the gift is clear, a text over its upper half; the mask is a solid part of the alpha.
    private static let manifest = ##"""
        {"info":{"v":2,"f":10,"w":32,"h":32,"videoW":80,"videoH":32,"orien":0,"fps":10,"isVapx":1,
          "rgbFrame":[0,0,32,32],"aFrame":[48,0,32,32]},
         "src":[{"srcId":"1","srcType":"img","srcTag":"[avatar]","w":16,"h":16,"fitType":"fitXY"},
                {"srcId":"2","srcType":"txt","srcTag":"name","w":32,"h":16,"color":"#FFFFFF"}],
         "frame":[{"i":0,"obj":[
            {"srcId":"1","z":0,"frame":[16,16,16,16],"mFrame":[48,0,16,16],"mt":0},
            {"srcId":"2","z":1,"frame":[0,0,32,16],"mFrame":[48,0,32,16],"mt":0}]}]}
        """##

    private let directory: PackDirectory
    private let animation: Animation

    init() throws {
        directory = try PackDirectory()
        let sidecar = directory.file("gift.json")
        try Data(Self.manifest.utf8).write(to: URL(fileURLWithPath: sidecar))
        animation = try Animation.open(path: try PatchGift.make(in: directory), sidecar: sidecar)
        let white = Data(packPNG([UInt8](repeating: 255, count: 16 * 16 * 3), 16, 16, hasAlpha: false))
        try white.write(to: URL(fileURLWithPath: directory.file("white.png")))
    }

    private func render(
        texts: [String: String] = [:], images: [String: String] = [:]
    ) throws -> (frame: Y4M, result: RenderResult) {
        let path = directory.file("out.y4m")
        let gift = RenderJob.Gift(animation, texts: texts, images: images)
        var job = RenderJob(
            feed: .colour([128, 128, 128], Size(32, 32), RenderRate(10, 1)), gifts: [gift],
            output: .raw(path))
        job.seconds = 0.2
        let result = try Renderer.render(job)
        return (try Y4M(path), result)
    }

    /// How many samples of luma differ between two frames, inside a rectangle and outside.
    private func difference(_ one: Y4M, _ two: Y4M, _ x: Range<Int>, _ y: Range<Int>, frame: Int = 0)
        -> (inside: Int, outside: Int)
    {
        var (inside, outside) = (0, 0)
        for row in 0..<32 {
            for column in 0..<32 where one.luma(frame, column, row) != two.luma(frame, column, row) {
                if x.contains(column), y.contains(row) { inside += 1 } else { outside += 1 }
            }
        }
        return (inside, outside)
    }

    @Test("draws an image from a file where its mask says, in the frames that have it, and nowhere else")
    func image() throws {
        let bare = try render().frame
        let (seen, result) = try render(images: ["avatar": directory.file("white.png")])
        #expect(result.warnings.isEmpty && result.failures.isEmpty)
        #expect(seen.luma(0, 24, 24) == 235 && bare.luma(0, 24, 24) == 126)
        let (inside, outside) = difference(seen, bare, 16..<32, 16..<32)
        #expect(inside == 256 && outside == 0)
        #expect(seen.frames[1] == bare.frames[1], "the second picture has no elements")
    }

    @Test("draws a text, and the same bytes in every run")
    func text() throws {
        let bare = try render().frame
        let (first, result) = try render(texts: ["name": "Ärö"])
        #expect(result.warnings.isEmpty)
        let (inside, outside) = difference(first, bare, 0..<32, 0..<16)
        #expect(inside > 20 && outside == 0)
        #expect(try render(texts: ["name": "Ärö"]).frame.frames == first.frames)
    }

    @Test("leaves out what cannot be made, says so, and plays the gift as it is")
    func troubles() throws {
        let bare = try render().frame
        try Data("no picture".utf8).write(to: URL(fileURLWithPath: directory.file("text.png")))
        for (path, word) in [
            ("nowhere.png", "notFound"), ("text.png", "formatUnknown"), (".", "not a regular file"),
        ] {
            let (seen, result) = try render(images: ["[avatar]": directory.file(path)])
            #expect(seen.frames == bare.frames && result.failures.isEmpty)
            #expect(result.warnings.map(\.gift) == [0])
            #expect(result.warnings.first?.text.contains(word) == true, "\(result.warnings)")
        }
        let (seen, result) = try render(texts: ["nobody": "x"])
        #expect(seen.frames == bare.frames)
        #expect(result.warnings.first?.text.contains("the gift has no text \"nobody\"") == true)
    }
}
