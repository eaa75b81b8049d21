internal import Basics
internal import Decoding
internal import FoundationEssentials
internal import Pictures
internal import VAP

/// `giftctl render`: what a room would show, as a file.
enum RenderCommand: Command {
    static var syntax: CommandSyntax {
        CommandSyntax(
            "giftctl render",
            "Lays gifts over a video as a room does, without a clock: every picture is waited for, and two runs make the "
                + "same bytes. Options of a gift belong to the --gift before them, or to all when they come first.",
            options: [
                .init(
                    "--feed", value: "FEED",
                    "a video file, or color:#RRGGBB,WxH,FPS, one colour until the last gift is over"),
                .init(
                    "--gift", value: "FILE[@SECONDS]", repeats: true,
                    "a gift file and when it begins; several are allowed, later ones lie on top"),
                .init(
                    "--place", value: "PLACE", repeats: true,
                    "as in the configuration: contain,anchor=top,size=50%,x=10,y=5% or {fit: \"cover\"}"),
                .init("--blend", value: "NAME", repeats: true, "premultiplied (default), straight or ios"),
                .init(LayoutOption.name, value: "LAYOUT", repeats: true, LayoutOption.help),
                .init(
                    "--volume", value: "X", repeats: true,
                    "how loud the gift is in an .mp4, 0 to 4; default: 1"),
                .init(
                    "--text", value: "TAG=WORDS", repeats: true,
                    "fills a text of the gift; giftctl inspect tells the tags"),
                .init(
                    "--image", value: "TAG=FILE", repeats: true,
                    "fills an image of the gift: PNG, JPEG, WebP or GIF"),
                .init("--mute", "no sound, neither the feed's nor the gifts'"),
                .init("--seconds", value: "N", "end after so long"),
                .init("--at", value: "SECONDS", "which picture a .png shows"),
                .init(
                    "--matrix", value: "NAME",
                    "bt601 or bt709, whatever the feed's tags say; untagged is bt601"),
                .init("--range", value: "NAME", "limited or full, whatever the feed's tags say"),
                .init(
                    "--output", short: "-o", value: "FILE",
                    ".y4m (not compressed), .mp4 (H.264) or .png; it appears when all is done"),
            ],
            examples: [
                .init(
                    "giftctl render --feed room.mp4 --gift rabbit.mp4@2 -o proof.mp4",
                    "a gift, two seconds in"),
                .init(
                    "giftctl render --feed color:#00ff00,1080x1920,30 --gift rabbit.mp4 --at 1.5 -o rabbit.png",
                    "one picture of it on green"),
                .init(
                    "giftctl render --feed room.y4m --gift a.mp4 --gift b.mp4 --place none -o both.y4m",
                    "two gifts, the second at its own size"),
                .init(
                    "giftctl render --feed room.mp4 --gift pk.mp4 --text name=安娜 --image avatar=anna.png -o pk.mp4",
                    "what the sender fills in"),
            ])
    }

    static func run(_ arguments: Arguments, _ console: Console) throws {
        let job = try job(arguments)
        var next = Monotonic.now()
        let result = try Renderer.render(job) { progress in
            guard Monotonic.now() >= next else { return }
            next = Monotonic.now() + 100 * .millisecond
            console.progress(line(progress))
        }
        console.progress("")
        console.output(summary(result, arguments.text("--output") ?? ""))
        for (gift, error) in result.failures {
            console.complaint("giftctl: warning: \(job.gifts[gift].animation.path): \(error)")
        }
        for (gift, text) in result.warnings {
            console.complaint("giftctl: warning: \(job.gifts[gift].animation.path): \(text)")
        }
        if result.damagedFeedPictures > 0 {
            let count = Text.count(result.damagedFeedPictures, "picture")
            console.complaint("giftctl: warning: \(count) of the feed cannot be decoded")
        }
    }

    /// The line as a job. Opens the gift files.
    static func job(_ arguments: Arguments) throws -> RenderJob {
        let feed = try feed(arguments)
        let output = try output(arguments)
        var job = RenderJob(feed: feed, gifts: [], output: output)
        let gifts = try RenderGifts(arguments).gifts
        job.isMuted = arguments.has("--mute")
        job.seconds = try arguments.number("--seconds", in: 0.001...86_400)
        let matrices: [ColourSpace.Matrix] = [.bt601, .bt709]
        let matrix = try arguments.choice("--matrix", of: matrices.map(\.rawValue))
        job.matrix = matrix.flatMap(ColourSpace.Matrix.init)
        let ranges: [ColourSpace.Range] = [.limited, .full]
        job.range = try arguments.choice("--range", of: ranges.map(\.rawValue)).flatMap(
            ColourSpace.Range.init)
        if case .colour = feed, gifts.isEmpty, job.seconds == nil {
            throw arguments.wrong("without a gift, --seconds has to say how long a colour lasts")
        }
        job.gifts = try gifts.map { gift throws(Refusal) in try gift.opened() }
        return job
    }

    private static func feed(_ arguments: Arguments) throws(UsageError) -> RenderJob.Feed {
        guard let text = arguments.text("--feed") else { throw arguments.wrong("--feed is missing") }
        guard let words = text.wholeMatch(of: /colou?r:(.*)/)?.1 else { return .file(text) }
        guard let parts = words.wholeMatch(of: /#([0-9A-Fa-f]{6}),([0-9]{1,4})x([0-9]{1,4}),(.+)/),
            let value = UInt32(parts.1, radix: 16), let width = Int(parts.2), let height = Int(parts.3),
            (2...8192).contains(width), (2...8192).contains(height), let rate = RenderRate(String(parts.4))
        else {
            throw arguments.wrong("--feed wants color:#RRGGBB,WxH,FPS with sides of 2 to 8192, or a file")
        }
        let rgb = [16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        return .colour(rgb, Size(width, height), rate)
    }

    private static func output(_ arguments: Arguments) throws(UsageError) -> RenderJob.Output {
        guard let path = arguments.text("--output") else { throw arguments.wrong("--output is missing") }
        let seconds = try arguments.number("--at", in: 0...86_400)
        let ending = path.split(separator: ".", omittingEmptySubsequences: false).last.map { $0.lowercased() }
        if seconds != nil, ending != "png" { throw arguments.wrong("--at goes with a .png") }
        switch ending {
        case "y4m": return .raw(path)
        case "mp4": return .movie(path)
        case "png":
            guard let seconds else { throw arguments.wrong("a .png wants --at SECONDS") }
            return .still(path, at: seconds)
        default: throw arguments.wrong("--output wants a name that ends in .y4m, .mp4 or .png")
        }
    }

    /// Replaces itself on a terminal while frames are made.
    static func line(_ progress: RenderProgress) -> String {
        guard let expected = progress.expected, expected > 0 else { return "\(progress.frames) frames" }
        return "\(progress.frames) of \(expected) frames, \(min(100, 100 * progress.frames / expected)) %"
    }

    /// One line about the file that was made.
    static func summary(_ result: RenderResult, _ output: String) -> String {
        let seconds = Text.number(Double(result.frames) / result.rate.value, digits: 2)
        return
            "\(output): \(result.size.width)x\(result.size.height), \(Text.count(result.frames, "frame")) at "
            + "\(Text.number(result.rate.value, digits: 3)) fps, \(seconds) s"
            + (result.hasSound ? ", with sound" : "")
    }
}
