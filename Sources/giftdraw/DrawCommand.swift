internal import Basics
internal import Glibc

/// The command line: what to draw, where, and how large.
enum DrawCommand {
    static let syntax = CommandSyntax(
        "giftdraw",
        "Draws a demonstration gift as PNG pictures with transparency, named in the order in which they play.",
        operands: [.init("DIR", "directory for the pictures; made when it is not there")],
        options: [
            .init("--style", value: "NAME", "comet, rings or veil (comet)"),
            .init("--size", value: "WxH", "size of the pictures, 16x16 to 2160x3840 (720x960)"),
            .init("--fps", value: "N", "pictures a second (30)"),
            .init("--frames", value: "N", "how many pictures (three seconds' worth)"),
            .init("--chime", value: "FILE", "write a chime as long as the pictures too: a WAV file"),
        ],
        examples: [.init("giftdraw --style rings /tmp/rings", "draws 90 pictures for giftctl pack")])

    /// Exit status: 0 drawn, 1 not possible, 2 wrong usage.
    static func run(_ line: [String]) -> Int32 {
        do {
            let arguments = try Arguments(line, syntax)
            if arguments.asksForHelp {
                print(syntax.help, terminator: "")
                return 0
            }
            try draw(try DrawOrder(arguments))
            return 0
        } catch let error as UsageError {
            complain("\(error)")
            return 2
        } catch {
            complain("giftdraw: \(error)")
            return 1
        }
    }

    private static func draw(_ order: DrawOrder) throws(DrawError) {
        try Directory.prepare(order.directory)
        let canvas = Canvas(order.width, order.height)
        let digits = max(3, "\(order.frames - 1)".count)
        let isTerminal = isatty(STDERR_FILENO) == 1
        for index in 0..<order.frames {
            canvas.clear()
            order.style.draw(on: canvas, at: Double(index) / Double(max(order.frames - 1, 1)))
            let number = "\(index)"
            let name = String(repeating: "0", count: digits - number.count) + number
            try canvas.write("\(order.directory)/\(name).png")
            if isTerminal { show("\r\(order.style.rawValue) \(index + 1)/\(order.frames)") }
        }
        if isTerminal { show("\r\u{1B}[K") }
        if let chime = order.chime { try Chime.write(to: chime, seconds: order.seconds) }
        print(
            "\(order.style.rawValue): \(order.frames) pictures of \(order.width)x\(order.height) in \(order.directory)"
        )
    }

    private static func complain(_ text: String) { show("\(text)\n") }

    private static func show(_ text: String) {
        _ = text.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }
}

/// A checked command line.
struct DrawOrder {
    let directory: String
    let style: Style
    let width, height, frames: Int
    /// How long the pictures play.
    let seconds: Double
    /// Where a chime shall go.
    let chime: String?

    init(_ arguments: Arguments) throws(UsageError) {
        directory = arguments.operands[0]
        style =
            try arguments.choice("--style", of: Style.allCases.map(\.rawValue)).flatMap(Style.init) ?? .comet
        let rate = try arguments.integer("--fps", in: 1...120) ?? 30
        frames = try arguments.integer("--frames", in: 1...10_000) ?? 3 * rate
        seconds = Double(frames) / Double(rate)
        chime = arguments.text("--chime")
        guard let size = arguments.text("--size") else {
            (width, height) = (720, 960)
            return
        }
        let sides = size.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard sides.count == 2, (16...2160).contains(sides[0]), (16...3840).contains(sides[1]) else {
            throw arguments.wrong("--size wants WxH, 16x16 to 2160x3840")
        }
        (width, height) = (sides[0], sides[1])
    }
}

/// Something the system refused. The sentence is complete.
struct DrawError: Error, CustomStringConvertible {
    let description: String
}

enum Directory {
    /// Makes the directory. Refuses one with pictures in it: old ones would be packed among the new.
    static func prepare(_ path: String) throws(DrawError) {
        guard mkdir(path, 0o777) == 0 || errno == EEXIST, let stream = opendir(path) else {
            throw DrawError(description: "\(path): \(String(cString: strerror(errno)))")
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard !name.lowercased().hasSuffix(".png") else {
                throw DrawError(description: "\(path) holds PNG files already; give an empty directory")
            }
        }
    }
}
