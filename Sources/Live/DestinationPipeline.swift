internal import Basics
internal import CGStreamer
internal import Synchronization

/// One connection to a destination: a bounded queue of coded units, a muxer and a sink. It lives as long as the
/// connection; a new one is made for every try.
final class DestinationPipeline: ProgramOutlet {
    private let name: String
    private let isNetwork: Bool
    private let pipeline: Pipeline
    private let video, audio: AppSource
    private let gate: Locked<DeliveryGate>
    private let metrics: DestinationMetrics
    private let clock: LiveClock
    private let entered = Atomic<Int>(0)
    private let sending = StampTable()
    private let hasEnded: Locked<Bool>

    /// Builds it; `play` connects. `onEvent` as `Pipeline.onEvent`.
    init(
        _ settings: DestinationSettings, caps: (video: String, audio: String), capacity: Int,
        clock: LiveClock, metrics: DestinationMetrics, onEvent: @escaping @Sendable (Pipeline.Event) -> Void
    ) throws(LiveError) {
        name = settings.name
        isNetwork = settings.kind == .rtmp || settings.kind == .srt
        self.clock = clock
        self.metrics = metrics
        gate = Locked(DeliveryGate(capacity: capacity))
        let hasEnded = Locked(false)
        self.hasEnded = hasEnded
        let (description, address) = settings.pipeline()
        pipeline = try Pipeline(name: settings.name, description: description, clock: clock) { event in
            if case .ended = event { hasEnded.change { $0 = true } }
            onEvent(event)
        }
        try pipeline.set(address.property, of: "sink", to: address.value)
        try pipeline.set("caps", of: "video", to: caps.video)
        try pipeline.set("caps", of: "audio", to: caps.audio)
        video = AppSource(try pipeline.element("video"))
        audio = AppSource(try pipeline.element("audio"))
        try watchSink()
    }

    // The sink's thread uses everything above: it is gone before it goes.
    deinit { pipeline.stop() }

    func play() throws(LiveError) { try pipeline.play() }

    /// Ends the stream so that files are complete and servers know; blocks, at most two seconds, then stops.
    func finish() {
        video.end()
        audio.end()
        _ = hasEnded.wait(deadline: Monotonic.now() + 2 * .second) { $0 ? true : nil }
        pipeline.stop()
    }

    /// Blocks; see `Pipeline.stop`.
    func stop() { pipeline.stop() }

    /// Buffers that have entered the sink.
    var progress: Int { entered.load(ordering: .relaxed) }
    var queuedBytes: Int { video.queuedBytes + audio.queuedBytes }

    func offer(_ unit: CodedUnit) {
        let verdict = gate.withLock {
            $0.offered(unit.track, isKey: unit.isKey, dts: unit.dts, queuedBytes: queuedBytes)
        }
        if case .drop(let reason) = verdict { return metrics.dropped(reason) }
        guard let buffer = unit.buffer.stamped(pts: unit.pts, dts: unit.dts) else { return }
        switch unit.track {
        case .video:
            sending.note(unit.pts, entered: clock.now, arrived: 0)
            video.push(buffer)
        case .audio: audio.push(buffer)
        }
    }

    private func watchSink() throws(LiveError) {
        let sink = try pipeline.element("sink")
        guard let pad = gst_element_get_static_pad(sink.raw, "sink") else {
            throw LiveError(name, "the sink has no pad")
        }
        defer { gst_object_unref(UnsafeMutableRawPointer(pad)) }
        // Some muxers hand over lists.
        let mask = GstPadProbeType(
            rawValue: GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue)
        gst_pad_add_probe(
            pad, mask,
            { _, info, context in
                guard let info, let context else { return GST_PAD_PROBE_OK }
                Unmanaged<DestinationPipeline>.fromOpaque(context).takeUnretainedValue().count(info)
                return GST_PAD_PROBE_OK
            }, Unmanaged.passUnretained(self).toOpaque(), nil)
    }

    private func count(_ info: UnsafeMutablePointer<GstPadProbeInfo>) {
        entered.add(1, ordering: .relaxed)
        var size = 0
        var stamp = GstClockTime.max
        if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0 {
            guard let list = cgst_probe_buffer_list(info) else { return }
            size = Int(gst_buffer_list_calculate_size(list))
            stamp = gst_buffer_list_get(list, 0)?.pointee.pts ?? .max
        } else if let buffer = cgst_probe_buffer(info) {
            size = Int(gst_buffer_get_size(buffer))
            stamp = buffer.pointee.pts
        }
        metrics.bytes.add(size)
        // A recording is cut into fragments of a second; its delay says nothing.
        guard isNetwork, stamp != .max, let times = sending.take(Nanoseconds(clamping: stamp)) else { return }
        metrics.sendLatency.observe(seconds: (clock.now - times.entered).seconds)
    }
}

/// The cells of one destination. Any thread.
struct DestinationMetrics: Sendable {
    let bytes, reconnects, droppedBeforeKey, droppedFull: Counter
    let up: Gauge
    let sendLatency: Histogram

    init(_ live: LiveMetrics, destination: String) {
        let registry = live.registry
        let labels = [("destination", destination)]
        bytes = registry.counter(
            "giftd_destination_bytes_total", help: "Bytes handed to the destination.", labels: labels)
        reconnects = registry.counter(
            "giftd_destination_reconnects_total", help: "Times the destination was connected again.",
            labels: labels)
        up = registry.gauge(
            "giftd_destination_up", help: "1 while the destination takes the program.", labels: labels)
        func dropped(_ reason: DeliveryGate.Reason) -> Counter {
            registry.counter(
                "giftd_destination_units_dropped_total",
                help: "Coded units a destination did not get, by reason.",
                labels: labels + [("reason", reason.rawValue)])
        }
        droppedBeforeKey = dropped(.beforeKeyFrame)
        droppedFull = dropped(.queueFull)
        sendLatency = live.sendLatency
    }

    func dropped(_ reason: DeliveryGate.Reason) {
        switch reason {
        case .beforeKeyFrame: droppedBeforeKey.add()
        case .queueFull: droppedFull.add()
        }
    }
}
