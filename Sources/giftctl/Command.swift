internal import Basics
internal import Glibc

/// One of giftctl's subcommands.
protocol Command: SendableMetatype {
    static var syntax: CommandSyntax { get }

    /// Throws a `UsageError` for a line that cannot be meant, and anything else when it was refused or failed.
    static func run(_ arguments: Arguments, _ console: Console) throws
}

/// A failure in one line: what, where, why and what to do.
struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// How giftctl ends.
enum Ending: Int32 {
    case done = 0
    case refused = 1
    case wrongUsage = 2
}

enum Giftctl {
    /// In the order of the help.
    static let commands: [any Command.Type] = [
        SendCommand.self, ListCommand.self, CancelCommand.self, SkipCommand.self, StatusCommand.self,
        WatchCommand.self,
        VolumeCommand.self, InspectCommand.self, PackCommand.self, RenderCommand.self,
    ]

    static let socketOption = CommandSyntax.Option(
        "--socket", value: "PATH",
        "the room's control socket; default: $GIFTD_SOCKET, else the only one there is")

    static var syntax: CommandSyntax {
        CommandSyntax(
            "giftctl",
            "Sends gifts to a giftd room, shows what it does, and looks into and makes gift files.",
            operands: [.init("COMMAND", "what to do, see below")],
            options: [socketOption, .init("--version", isQuestion: true, "show the version")],
            leavesRest: true)
    }

    /// Runs a line without the program's name. Whatever is thrown below becomes one line and a status here.
    static func run(_ line: [String], _ console: Console) -> Ending {
        do {
            try dispatch(line, console)
            return .done
        } catch let error as UsageError {
            console.complaint(error.description)
            return .wrongUsage
        } catch {
            console.progress("")
            console.complaint("giftctl: \(error)")
            return .refused
        }
    }

    /// Options of giftctl itself come first, then the command, then the command's own line.
    private static func dispatch(_ line: [String], _ console: Console) throws {
        let head = try Arguments(line, syntax)
        guard !head.has("--version") else { return console.output("giftctl \(Version.text)") }
        guard !head.asksForHelp, let name = head.operands.first, name != "help" else {
            return console.output(help)
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            let near = Spelling.suggestion(for: name, among: commands.map { $0.name })
            throw head.wrong("unknown command \(name)" + (near.map { ", did you mean \($0)?" } ?? ""))
        }
        let takesSocket = command.syntax.options.contains { $0.name == socketOption.name }
        let socket = takesSocket ? head.text(socketOption.name).map { [socketOption.name, $0] } ?? [] : []
        let arguments = try Arguments(socket + head.rest, command.syntax)
        guard !arguments.asksForHelp else { return console.output(String(command.syntax.help.dropLast())) }
        try command.run(arguments, console)
    }

    /// What `giftctl --help` prints.
    static var help: String {
        let rows = commands.map { ($0.name, $0.syntax.summary) }
        return syntax.help + "\nCommands:\n" + CommandHelp.table(rows)
            + "\ngiftctl COMMAND --help explains a command, with examples.\n"
            + "Exit status: 0 done, 1 refused or failed, 2 wrong usage."
    }
}

extension Command {
    /// `send` of `giftctl send`.
    static var name: String { syntax.name.split(separator: " ").last.map(String.init) ?? "" }
}
