internal import Basics
internal import Control

/// `giftctl status`: the room at a glance.
enum StatusCommand: Command {
    static var syntax: CommandSyntax {
        CommandSyntax(
            "giftctl status", "Shows the room: feed, program, lanes and destinations.",
            options: [.init(JSONLine.option, "as one line of JSON"), Giftctl.socketOption],
            examples: [
                .init("giftctl status", "for people"),
                .init("giftctl status --json", "the answer to room.status"),
            ])
    }

    static func run(_ arguments: Arguments, _ console: Console) throws {
        let client = try Rooms.connect(arguments)
        let room = try client.call("room.status", as: RoomStatus.self)
        guard !arguments.has(JSONLine.option) else { return console.output(try JSONLine.text(room)) }
        let lanes = try client.call("lane.list", as: LaneList.self).lanes
        console.output(text(room, lanes))
    }

    /// Three tables: the room, its lanes, its destinations. Addresses come without secrets.
    static func text(_ room: RoomStatus, _ lanes: [LaneList.Lane]) -> String {
        let sections = [head(room), lines(lanes), destinations(room.destinations)]
        return sections.map(Text.table).joined(separator: "\n\n")
    }

    private static func head(_ room: RoomStatus) -> [[String]] {
        let (feed, program) = (room.feed, room.program)
        let size = "\(program.width)x\(program.height) at \(Text.number(program.fps, digits: 2)) fps"
        let ends = room.gifts.ended.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return [
            ["room", "\(room.room), giftd \(room.version), up \(Text.duration(room.uptime))"],
            [
                "feed",
                "\(state(feed.isUp, feed.reason)), \(feed.uri), \(Text.count(feed.reconnects, "reconnect"))",
            ],
            [
                "program",
                "\(program.isRunning ? "running" : "not running"), \(size), \(program.frames) frames, "
                    + "\(program.framesDropped) dropped",
            ],
            [
                "gifts",
                "\(room.gifts.playing) on screen, \(room.gifts.waiting) waiting"
                    + (ends.isEmpty ? "" : "; \(ends.joined(separator: ", "))"),
            ],
        ]
    }

    private static func lines(_ lanes: [LaneList.Lane]) -> [[String]] {
        [["lane", "on screen", "waiting"]]
            + lanes.map { [$0.name, "\($0.playing) of \($0.concurrency)", "\($0.waiting)"] }
    }

    private static func destinations(_ destinations: [RoomStatus.Destination]) -> [[String]] {
        guard !destinations.isEmpty else { return [["no destinations"]] }
        return [["destination", "sent", "reconnects", "address", "state"]]
            + destinations.map {
                [$0.name, Text.bytes($0.bytes), "\($0.reconnects)", $0.uri, state($0.isUp, $0.reason)]
            }
    }

    private static func state(_ isUp: Bool, _ reason: String?) -> String {
        isUp ? "up" : "down" + (reason.map { " (\($0))" } ?? "")
    }
}
