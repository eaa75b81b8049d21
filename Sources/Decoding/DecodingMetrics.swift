package import Basics

/// The cells that players count in. Made once; every cell may be used on any thread and allocates nothing.
package struct DecodingMetrics: Sendable {
    let picturesLate, picturesPrepared, picturesSkipped, decodeErrors: Counter
    let prepareTime, loadTime: Histogram
    let picturesHeld: Gauge

    package init(_ registry: MetricsRegistry) {
        picturesLate = registry.counter(
            "giftd_pictures_late_total", help: "Pictures that were due and not ready: the one before stayed.")
        picturesPrepared = registry.counter(
            "giftd_pictures_prepared_total", help: "Pictures made ready for blending.")
        picturesSkipped = registry.counter(
            "giftd_pictures_skipped_total", help: "Decoded pictures left out because their time had passed.")
        decodeErrors = registry.counter(
            "giftd_decode_errors_total", help: "Plays that met damaged or changed pictures.")
        picturesHeld = registry.gauge(
            "giftd_pictures_held", help: "Prepared pictures in the windows of players, at most four each.")
        prepareTime = registry.histogram(
            "giftd_picture_prepare_seconds", help: "Time to prepare one decoded picture for blending.")
        loadTime = registry.histogram(
            "giftd_gift_load_seconds", help: "Time from the start of a player to its first picture.",
            labels: [("source", "file")])
    }
}
