import Basics
import Foundation
import Pictures
import Testing
import VAP

@testable import Decoding
@testable import giftctl

@Suite("giftctl render", .timeLimit(.minutes(1)))
struct RenderCommandTests {
    /// Runs `body` with a gift file of three pictures, two a second.
    private func withGift(_ body: (_ directory: String, _ gift: String) throws -> Void) throws {
        try withDirectory { directory in
            let picture = try #require(PackCommandTests.picture)
            let frames = "\(directory)/frames"
            try FileManager.default.createDirectory(atPath: frames, withIntermediateDirectories: true)
            for index in 0..<3 { try picture.write(to: URL(fileURLWithPath: "\(frames)/\(index).png")) }
            try #require(Call("pack", frames, "-o", "\(directory)/gift.mp4", "--fps", "2").status == .done)
            try body(directory, "\(directory)/gift.mp4")
        }
    }

    private func job(_ line: String...) throws -> RenderJob {
        try RenderCommand.job(try Arguments(line, RenderCommand.syntax))
    }

    private func complaint(_ line: String...) -> String? {
        do {
            _ = try RenderCommand.job(try Arguments(line, RenderCommand.syntax))
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("makes a file and says what it made")
    func renders() throws {
        try withGift { directory, gift in
            for (name, size) in [("a.y4m", "63x47"), ("a.mp4", "64x48"), ("a.png", "63x47")] {
                let path = "\(directory)/\(name)"
                let at = name.hasSuffix("png") ? ["--at", "1"] : []
                let call = Call(
                    ["render", "--feed", "color:#336699,63x47,10", "--gift", "\(gift)@0.5", "-o", path] + at)
                #expect(call.status == .done && call.complaints.isEmpty, "\(call.complaints)")
                let length = at.isEmpty ? "20 frames at 10 fps, 2 s" : "11 frames at 10 fps, 1.1 s"
                #expect(call.output == "\(path): \(size), \(length)\n")
                #expect(FileManager.default.fileExists(atPath: path))
                #expect(call.progress.first?.hasPrefix("1 of ") == true && call.progress.last == "")
            }
        }
    }

    @Test("gives every gift what follows it, and all what comes first")
    func belonging() throws {
        try withGift { _, gift in
            let feed = "color:#ffffff,64x64,25"
            let job = try job(
                "--feed", feed, "--blend", "ios", "--place", "none", "--gift", "\(gift)@1.5", "--blend",
                "straight",
                "--gift", gift, "--place", "cover,anchor=topLeft,x=10,y=-5%,size=50%", "-o", "o.y4m",
                "--seconds", "4")
            #expect(job.gifts.map(\.blend) == [.straight, .ios] && job.gifts.map(\.start) == [1.5, 0])
            #expect(job.gifts[0].placement == Placement(fit: .none) && job.seconds == 4)
            #expect(
                job.gifts[1].placement
                    == Placement(
                        fit: .cover, anchor: .topLeft, offset: .init(x: .pixels(10), y: .share(-0.05)),
                        size: .share(0.5)))
            #expect(job.feed == .colour([255, 255, 255], Size(64, 64), RenderRate(25, 1)))
            #expect(job.output == .raw("o.y4m") && job.matrix == nil && job.range == nil)
            let other = try self.job(
                "--feed", feed, "--gift", gift, "--matrix", "bt709", "--range=full", "--at", "1", "-o",
                "O.PNG")
            #expect(other.matrix == .bt709 && other.range == .full && other.output == .still("O.PNG", at: 1))
            #expect(job.gifts.map(\.volume) == [1, 1] && !job.isMuted)
            let loud = try self.job(
                "--feed", feed, "--volume", "0.5", "--gift", gift, "--gift", gift, "--volume", "2", "--mute",
                "-o", "a.mp4")
            #expect(loud.gifts.map(\.volume) == [0.5, 2] && loud.isMuted)
            let filled = try self.job(
                "--feed", feed, "--text", "name=安娜", "--gift", gift, "--image", "[avatar]=a=b.png", "--gift",
                gift, "--text", "name=", "--text", "title=x", "-o", "a.mp4")
            #expect(filled.gifts.map(\.texts) == [["name": "安娜"], ["name": "", "title": "x"]])
            #expect(filled.gifts.map(\.images) == [["[avatar]": "a=b.png"], [:]])
        }
    }

    @Test(
        "takes a placement as a configuration writes it",
        arguments: [
            "{fit: \"cover\", anchor: 'topLeft', offset: {x: 10, y: \"-5%\"}, size: 0.5}",
            "cover,anchor=topLeft,size=0.5,y=-5%,x=10px",
            "fit=cover,anchor=topLeft,size=50%,x=10,y=-5%",
        ])
    func places(text: String) throws {
        let arguments = try Arguments([], RenderCommand.syntax)
        let wanted = Placement(
            fit: .cover, anchor: .topLeft, offset: .init(x: .pixels(10), y: .share(-0.05)), size: .share(0.5))
        #expect(try RenderPlace.placement(text, arguments) == wanted)
    }

    @Test(
        "refuses a placement that is none",
        arguments: [
            ("covr", "fit: \"covr\" is none of contain"), ("size=0", "size: a size is"),
            ("colour=1", "unknown key colour"),
            ("{offset: {z: 1}}", "unknown key offset.z"), ("{", "--place wants"),
            ("x=left", "x: wants a number"),
            ("anchor=\"", "anchor: \"\" is none of"),
        ])
    func noPlaces(text: String, words: String) throws {
        let arguments = try Arguments([], RenderCommand.syntax)
        do {
            _ = try RenderPlace.placement(text, arguments)
            Issue.record("\(text) is taken")
        } catch {
            #expect(error.message.contains(words), "\(error.message)")
        }
    }

    @Test("refuses a line that cannot be meant")
    func usage() {
        let good = "color:#000000,64x64,25"
        #expect(complaint("-o", "a.mp4")?.contains("--feed is missing") == true)
        #expect(complaint("--feed", good)?.contains("--output is missing") == true)
        #expect(complaint("--feed", good, "-o", "a.avi")?.contains(".y4m, .mp4 or .png") == true)
        #expect(complaint("--feed", good, "-o", "a.png")?.contains("--at SECONDS") == true)
        #expect(
            complaint("--feed", good, "-o", "a.mp4", "--at", "1")?.contains("--at goes with a .png") == true)
        #expect(complaint("--feed", good, "-o", "a.mp4")?.contains("--seconds") == true)
        #expect(complaint("--feed", good, "-o", "a.mp4", "--blend", "strait")?.contains("straight?") == true)
        #expect(complaint("--feed", good, "--volume", "5", "-o", "a.mp4")?.contains("--volume wants") == true)
        #expect(complaint("--feed", good, "--text", "x", "-o", "a.mp4")?.contains("TAG=WORDS") == true)
        #expect(complaint("--feed", good, "--image", "=x", "-o", "a.mp4")?.contains("TAG=FILE") == true)
        for feed in ["color:#00,64x64,25", "color:#000000,1x64,25", "color:#000000,64x64,0", "colour:red"] {
            #expect(complaint("--feed", feed, "-o", "a.mp4")?.contains("color:#RRGGBB,WxH,FPS") == true)
        }
        #expect(Call("render", "--feed", good, "-o", "a.mp4").status == .wrongUsage)
    }

    @Test("names the gift or feed that cannot be played, with status 1")
    func refusals() throws {
        try withDirectory { directory in
            let gift = Call(
                "render", "--feed", "color:#000000,64x64,25", "--gift", "\(directory)/no.mp4@2", "-o",
                "\(directory)/a.mp4")
            #expect(gift.status == .refused && gift.complaints.contains("\(directory)/no.mp4: notFound"))
            let feed = Call("render", "--feed", "\(directory)/no.mp4", "-o", "\(directory)/a.mp4")
            #expect(feed.status == .refused && feed.complaints.contains("feedMissing: \(directory)/no.mp4"))
        }
    }

    @Test("splits a start off a name that has one")
    func split() throws {
        #expect(RenderGifts.split("/x/a.mp4@2.5") == ("/x/a.mp4", 2.5))
        #expect(RenderGifts.split("/x/a@2x.mp4") == ("/x/a@2x.mp4", 0))
        #expect(RenderGifts.split("/x/a.mp4@-1") == ("/x/a.mp4@-1", 0))
        try withDirectory { directory in
            let path = "\(directory)/a@7"
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(RenderGifts.split(path) == (path, 0) && RenderGifts.split("\(path)@7") == (path, 7))
        }
    }
}
