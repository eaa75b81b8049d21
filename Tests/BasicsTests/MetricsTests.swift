import Basics
import Foundation
import Testing

@Suite("Metrics", .timeLimit(.minutes(1)))
struct MetricsTests {
    private static let tool = ["/usr/bin/promtool", "/usr/local/bin/promtool"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private func filled() -> MetricsRegistry {
        let metrics = MetricsRegistry()
        metrics.counter("giftd_gifts_total", help: "Gifts by end.", labels: [("outcome", "finished")]).add(3)
        metrics.counter("giftd_gifts_total", help: "Gifts by end.", labels: [("outcome", "failed")]).add()
        metrics.gauge("giftd_feed_up", help: "1 while the feed delivers.").set(1)
        let load = metrics.histogram(
            "giftd_gift_load_seconds", help: "Time to load.", bounds: [0.1, 1], labels: [("source", "file")])
        for seconds in [0.05, 0.1, 0.5, 7] { load.observe(seconds: seconds) }
        return metrics
    }

    @Test("writes families once, sorted, with accumulated buckets")
    func exposition() {
        #expect(
            filled().exposition() == """
                # HELP giftd_feed_up 1 while the feed delivers.
                # TYPE giftd_feed_up gauge
                giftd_feed_up 1.0
                # HELP giftd_gift_load_seconds Time to load.
                # TYPE giftd_gift_load_seconds histogram
                giftd_gift_load_seconds_bucket{source="file",le="0.1"} 2
                giftd_gift_load_seconds_bucket{source="file",le="1.0"} 3
                giftd_gift_load_seconds_bucket{source="file",le="+Inf"} 4
                giftd_gift_load_seconds_sum{source="file"} 7.65
                giftd_gift_load_seconds_count{source="file"} 4
                # HELP giftd_gifts_total Gifts by end.
                # TYPE giftd_gifts_total counter
                giftd_gifts_total{outcome="failed"} 1
                giftd_gifts_total{outcome="finished"} 3

                """)
    }

    @Test("escapes label values and help")
    func escaping() {
        let metrics = MetricsRegistry()
        metrics.counter("a_total", help: "Back\\slash\nand \"quotes\".", labels: [("l", "a\"b\\c\nd")]).add()
        let text = metrics.exposition()
        #expect(text.contains(#"# HELP a_total Back\\slash\nand "quotes"."#))
        #expect(text.contains(#"a_total{l="a\"b\\c\nd"} 1"#))
    }

    @Test("gives the same cell for the same name and labels")
    func sameCell() {
        let metrics = MetricsRegistry()
        let one = metrics.counter("a_total", help: "A.", labels: [("x", "1")])
        #expect(one === metrics.counter("a_total", help: "A.", labels: [("x", "1")]))
        #expect(one !== metrics.counter("a_total", help: "A.", labels: [("x", "2")]))
    }

    @Test("stops the process when one name is asked for as two types")
    func twoTypes() async {
        await #expect(processExitsWith: .failure) {
            let metrics = MetricsRegistry()
            metrics.counter("a_total", help: "A.").add()
            metrics.gauge("a_total", help: "A.", labels: [("x", "1")]).set(1)
        }
    }

    @Test("promtool finds nothing to complain about", .enabled(if: tool != nil))
    func promtool() throws {
        let metrics = filled()
        metrics.counter("giftd_odd_total", help: "Odd \\ \n text.", labels: [("l", "\"\\\n{}é")]).add()
        metrics.gauge("giftd_tiny", help: "Tiny.").set(1e-7)
        metrics.gauge("giftd_infinite", help: "Infinite.").set(-.infinity)
        metrics.gauge("giftd_none", help: "Not a number.").set(.nan)
        _ = metrics.histogram("giftd_wait_seconds", help: "Waits.")
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: try #require(Self.tool))
        process.arguments = ["check", "metrics"]
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, output)
        try process.run()
        input.fileHandleForWriting.write(Data(metrics.exposition().utf8))
        try input.fileHandleForWriting.close()
        let words = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(words == "")
    }

    @Test(
        "takes no duration that would spoil the sum",
        arguments: [
            (Double.nan, 0, 0.0), (-.infinity, 1, 0), (-1, 1, 0), (.infinity, 1, 86_400), (1e300, 1, 86_400),
        ])
    func clamps(seconds: Double, count: Int, sum: Double) {
        let histogram = MetricsRegistry().histogram("a_seconds", help: "A.")
        histogram.observe(seconds: seconds)
        #expect(histogram.counts.reduce(0, +) == count)
        #expect(histogram.sumOfSeconds == sum)
    }

    @Test("tells under which bound a share of the durations lies")
    func quantile() {
        let histogram = MetricsRegistry().histogram("a_seconds", help: "A.", bounds: [0.1, 0.2])
        #expect(histogram.quantileBound(0.5) == nil)
        for _ in 0..<99 { histogram.observe(seconds: 0.05) }
        histogram.observe(seconds: 0.15)
        #expect(histogram.quantileBound(0.99) == 0.1)
        #expect(histogram.quantileBound(1) == 0.2)
        histogram.observe(seconds: 9)
        #expect(histogram.quantileBound(1) == .infinity)
    }

    @Test("loses nothing when threads share a cell")
    func contention() {
        let metrics = MetricsRegistry()
        let counter = metrics.counter("a_total", help: "A.")
        let gauge = metrics.gauge("b", help: "B.")
        let histogram = metrics.histogram("c_seconds", help: "C.")
        let workers = (0..<4).map { Worker(name: "test \($0)") }
        for worker in workers {
            worker.run {
                for _ in 0..<1000 {
                    counter.add()
                    gauge.add(0.5)
                    histogram.observe(seconds: 0.001)
                }
            }
        }
        for worker in workers { worker.stop() }
        #expect(counter.value == 4000)
        #expect(gauge.value == 2000)
        #expect(histogram.counts[0] == 4000)
        #expect(abs(histogram.sumOfSeconds - 4) < 1e-6)
    }
}
