import Basics
import CGStreamer
import CGStreamerCheck
import Pictures
import Synchronization
import Testing

@testable import Live

/// Writes one byte into every frame while it is switched on.
private final class Marker: Painter {
    let switchedOn = Atomic<Bool>(false)
    let painted = Locked<[Nanoseconds]>([])

    var isShowing: Bool { switchedOn.load(ordering: .relaxed) }

    func paint(on frame: LiveFrame, at time: Nanoseconds) {
        frame.luma[3 * frame.lumaStride + 5] = 200
        painted.withLock { $0.append(time) }
    }
}

/// Drives the element with GStreamer's own harness: no pipeline, no clock, no sleeping.
@Suite("Overlay element")
struct OverlayElementTests {
    private static let caps = "video/x-raw,format=I420,width=64,height=32,framerate=25/1"
    private let marker = Marker()

    init() throws { try GStreamer.start() }

    @Test("leaves frames alone while nothing is shown, and draws on copies while something is")
    func passthrough() throws {
        let element = try #require(gst_element_factory_make("giftoverlay", nil))
        let registry = MetricsRegistry()
        OverlayElement.attach(marker, to: element, paintTime: LiveMetrics(registry).compositeLatency)
        let harness = try #require(gst_harness_new_with_element(element, "sink", "src"))
        defer { gst_harness_teardown(harness) }
        gst_harness_set_src_caps_str(harness, Self.caps)
        let kept = try #require(gst_buffer_new_allocate(nil, 64 * 32 * 3 / 2, nil))
        defer { gst_buffer_unref(kept) }
        gst_buffer_memset(kept, 0, 16, 64 * 32 * 3 / 2)

        for index in 0..<6 {
            // On for frames 2 and 3: toggled between frames, as a gift does.
            marker.switchedOn.store((2...3).contains(index), ordering: .relaxed)
            let pushed = try #require(kept.stamped(pts: Nanoseconds(index) * 40 * .millisecond))
            #expect(gst_harness_push(harness, pushed) == GST_FLOW_OK)
            let out = try #require(gst_harness_pull(harness))
            defer { gst_buffer_unref(out) }
            #expect(pixel(of: out) == ((2...3).contains(index) ? 200 : 16))
            #expect(pixel(of: kept) == 16, "the frame that others keep is never written to")
        }
        #expect(marker.painted.withLock { $0 } == [80 * .millisecond, 120 * .millisecond])
    }

    private func pixel(of buffer: UnsafeMutablePointer<GstBuffer>) -> UInt8 {
        var byte: UInt8 = 0
        gst_buffer_extract(buffer, 3 * 64 + 5, &byte, 1)
        return byte
    }
}
