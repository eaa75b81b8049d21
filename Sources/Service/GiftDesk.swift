internal import Basics
internal import Control
internal import Decoding
internal import Gifts
internal import Pictures
internal import VAP

/// Carries out what the gift queue decides: loads, shows, takes away, tells. One for the room, on the control plane.
@ControlPlane final class GiftDesk {
    /// What is known of a gift beside its place in the queue; kept from its acceptance to its end.
    private struct Ticket {
        let animation: Animation
        let place: PlacedRectangle
        let blend: Blend
        let receivedAt: Nanoseconds
        let hadToWait: Bool
        var player: Player?
    }

    private let format: ProgramFormat
    private let show: Show
    let sounds: SoundDesk
    private let metrics: GiftMetrics
    private let decodingMetrics: DecodingMetrics
    private let cache: ReelCache
    private let events: EventHub
    private(set) var queue: GiftQueue
    private var tickets: [GiftNumber: Ticket] = [:]
    private var alarm: LoopSource?
    private var showEvents: LoopSource?

    /// `cache` in bytes.
    init(
        lanes: [Lane], format: ProgramFormat, cache: Int, show: Show, sounds: SoundDesk,
        registry: MetricsRegistry,
        events: EventHub
    ) {
        self.format = format
        self.show = show
        self.sounds = sounds
        self.events = events
        metrics = GiftMetrics(registry, lanes: lanes.map(\.name))
        decodingMetrics = DecodingMetrics(registry)
        self.cache = ReelCache(budget: cache, registry: registry)
        queue = GiftQueue(lanes: lanes)
        showEvents = show.listen { [weak self] event in self?.happened(event) }
    }

    var ends: [String: Int] { metrics.ends }

    /// Offers a gift whose animation is open. The answer is what the queue says of it.
    func offer(
        _ gift: Gift, animation: Animation, placement: Placement, blend: Blend, volume: Double = 1,
        receivedAt: Nanoseconds
    ) -> Offer {
        let (answer, actions) = queue.offered(gift, at: Monotonic.now())
        if case .accepted(let status) = answer {
            tickets[status.number] = Ticket(
                animation: animation,
                place: placement.rectangle(
                    canvas: animation.layout.canvas, program: Size(format.width, format.height)),
                blend: blend, receivedAt: receivedAt, hadToWait: status.position > 0)
            sounds.accepted(status.number, lane: gift.lane, volume: volume)
        }
        perform(actions)
        return answer
    }

    /// Takes a gift off, or out of the queue.
    func cancel(_ id: String, as outcome: Outcome = .cancelled) -> Cancellation {
        let (answer, actions) = queue.cancelled(id, as: outcome, at: Monotonic.now())
        perform(actions)
        return answer
    }

    /// Ends every gift.
    func stop() {
        for status in queue.list(at: Monotonic.now()) ?? [] { _ = cancel(status.gift.id) }
        alarm?.cancel()
    }

    // MARK: - What the show and the players report

    private func happened(_ event: Show.Event) {
        let now = Monotonic.now()
        switch event {
        case .started(let number, let runningTime, let paintedAt):
            perform(queue.started(number, runningTime: runningTime, at: paintedAt))
        case .finished(let number): perform(queue.finished(number, at: now))
        case .failed(let number, let error): perform(queue.failed(number, Failure(error), at: now))
        }
    }

    private func loaded(_ number: GiftNumber) {
        guard let ticket = tickets[number] else { return }
        perform(queue.loadFinished(number, duration: ticket.animation.layout.duration, at: Monotonic.now()))
    }

    private func failed(_ number: GiftNumber, _ error: AnimationError) {
        perform(queue.failed(number, Failure(error), at: Monotonic.now()))
    }

    // MARK: - What the queue orders

    private func perform(_ actions: [GiftAction]) {
        for action in actions {
            switch action {
            case .load(let number, _): load(number)
            case .show(let number, let z):
                sounds.show(number)
                if let player = tickets[number]?.player { show.add(id: number, player: player, z: z) }
            case .remove(let number): remove(number)
            case .announce(let event): announce(event)
            }
        }
        guard !actions.isEmpty else { return }
        updateGauges()
        setAlarm()
    }

    private func load(_ number: GiftNumber) {
        guard let ticket = tickets[number] else { return }
        let player = Player(
            ticket.animation, place: ticket.place, program: format, blend: ticket.blend,
            metrics: decodingMetrics, cache: cache)
        tickets[number]?.player = player
        sounds.loading(number, player.sound)
        player.start(
            onReady: { ControlPlane.task { [weak self] in self?.loaded(number) } },
            onFailed: { error in ControlPlane.task { [weak self] in self?.failed(number, error) } })
    }

    private func remove(_ number: GiftNumber) {
        guard let player = tickets[number]?.player else { return }
        show.remove(id: number)
        player.stop()
        sounds.mix.sweep()
    }

    private func setAlarm() {
        alarm = queue.nextDeadline.map { deadline in
            .after(max(deadline - Monotonic.now(), 0)) { [weak self] in
                guard let self else { return }
                perform(queue.timePassed(at: Monotonic.now()))
            }
        }
    }

    private func updateGauges() {
        metrics.playing.set(Double(queue.playingCount()))
        for lane in queue.lanes { metrics.depth(lane: lane.name, queue.depth(lane: lane.name)) }
    }

    // MARK: - What everybody hears

    private func announce(_ event: GiftEvent) {
        switch event {
        case .accepted(let status):
            events.publish(
                GiftAccepted(
                    id: status.gift.id, gift: status.gift.animation, lane: status.gift.lane,
                    position: status.position))
        case .started(let status, let runningTime): announceStart(status, runningTime)
        case .ended(let end): announceEnd(end)
        }
    }

    private func announceStart(_ status: GiftStatus, _ runningTime: Nanoseconds) {
        guard let ticket = tickets[status.number], let painted = status.times.started else { return }
        let turn = ticket.hadToWait ? status.times.due ?? painted : ticket.receivedAt
        let waited = ticket.hadToWait ? (turn - status.times.accepted).seconds : 0
        let latency = (painted - turn).seconds
        metrics.started(lane: status.gift.lane, latency: latency, waited: waited)
        Log.debug("gift \(status.gift.id): on screen \((latency * 1000).rounded()) ms after its turn")
        events.publish(
            GiftStarted(
                id: status.gift.id, gift: status.gift.animation, lane: status.gift.lane,
                pts: runningTime.seconds, latency: latency))
    }

    private func announceEnd(_ end: GiftEnd) {
        let ticket = tickets.removeValue(forKey: end.number)
        let shown = end.times.started.map { ((end.times.ended ?? $0) - $0).seconds }
        metrics.ended(lane: end.gift.lane, outcome: end.outcome.name)
        let reason = end.outcome.failure.map { "\($0.kind): \($0.message)" }
        if let reason { Log.warning("gift \(end.gift.id) (\(end.gift.animation)) failed: \(reason)") }
        if let trouble = sounds.ended(end.number) {
            Log.warning("gift \(end.gift.id) (\(end.gift.animation)): its sound was not whole: \(trouble)")
        }
        events.publish(
            GiftEnded(
                id: end.gift.id, gift: end.gift.animation, lane: end.gift.lane, outcome: end.outcome.name,
                reason: reason, shownSeconds: shown, picturesLate: ticket?.player?.picturesLate ?? 0))
    }
}

extension Failure {
    init(_ error: AnimationError) { self.init(kind: error.kind.rawValue, message: error.message) }
}

extension Outcome {
    var failure: Failure? { if case .failed(let failure) = self { failure } else { nil } }
}
