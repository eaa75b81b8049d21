internal import Basics
internal import Control
internal import Decoding
internal import Gifts
internal import Live
internal import Pictures

/// One room, wired: the live part, the gifts, the doors. On the control plane.
///
/// Start goes from the inside out (program, feed and destinations, doors), stop from the outside in.
@ControlPlane final class Room {
    /// Seconds of the program's bitrate that a destination may owe.
    private static let destinationQueue = 4.0
    /// The frame loop counts as standing still after this.
    static let frameLimit: Nanoseconds = 2 * .second

    let configuration: Configuration
    let clock = LiveClock()
    let registry = MetricsRegistry()
    let program: Program
    let feed: Feed
    let destinations: [Destination]
    let desk: GiftDesk
    let catalogue: Catalogue
    let events: EventHub
    let liveMetrics: LiveMetrics
    private let lines: LineServer
    private var http: HTTPServer?
    private var systemd: Systemd?

    /// Wires everything; nothing runs yet. `onFailure` is called when the program has ended by itself, which leaves
    /// nothing to serve.
    init(_ configuration: Configuration, onFailure: @escaping @Sendable (LiveError) -> Void) throws {
        self.configuration = configuration
        let router = Router()
        events = EventHub(router: router)
        liveMetrics = LiveMetrics(registry)
        registry.gauge(
            "giftd_build_info", help: "1; the version is a label.", labels: [("version", Version.text)]
        ).set(1)

        let settings = ProgramSettings(configuration.program)
        let show = Show()
        let mix = SoundMix(registry)
        program = try Program(
            settings: settings, latency: configuration.feed.delay, painter: show, mixer: mix, clock: clock,
            metrics: liveMetrics, onFailure: onFailure)
        catalogue = Catalogue(directory: configuration.gifts.directory)
        desk = GiftDesk(
            lanes: configuration.lanes.map(Gifts.Lane.init), format: settings.format,
            cache: configuration.gifts.cache, show: show,
            sounds: SoundDesk(lanes: configuration.lanes, mix: mix), registry: registry, events: events)
        let (events, program, clock, liveMetrics) = (events, program, clock, liveMetrics)
        feed = Feed(
            FeedSettings(configuration.feed), program: program, programSettings: settings, clock: clock,
            metrics: liveMetrics
        ) { event in
            switch event {
            case .up: events.publish(FeedUp())
            case .down(let reason): events.publish(FeedDown(reason: reason))
            }
        }
        let capacity = Int(Double(settings.videoBitrate + settings.audioBitrate) / 8 * Self.destinationQueue)
        destinations = configuration.destinations.map { destination in
            Destination(
                DestinationSettings(name: destination.name, uri: destination.uri.text), program: program,
                capacity: max(capacity, 1 << 20), clock: clock, metrics: liveMetrics
            ) { event in
                switch event {
                case .up: events.publish(DestinationUp(destination: destination.name))
                case .down(let reason):
                    events.publish(DestinationDown(destination: destination.name, reason: reason))
                }
            }
        }
        lines = LineServer(path: configuration.control.socket, router: router, metrics: registry)
        addMethods(to: router)
    }

    func start() throws {
        // The doors first: a room whose socket is taken must not publish beside the one that holds it.
        try SocketDirectory.make(for: configuration.control.socket)
        try lines.start()
        try openHTTP()
        try program.start()
        catalogue.preload()
        feed.start()
        for destination in destinations { destination.start() }
        let systemd = Systemd { [weak self] in self?.isAdvancing ?? false }
        systemd.ready("room \(configuration.room): running")
        self.systemd = systemd
        Log.info("room \(configuration.room): ready; control socket \(configuration.control.socket)")
    }

    /// Ends every gift with an event, closes the doors, ends the streams. Returns when nothing runs any more.
    func stop() async {
        systemd?.stopping()
        desk.stop()
        await lines.stop()
        http?.stop()
        await feed.stop()
        for destination in destinations { await destination.stop() }
        program.stop()
    }

    // MARK: - Health

    /// Whether coded frames have left the program lately.
    var isAdvancing: Bool { clock.now - program.lastFrameTime < Self.frameLimit }

    private var readiness: HTTPServer.Health {
        guard isAdvancing else { return .init(isGood: false, reason: "the program does not run yet") }
        let statuses = destinations.map { ($0.settings.name, $0.status) }
        guard !statuses.isEmpty, !statuses.contains(where: { $0.1.isUp }) else {
            return .init(isGood: true, reason: "ready")
        }
        let reasons = statuses.map { "\($0.0): \($0.1.reason ?? "connecting")" }.joined(separator: "; ")
        return .init(isGood: false, reason: Log.redacted("no destination is up: \(reasons)"))
    }

    private func openHTTP() throws {
        guard let listen = configuration.http.listen else { return }
        let registry = registry
        let server = try HTTPServer(
            metrics: { registry.exposition() },
            health: { [weak self] in
                let isGood = self?.isAdvancing ?? false
                return .init(isGood: isGood, reason: isGood ? "frames advance" : "no frame for 2 s")
            },
            readiness: { [weak self] in self?.readiness ?? .init(isGood: false, reason: "stopping") })
        _ = try server.listen(listen.text)
        http = server
    }
}

extension ProgramSettings {
    init(_ program: Configuration.Program) {
        self.init(
            width: program.width, height: program.height, frameRate: FrameRate(Double(program.fps)),
            encoder: program.video.encoder, preset: program.video.preset.rawValue,
            videoBitrate: program.video.bitrate, audioBitrate: program.audio.bitrate,
            keyInterval: program.video.keyInterval, rateBuffer: program.video.vbv)
    }
}

extension FeedSettings {
    init(_ feed: Configuration.Feed) {
        self.init(uri: feed.uri.text, latency: feed.delay.seconds)
    }
}

extension SoundDesk {
    convenience init(lanes: [Configuration.Lane], mix: SoundMix) {
        let settings = lanes.map { ($0.name, Lane(volume: $0.volume, duck: $0.duck)) }
        self.init(lanes: Dictionary(settings) { first, _ in first }, mix: mix)
    }
}

extension Gifts.Lane {
    init(_ lane: Configuration.Lane) {
        self.init(name: lane.name, concurrency: lane.concurrency, capacity: lane.capacity, z: lane.z)
    }
}
