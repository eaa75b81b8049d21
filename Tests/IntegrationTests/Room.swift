import Foundation
import Testing

/// A running giftd with a client that has subscribed to everything.
final class Room {
    struct Options {
        var feed = "test:"
        var destinations: [(name: String, uri: String)] = []
        var width = Clip.width
        var height = Clip.height
    }

    let daemon: Spawned
    let control: ControlLine
    let socket: String
    let http: Int
    private let scene: Scene

    init(_ scene: Scene, _ options: Options) throws {
        self.scene = scene
        socket = scene.file("control.sock")
        http = try Loopback.freePort()
        let configuration = try Self.write(options, socket: socket, http: http, in: scene)
        daemon = try Spawned(
            "giftd", ["--config", configuration], in: scene.directory,
            environment: ["SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no"])
        let (daemon, socket) = (daemon, socket)
        control = try eventually(within: 20, "giftd listens; it said:\n\(daemon.output)") {
            guard daemon.isRunning else { throw Trouble("giftd ended:\n\(daemon.output)") }
            return try? ControlLine(socket)
        }
        try control.must("events.subscribe")
    }

    /// Two lanes, `main` at the top left and `side` at the bottom left, gifts at their own size.
    static func write(_ options: Options, socket: String, http: Int, in scene: Scene) throws -> String {
        let destinations = options.destinations.map { "{ name: \"\($0.name)\", uri: \"\($0.uri)\" }," }
        return try scene.write(
            """
            {
              room: "test",
              feed: { uri: "\(options.feed)" },
              program: { width: \(options.width), height: \(options.height), fps: 30,
                         video: { bitrate: 1500000, preset: "ultrafast", keyInterval: 1 } },
              destinations: [ \(destinations.joined(separator: "\n")) ],
              gifts: { directory: "\(scene.file("gifts"))" },
              lanes: [
                { name: "main", place: { fit: "none", anchor: "topLeft" } },
                { name: "side", place: { fit: "none", anchor: "bottomLeft" } },
              ],
              control: { socket: "\(socket)" },
              http: { listen: "127.0.0.1:\(http)" },
              log: { level: "debug" },
            }
            """, to: "room.json5")
    }

    /// Sends a gift and answers its id.
    func send(_ gift: String, lane: String = "main") throws -> String {
        let answer = try control.must("gift.send", ["gift": gift, "lane": lane])
        guard let id = answer["id"] as? String else { throw Trouble("gift.send answers \(answer)") }
        return id
    }

    /// Waits until a gift is on screen; answers the event.
    func started(_ id: String, within seconds: Double = 5) throws -> ControlLine.Object {
        try event("gift.started", within: seconds) { $0["id"] as? String == id }
    }

    /// Waits until a gift has ended; answers the event.
    func ended(_ id: String, within seconds: Double = 10) throws -> ControlLine.Object {
        try event("gift.ended", within: seconds) { $0["id"] as? String == id }
    }

    func destinationUp(_ name: String, within seconds: Double) throws {
        try event("destination.up", within: seconds) { $0["name"] as? String == name }
    }

    func destinationDown(_ name: String, within seconds: Double) throws {
        try event("destination.down", within: seconds) { $0["name"] as? String == name }
    }

    /// Waits for an event. One that does not come is told with what the daemon said.
    @discardableResult
    func event(
        _ name: String, within seconds: Double, _ matches: (ControlLine.Object) -> Bool = { _ in true }
    ) throws -> ControlLine.Object {
        do {
            return try control.event(name, within: seconds, matches)
        } catch {
            throw Trouble("\(error); giftd said:\n\(daemon.output.suffix(3000))")
        }
    }

    /// What an HTTP path answers.
    func get(_ path: String) throws -> (status: Int, body: String) {
        try Loopback.get(path, port: http)
    }

    /// The sum of all samples of a metric whose labels contain `labels`.
    func metric(_ name: String, _ labels: String = "") throws -> Double {
        let lines = try get("/metrics").body.split(separator: "\n").filter { line in
            line.hasPrefix(name + " ")
                || (line.hasPrefix(name + "{") && (labels.isEmpty || line.contains(labels)))
        }
        guard !lines.isEmpty else { throw Trouble("no metric \(name){\(labels)}") }
        return lines.reduce(0) { $0 + (Double($1.split(separator: " ").last ?? "") ?? 0) }
    }

    /// Ends the daemon as systemd would, and fails the test when it does not end well.
    func expectStop(_ location: SourceLocation = #_sourceLocation) {
        daemon.signal(SIGTERM)
        let status = try? daemon.status(within: 15)
        #expect(status == 0, "\(daemon.output.suffix(3000))", sourceLocation: location)
    }

    /// A daemon that died by itself is said so, whatever else the test has run into.
    deinit {
        guard !daemon.isRunning, let status = try? daemon.status(within: 0), status < 0, status != -SIGKILL
        else { return }
        Issue.record("giftd died of signal \(-status):\n\(daemon.output.suffix(6000))")
    }
}
