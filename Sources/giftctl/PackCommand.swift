internal import Basics
internal import Decoding
internal import VAP

/// `giftctl pack`: makes a gift file.
enum PackCommand: Command {
    static var syntax: CommandSyntax {
        CommandSyntax(
            "giftctl pack",
            "Makes a gift file (an MP4 with a vapc box) of PNG pictures with alpha or of a video with alpha.",
            operands: [.init("INPUT", "a directory of PNG files, in the order of their names, or a video")],
            options: [
                .init("--output", short: "-o", value: "FILE", "the gift file; it appears when all is done"),
                .init("--sound", value: "FILE", "sound to go with it; default: the video's own"),
                .init("--mute", "leave the video's own sound out"),
                .init("--fps", value: "N", "frames per second, 1 to 60; default: 25, or the video's"),
                .init("--codec", value: "NAME", "h264 (default, plays everywhere) or hevc (smaller)"),
                .init("--quality", value: "N", "0 (best) to 51; default: 22"),
                .init("--bitrate", value: "BITS", "bits per second instead of a constant quality"),
                .init("--alpha-scale", value: "X", "size of the stored alpha, 0.5 (default) to 1"),
                .init("--premultiplied", "the video's colours are already multiplied by alpha"),
            ],
            examples: [
                .init("giftctl pack frames/ -o rabbit.mp4", "pictures at 25 frames per second"),
                .init(
                    "giftctl pack rabbit.mov --sound tada.wav --codec hevc -o rabbit.mp4",
                    "a ProRes 4444 film with another sound"),
            ])
    }

    static func run(_ arguments: Arguments, _ console: Console) throws {
        guard let output = arguments.text("--output") else { throw arguments.wrong("--output is missing") }
        let options = try options(arguments)
        var next = Monotonic.now()
        let result = try Packer.pack(
            input: arguments.operands[0], sound: arguments.text("--sound"), output: output, options: options
        ) { progress in
            guard Monotonic.now() >= next else { return }
            next = Monotonic.now() + 100 * .millisecond
            console.progress(line(progress))
        }
        console.progress("")
        console.output(summary(result, output))
        for warning in result.warnings { console.complaint("giftctl: warning: \(warning)") }
    }

    /// What the line says about the file to be made; absent options keep the packer's defaults.
    static func options(_ arguments: Arguments) throws(UsageError) -> PackOptions {
        var options = PackOptions()
        options.framesPerSecond = try arguments.integer("--fps", in: 1...60)
        if let name = try arguments.choice("--codec", of: PackOptions.Codec.allCases.map(\.rawValue)) {
            options.codec = PackOptions.Codec(rawValue: name) ?? options.codec
        }
        let quality = try arguments.integer("--quality", in: 0...51)
        let bitrate = try arguments.integer("--bitrate", in: 10_000...200_000_000)
        if quality != nil, bitrate != nil {
            throw arguments.wrong("--quality and --bitrate exclude each other")
        }
        options.rate = bitrate.map { .bitrate($0) } ?? quality.map { .quality($0) } ?? options.rate
        options.alphaScale = try arguments.number("--alpha-scale", in: 0.5...1) ?? options.alphaScale
        options.colour = arguments.has("--premultiplied") ? .premultiplied : .straight
        options.isMuted = arguments.has("--mute")
        return options
    }

    /// Replaces itself on a terminal while the packer works. Not every input says how many frames it has.
    static func line(_ progress: PackProgress) -> String {
        guard let expected = progress.expected, expected > 0 else { return "\(progress.frames) frames" }
        let share = min(100, 100 * progress.frames / expected)
        return "\(progress.frames) of \(expected) frames, \(share) %"
    }

    /// One line about the file that was made.
    static func summary(_ result: PackResult, _ output: String) -> String {
        let layout = result.layout
        let seconds = Text.number(Double(layout.duration) / 1e9, digits: 2)
        return
            "\(output): \(layout.canvas.width)x\(layout.canvas.height), \(Text.count(layout.frameCount, "frame")) at "
            + "\(Text.number(layout.framesPerSecond, digits: 2)) fps, \(seconds) s"
            + (result.hasSound ? ", with sound" : "") + ", \(Text.bytes(result.byteCount))"
    }
}
