internal import Basics
internal import Control
internal import Glibc

/// `giftctl watch`: what happens in the room, as it happens.
enum WatchCommand: Command {
    static var syntax: CommandSyntax {
        CommandSyntax(
            "giftctl watch",
            "Writes what happens in the room, one line each, until giftd or the reader ends.",
            options: [
                .init("--events", value: "NAMES", "only these, such as gift.started,feed.*"),
                .init(JSONLine.option, "the notifications as they come"),
                Giftctl.socketOption,
            ],
            examples: [
                .init("giftctl watch", "everything"),
                .init("giftctl watch --events gift.ended --json", "for a program that counts gifts"),
            ])
    }

    static func run(_ arguments: Arguments, _ console: Console) throws {
        let names = arguments.text("--events")?.split(separator: ",").map(String.init)
        if names?.isEmpty == true { throw arguments.wrong("--events wants names with commas between them") }
        let client = try Rooms.connect(arguments)
        _ = try client.call("events.subscribe", EventsSubscribe(events: names), as: Subscribed.self)
        while let message = try client.nextMessage() {
            let asJSON = arguments.has(JSONLine.option)
            console.output(try asJSON ? message.text : "\(time()) \(line(message))")
        }
        throw Refusal("giftd closed the connection")
    }

    /// An event in words; by its name when it is newer than this command.
    static func line(_ message: ControlClient.Message) throws -> String {
        if let gift = try GiftEvent(message) { return gift.line }
        switch message.name {
        case FeedUp.name: return "feed is up"
        case FeedDown.name: return "feed is down: \(try message.event(FeedDown.self).reason)"
        case DestinationUp.name: return "\(try message.event(DestinationUp.self).destination) is up"
        case DestinationDown.name:
            let event = try message.event(DestinationDown.self)
            return "\(event.destination) is down: \(event.reason)"
        default: return message.name
        }
    }

    /// The time of day here.
    private static func time() -> String {
        var (seconds, parts) = (Glibc.time(nil), tm())
        localtime_r(&seconds, &parts)
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }
}
