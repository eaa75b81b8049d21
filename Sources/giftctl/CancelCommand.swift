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
        try end("gift.cancel", arguments, console)
    }

    /// Asks the room to end the gift in one way or another, and says what became of it.
    static func end(_ method: String, _ arguments: Arguments, _ console: Console) throws {
        let gift = GiftNamed(id: arguments.operands[0])
        let answer = try Rooms.connect(arguments).call(method, gift, as: GiftAnswer.self)
        console.output(try arguments.has(JSONLine.option) ? JSONLine.text(answer) : SendCommand.line(answer))
    }
}
