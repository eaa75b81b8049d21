internal import Basics
internal import Control

/// `giftctl volume`: how loud gifts are, while the room runs.
enum VolumeCommand: Command {
    static var syntax: CommandSyntax {
        CommandSyntax(
            "giftctl volume",
            "Sets how loud a lane's gifts, one gift or all gifts are, from now on.",
            operands: [.init("VOLUME", "0 (silent) to 2; 1 is as in the file")],
            options: [
                .init("--lane", value: "NAME", "the gifts of this lane; default: of every lane"),
                .init("--id", value: "ID", "one gift that waits or plays; its volume is times its lane's"),
                .init(JSONLine.option, "the answer as a line of JSON"),
                Giftctl.socketOption,
            ],
            examples: [
                .init("giftctl volume 0", "no gift is heard"),
                .init("giftctl volume 0.5 --lane main", "quieter, those that play too"),
                .init("giftctl volume 1.5 --id order-4711", "one gift louder"),
            ])
    }

    static func run(_ arguments: Arguments, _ console: Console) throws {
        let asJSON = arguments.has(JSONLine.option)
        let volume = try volume(arguments)
        if let id = arguments.text("--id") {
            guard arguments.text("--lane") == nil else {
                throw arguments.wrong("--id does not go with --lane")
            }
            let answer = try Rooms.connect(arguments).call(
                "gift.set", GiftSet(id: id, volume: volume), as: GiftAnswer.self)
            return console.output(try asJSON ? JSONLine.text(answer) : SendCommand.line(answer))
        }
        let list = try Rooms.connect(arguments).call(
            "lane.set", LaneSet(lane: arguments.text("--lane"), volume: volume), as: LaneList.self)
        console.output(try asJSON ? JSONLine.text(list) : list.lanes.map(line).joined(separator: "\n"))
    }

    private static func volume(_ arguments: Arguments) throws(UsageError) -> Double {
        guard let volume = Double(arguments.operands[0]), (0...2).contains(volume) else {
            throw arguments.wrong("VOLUME wants a number from 0 to 2")
        }
        return volume
    }

    /// `main: volume 0.5, host 6 dB quieter`
    static func line(_ lane: LaneList.Lane) -> String {
        let duck = lane.duck > 0 ? ", host \(Text.number(lane.duck, digits: 1)) dB quieter" : ""
        return "\(lane.name): volume \(Text.number(lane.volume, digits: 2))\(duck)"
    }
}
