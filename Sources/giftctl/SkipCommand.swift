internal import Basics
internal import Control

/// `giftctl skip`: goes on to the next gift.
enum SkipCommand: Command {
    static var syntax: CommandSyntax {
        CommandSyntax(
            "giftctl skip",
            "Ends a gift that has been shown enough, or need not be shown; the next one of its lane follows.",
            operands: [.init("ID", "the gift's id")],
            options: [.init(JSONLine.option, "the answer as a line of JSON"), Giftctl.socketOption],
            examples: [.init("giftctl skip order-4711", "it ends as skipped")])
    }

    static func run(_ arguments: Arguments, _ console: Console) throws {
        try CancelCommand.end("gift.skip", arguments, console)
    }
}
