package import Basics

/// The cells that the live part counts in. Made once; every cell may be used on any thread and allocates nothing.
package struct LiveMetrics: Sendable {
    static let stages = ["decode", "composite", "encode", "send", "total"]
    private static let latencyBounds = [
        0.001, 0.0025, 0.005, 0.01, 0.02, 0.033, 0.05, 0.1, 0.2, 0.5, 1, 2,
    ]

    let decodeLatency, compositeLatency, encodeLatency, sendLatency, totalLatency: Histogram
    let framesFromFeed, framesRepeated, framesIntoEncoder, framesEncoded: Counter
    let lateFrames, surplusFrames, overloadFrames: Counter
    let lateSamples, silentSamples: Counter
    let wraps, jumpsBack, jumpsForward, anchorMoves: Counter
    let feedReconnects: Counter
    let feedUp, avOffset, programRunning: Gauge
    let registry: MetricsRegistry

    package init(_ registry: MetricsRegistry) {
        self.registry = registry
        func latency(_ stage: String) -> Histogram {
            registry.histogram(
                "giftd_frame_latency_seconds",
                help: "Time a frame spends in a stage; total: packet in to coded out.",
                bounds: Self.latencyBounds, labels: [("stage", stage)])
        }
        func frames(_ stage: String) -> Counter {
            registry.counter(
                "giftd_frames_total", help: "Frames that passed a stage.", labels: [("stage", stage)])
        }
        func dropped(_ stage: String, _ reason: String) -> Counter {
            registry.counter(
                "giftd_frames_dropped_total", help: "Frames that were left out, by stage and reason.",
                labels: [("stage", stage), ("reason", reason)])
        }
        func discontinuity(_ kind: String) -> Counter {
            registry.counter(
                "giftd_feed_discontinuities_total", help: "Irregular stamps of the feed that were mended.",
                labels: [("kind", kind)])
        }
        decodeLatency = latency("decode")
        compositeLatency = latency("composite")
        encodeLatency = latency("encode")
        sendLatency = latency("send")
        totalLatency = latency("total")
        framesFromFeed = frames("feed")
        framesRepeated = frames("repeat")
        framesIntoEncoder = frames("program")
        framesEncoded = frames("encoded")
        lateFrames = dropped("timeline", "late")
        surplusFrames = dropped("timeline", "surplus")
        overloadFrames = dropped("encode", "overload")
        lateSamples = registry.counter(
            "giftd_audio_samples_dropped_total", help: "Samples of the feed that came too late to be heard.")
        silentSamples = registry.counter(
            "giftd_audio_samples_silent_total", help: "Samples of silence put in where the feed had none.")
        wraps = discontinuity("wrap")
        jumpsBack = discontinuity("jumpBack")
        jumpsForward = discontinuity("jumpForward")
        anchorMoves = discontinuity("anchor")
        feedReconnects = registry.counter(
            "giftd_feed_reconnects_total", help: "Times the feed was connected again.")
        feedUp = registry.gauge("giftd_feed_up", help: "1 while frames or sound arrive from the feed.")
        avOffset = registry.gauge(
            "giftd_av_offset_seconds", help: "How far the program's sound lies behind its picture.")
        programRunning = registry.gauge(
            "giftd_program_running", help: "1 while the program produces coded frames.")
    }

    func count(_ repair: Continuity.Repair) {
        switch repair {
        case .none: break
        case .wrap: wraps.add()
        case .jumpBack: jumpsBack.add()
        case .jumpForward: jumpsForward.add()
        }
    }
}
