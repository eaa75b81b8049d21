internal import Basics
internal import Control

/// `giftctl list`: the gifts, or the animations of the catalogue.
enum ListCommand: Command {
    static var syntax: CommandSyntax {
        CommandSyntax(
            "giftctl list", "Lists the gifts that play and wait; with --animations, what can be sent.",
            options: [
                .init("--lane", value: "NAME", "only gifts of this lane"),
                .init("--limit", value: "N", "at most so many gifts, 1 to 500; default: 100"),
                .init("--animations", "the catalogue instead, broken files too"),
                .init(JSONLine.option, "as one line of JSON"),
                Giftctl.socketOption,
            ],
            examples: [
                .init("giftctl list", "gifts"),
                .init("giftctl list --animations", "what giftctl send can name"),
            ])
    }

    static func run(_ arguments: Arguments, _ console: Console) throws {
        let query = GiftListQuery(
            lane: arguments.text("--lane"), limit: try arguments.integer("--limit", in: 1...500))
        let asJSON = arguments.has(JSONLine.option)
        if arguments.has("--animations") {
            guard query.lane == nil, query.limit == nil else {
                throw arguments.wrong("--animations goes with neither --lane nor --limit")
            }
            let list = try Rooms.connect(arguments).call("animation.list", as: AnimationList.self)
            return console.output(try asJSON ? JSONLine.text(list) : text(list))
        }
        let list = try Rooms.connect(arguments).call("gift.list", query, as: GiftList.self)
        console.output(try asJSON ? JSONLine.text(list) : text(list))
    }

    /// The gifts, one line each, in the order in which giftd tells them.
    static func text(_ list: GiftList) -> String {
        guard !list.gifts.isEmpty else { return "no gifts" }
        let rows = list.gifts.map { gift in
            [
                gift.id, gift.gift, gift.lane, gift.outcome ?? gift.state.rawValue, seconds(gift.waited),
                seconds(gift.shownSeconds),
                gift.reason ?? gift.eta.map { "in about \(Text.duration($0))" } ?? "",
            ]
        }
        let more = list.total - list.gifts.count
        return Text.table([["id", "gift", "lane", "state", "waited", "shown", "remarks"]] + rows)
            + (more > 0 ? "\nand \(more) more" : "")
    }

    /// The catalogue, with the reason where a file cannot be played.
    static func text(_ list: AnimationList) -> String {
        guard !list.animations.isEmpty else { return "no animations" }
        let rows = list.animations.map { animation -> [String] in
            if let error = animation.error { return [animation.name, "", "", "", "", "\(error)"] }
            let frames = animation.frames ?? 0
            let fps = animation.fps ?? 0
            return [
                animation.name, "\(animation.width ?? 0)x\(animation.height ?? 0)",
                Text.number(fps, digits: 2), seconds(fps > 0 ? Double(frames) / fps : nil),
                animation.codec ?? "", animation.hasSound == true ? "with sound" : "",
            ]
        }
        return Text.table([["gift", "size", "fps", "length", "codec", "remarks"]] + rows)
    }

    private static func seconds(_ value: Double?) -> String { value.map(Text.duration) ?? "" }
}
