internal import Basics
internal import Control

/// `giftctl send`: one gift for the show.
enum SendCommand: Command {
    static var syntax: CommandSyntax {
        CommandSyntax(
            "giftctl send",
            "Shows a gift. With --wait, ends with status 0 when it has been shown to its end.",
            operands: [.init("GIFT", "its name in the catalogue; see giftctl list --animations")],
            options: [
                .init("--id", value: "ID", "the gift's own id: sent twice, it is shown once"),
                .init("--lane", value: "NAME", "the lane it waits in; default: the room's first"),
                .init("--ttl", value: "SECONDS", "give up when it has to wait longer"),
                .init("--fit", value: "NAME", "contain, cover, stretch or none"),
                .init("--anchor", value: "NAME", "center, top, bottomRight and so on"),
                .init("--offset", value: "X,Y", "from there to the right and down: pixels, or 10%"),
                .init(
                    "--size", value: "SIZE", "the box it is fitted into: a share such as 0.5, 50% or 300px"),
                .init("--blend", value: "NAME", "premultiplied, straight or ios"),
                .init("--volume", value: "VOLUME", "how loud, 0 to 2, times the lane's; default: 1"),
                .init("--wait", "follow it until it has ended"),
                .init(JSONLine.option, "answers and events as lines of JSON"),
                Giftctl.socketOption,
            ],
            examples: [
                .init("giftctl send rabbit", "in the room's first lane, as the lane says"),
                .init(
                    "giftctl send rabbit --id order-4711 --wait", "safe to repeat, and followed to its end"),
                .init(
                    "giftctl send rocket --anchor bottomRight --size 40% --offset -5%,-20",
                    "small, in a corner"),
            ])
    }

    static func run(_ arguments: Arguments, _ console: Console) throws {
        let gift = try request(arguments)
        let client = try Rooms.connect(arguments)
        let waits = arguments.has("--wait")
        if waits {
            let subscription = EventsSubscribe(events: ["gift.*"])
            _ = try client.call("events.subscribe", subscription, as: Subscribed.self)
        }
        let answer = try client.call("gift.send", gift, as: GiftAnswer.self)
        let asJSON = arguments.has(JSONLine.option)
        console.output(try asJSON ? JSONLine.text(answer) : line(answer))
        guard waits else { return }
        if answer.state == .ended { return try judge(answer.id, answer.outcome ?? "ended", nil) }
        try follow(answer.id, client, console, asJSON: asJSON)
    }

    /// What the line says, in the form of the wire. Names and lengths are judged by giftd, which knows the room.
    static func request(_ arguments: Arguments) throws(UsageError) -> GiftSend {
        var gift = GiftSend(gift: arguments.operands[0])
        gift.id = arguments.text("--id")
        gift.lane = arguments.text("--lane")
        gift.blend = arguments.text("--blend")
        gift.volume = try arguments.number("--volume", in: 0...2)
        gift.ttl = try arguments.number("--ttl", in: 0.001...86_400)
        let place = PlaceParams(
            fit: arguments.text("--fit"), anchor: arguments.text("--anchor"), offset: try offset(arguments),
            size: arguments.text("--size").map(length))
        gift.place = place == PlaceParams() ? nil : place
        return gift
    }

    /// `X,Y`, each a number of pixels or a text with a unit.
    private static func offset(_ arguments: Arguments) throws(UsageError) -> PlaceParams.Offset? {
        guard let text = arguments.text("--offset") else { return nil }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts.contains("") else { throw arguments.wrong("--offset wants X,Y") }
        return PlaceParams.Offset(x: length(parts[0]), y: length(parts[1]))
    }

    /// A bare number means pixels for offsets and a share for sizes; anything else goes as text.
    private static func length(_ text: String) -> LengthParam {
        Double(text).map { $0.isFinite ? .number($0) : .text(text) } ?? .text(text)
    }

    /// Waits for the gift's end, however long that takes; its `--ttl` bounds the waiting, not this command.
    private static func follow(
        _ id: String, _ client: ControlClient, _ console: Console, asJSON: Bool
    ) throws {
        while let message = try client.nextMessage() {
            guard let event = try GiftEvent(message), event.id == id else { continue }
            console.output(asJSON ? message.text : event.line)
            if let outcome = event.outcome { return try judge(id, outcome, event.reason) }
        }
        throw Refusal("giftd closed the connection before \(id) had ended")
    }

    /// Only a gift that was shown to its end is a success.
    private static func judge(_ id: String, _ outcome: String, _ reason: String?) throws(Refusal) {
        guard outcome != "finished" else { return }
        throw Refusal("\(id) was not shown to its end: \(outcome)" + (reason.map { ", \($0)" } ?? ""))
    }

    /// `order-4711: waiting in main behind 2, about 12 s`
    static func line(_ answer: GiftAnswer) -> String {
        var line = "\(answer.id): \(answer.outcome ?? answer.state.rawValue) in \(answer.lane)"
        if answer.state == .waiting, answer.position > 0 { line += " behind \(answer.position)" }
        if let eta = answer.eta, eta > 0, answer.outcome == nil { line += ", about \(Text.duration(eta))" }
        return line
    }
}
