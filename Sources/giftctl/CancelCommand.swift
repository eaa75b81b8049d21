internal import Basics
internal import Control

/// `giftctl cancel`: takes a gift back, or off the screen.
enum CancelCommand: Command {
    static var syntax: CommandSyntax {
        CommandSyntax(
            "giftctl cancel", "Ends a gift that waits or plays.", operands: [.init("ID", "the gift's id")],
            options: [.init(JSONLine.option, "the answer as a line of JSON"), Giftctl.socketOption],
            examples: [.init("giftctl cancel order-4711", "it ends as cancelled")])
    }

    static func run(_ arguments: Arguments, _ console: Console) throws {
        try Rooms.end("gift.cancel", GiftCancel(id: arguments.operands[0]), arguments, console)
    }
}
