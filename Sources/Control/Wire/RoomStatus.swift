/// The answer to `room.status`. Secrets in addresses are blanked by who fills it in.
package struct RoomStatus: Codable, Hashable, Sendable {
    package struct Feed: Codable, Hashable, Sendable {
        package var uri: String
        package var isUp: Bool
        /// Why it is down.
        package var reason: String?
        package var reconnects: Int

        package init(uri: String, isUp: Bool, reason: String? = nil, reconnects: Int = 0) {
            self.uri = uri
            self.isUp = isUp
            self.reason = reason
            self.reconnects = reconnects
        }
    }

    package struct Program: Codable, Hashable, Sendable {
        package var width: Int
        package var height: Int
        package var fps: Double
        package var isRunning: Bool
        package var frames: Int
        package var framesDropped: Int

        package init(
            width: Int, height: Int, fps: Double, isRunning: Bool, frames: Int = 0, framesDropped: Int = 0
        ) {
            self.width = width
            self.height = height
            self.fps = fps
            self.isRunning = isRunning
            self.frames = frames
            self.framesDropped = framesDropped
        }
    }

    package struct Destination: Codable, Hashable, Sendable {
        package var name: String
        package var uri: String
        package var isUp: Bool
        package var reason: String?
        package var bytes: Int
        package var reconnects: Int

        package init(
            name: String, uri: String, isUp: Bool, reason: String? = nil, bytes: Int = 0, reconnects: Int = 0
        ) {
            self.name = name
            self.uri = uri
            self.isUp = isUp
            self.reason = reason
            self.bytes = bytes
            self.reconnects = reconnects
        }
    }

    package struct Gifts: Codable, Hashable, Sendable {
        package var waiting: Int
        package var playing: Int
        /// Ends since the start, by outcome.
        package var ended: [String: Int]

        package init(waiting: Int, playing: Int, ended: [String: Int] = [:]) {
            self.waiting = waiting
            self.playing = playing
            self.ended = ended
        }
    }

    package var room: String
    package var version: String
    /// Seconds since the start.
    package var uptime: Double
    package var feed: Feed
    package var program: Program
    package var destinations: [Destination]
    package var gifts: Gifts

    package init(
        room: String, version: String, uptime: Double, feed: Feed, program: Program,
        destinations: [Destination], gifts: Gifts
    ) {
        self.room = room
        self.version = version
        self.uptime = uptime
        self.feed = feed
        self.program = program
        self.destinations = destinations
        self.gifts = gifts
    }
}
