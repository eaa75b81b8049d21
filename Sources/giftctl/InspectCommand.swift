internal import Basics
internal import Decoding
internal import FoundationEssentials
internal import VAP

/// `giftctl inspect`: what is in a gift file, or what is wrong with it.
enum InspectCommand: Command {
    static var syntax: CommandSyntax {
        CommandSyntax(
            "giftctl inspect",
            "Shows what is in a gift file, every picture decoded: what giftd would play, or why it would not (status 1).",
            operands: [.init("FILE", "an MP4 file")],
            options: [
                .init(
                    "--sidecar", value: "FILE",
                    "the layout, instead of the one in the file; default: rabbit.json beside rabbit.mp4, if there"
                ),
                .init(LayoutOption.name, value: "LAYOUT", LayoutOption.help),
                .init(JSONLine.option, "as one line of JSON, faults too"),
            ],
            examples: [
                .init("giftctl inspect rabbit.mp4", "for people"),
                .init("giftctl inspect rabbit.mp4 --json", "for an upload service that checks gifts"),
            ])
    }

    static func run(_ arguments: Arguments, _ console: Console) throws {
        let path = arguments.operands[0]
        let asJSON = arguments.has(JSONLine.option)
        let bare = try arguments.text(LayoutOption.name).map { text throws(UsageError) in
            try LayoutOption.bare(text, arguments)
        }
        do {
            let sidecar = arguments.text("--sidecar") ?? sidecar(beside: path)
            let animation = try Animation.open(path: path, sidecar: sidecar, bare: bare)
            let report = InspectionReport(animation, AnimationSurvey(animation), sidecar: sidecar)
            console.output(try asJSON ? JSONLine.text(report) : report.text)
        } catch let error as AnimationError {
            if asJSON { console.output(try JSONLine.text(InspectionFault(path, error))) }
            throw Refusal("\(path): \(error)")
        }
    }

    /// The file that giftd takes for the layout when it finds it in its catalogue.
    static func sidecar(beside path: String) -> String? {
        guard path.hasSuffix(".mp4") else { return nil }
        let candidate = "\(path.dropLast(4)).json"
        return FileManager.default.fileExists(atPath: candidate) ? candidate : nil
    }
}

/// Why a file cannot be played, for programs.
struct InspectionFault: Encodable {
    struct Fault: Encodable {
        let kind: String
        let message: String
    }

    let file: String
    let error: Fault

    init(_ file: String, _ error: AnimationError) {
        self.file = file
        self.error = Fault(kind: error.kind.rawValue, message: error.message)
    }
}
