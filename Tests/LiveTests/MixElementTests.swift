import Basics
import CGStreamer
import CGStreamerCheck
import Synchronization
import Testing

@testable import Live

/// Adds a half to every sample while it is switched on.
private final class Adder: Mixer {
    let switchedOn = Atomic<Bool>(false)
    let mixed = Locked<[Nanoseconds]>([])

    var isSounding: Bool { switchedOn.load(ordering: .relaxed) }

    func mix(into sound: LiveSound, at time: Nanoseconds) {
        for index in 0..<2 * sound.count { sound.samples[index] += 0.5 }
        mixed.withLock { $0.append(time) }
    }
}

/// Drives the element with GStreamer's own harness: no pipeline, no clock, no sleeping.
@Suite("Mix element")
struct MixElementTests {
    private let adder = Adder()

    init() throws { try GStreamer.start() }

    @Test("leaves sound alone while nothing sounds, and mixes into copies while something does")
    func passthrough() throws {
        let element = try #require(gst_element_factory_make("giftaudio", nil))
        MixElement.attach(adder, to: element)
        let harness = try #require(gst_harness_new_with_element(element, "sink", "src"))
        defer { gst_harness_teardown(harness) }
        gst_harness_set_src_caps_str(harness, AudioFormat.caps)
        let size = gsize(480 * AudioFormat.bytesPerSample)
        let kept = try #require(gst_buffer_new_allocate(nil, size, nil))
        defer { gst_buffer_unref(kept) }
        gst_buffer_memset(kept, 0, 0, size)

        for index in 0..<6 {
            adder.switchedOn.store((2...3).contains(index), ordering: .relaxed)
            let pushed = try #require(kept.stamped(pts: Nanoseconds(index) * 10 * .millisecond))
            #expect(gst_harness_push(harness, pushed) == GST_FLOW_OK)
            let out = try #require(gst_harness_pull(harness))
            defer { gst_buffer_unref(out) }
            #expect(out.pointee.pts == GstClockTime(index) * 10_000_000)
            #expect(samples(of: out).allSatisfy { $0 == ((2...3).contains(index) ? 0.5 : 0) })
            #expect(samples(of: kept).allSatisfy { $0 == 0 }, "sound that others keep is never written to")
        }
        #expect(adder.mixed.withLock { $0 } == [20 * .millisecond, 30 * .millisecond])
    }

    private func samples(of buffer: UnsafeMutablePointer<GstBuffer>) -> [Float] {
        let count = Int(gst_buffer_get_size(buffer)) / MemoryLayout<Float>.size
        return [Float](unsafeUninitializedCapacity: count) { bytes, filled in
            filled = Int(gst_buffer_extract(buffer, 0, bytes.baseAddress, gsize(4 * count))) / 4
        }
    }
}
