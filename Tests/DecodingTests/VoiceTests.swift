import Basics
import Testing

@testable import Decoding

/// Interleaved stereo samples to mix into.
final class Buffer {
    private let sound: LiveSound

    init(_ count: Int, _ value: Float = 0) {
        sound = LiveSound(samples: .allocate(capacity: 2 * count), count: count)
        sound.samples.initialize(repeating: value, count: 2 * count)
    }

    deinit { sound.samples.deallocate() }

    /// Lends the samples.
    func mix<Result>(_ body: (LiveSound) -> Result) -> Result {
        withExtendedLifetime(self) { body(sound) }
    }

    var left: [Float] { (0..<sound.count).map { sound.samples[2 * $0] } }
    var right: [Float] { (0..<sound.count).map { sound.samples[2 * $0 + 1] } }
}

extension Voice {
    mutating func mix(
        into buffer: Buffer, at place: Int64, _ orders: Orders, from ring: SampleRing
    ) -> Report {
        buffer.mix { mix(into: $0, at: place, orders, from: ring) }
    }
}

/// The greatest step between neighbours.
func widestStep(_ values: [Float]) -> Float {
    zip(values, values.dropFirst()).map { abs($1 - $0) }.max() ?? 0
}

@Suite("Voice")
struct VoiceTests {
    private let ring = SampleRing()

    /// A ring with `count` samples; sample n is n / 65536 on the left and its negative on the right.
    private func fill(_ count: Int) {
        let begin = Int(ring.end)
        let values = (begin..<begin + count).flatMap { [Self.value($0), -Self.value($0)] }
        ring.append(values, count: count)
    }

    private static func value(_ place: Int) -> Float { Float(place) / 65_536 }

    private func orders(_ origin: Int64?, end: Int64 = 1_000_000) -> Voice.Orders {
        Voice.Orders(origin: origin, end: end)
    }

    @Test("puts sample n at the origin + n, to the sample, whatever the buffers are")
    func places() {
        fill(4000)
        var voice = Voice()
        let first = Buffer(1000)
        let report = voice.mix(into: first, at: 10_000, orders(10_700), from: ring)
        #expect(report.hasSounded && !report.ranOut && !report.isOver)
        #expect(first.left[..<700].allSatisfy { $0 == 0 })
        #expect(first.left[700...].enumerated().allSatisfy { $1 == Self.value($0) })
        #expect(ring.first == 300, "what was mixed is given back")
        let second = Buffer(64)
        _ = voice.mix(into: second, at: 11_000, orders(10_700), from: ring)
        #expect(second.left == (300..<364).map(Self.value))
        #expect(second.right == (300..<364).map { -Self.value($0) })
    }

    @Test("adds to what is there, with its volume")
    func adds() {
        fill(1000)
        var voice = Voice()
        let buffer = Buffer(50, 0.25)
        var orders = orders(0)
        orders.gain = 0.5
        _ = voice.mix(into: buffer, at: 0, orders, from: ring)
        #expect(buffer.left == (0..<50).map { 0.25 + Self.value($0) * 0.5 })
    }

    @Test("joins in the middle, in step and faded in, when the program is past its beginning")
    func late() {
        fill(10_000)
        var voice = Voice()
        let buffer = Buffer(1000)
        _ = voice.mix(into: buffer, at: 5000, orders(2000), from: ring)
        let fade = Voice.fade
        #expect(buffer.left[fade...].enumerated().allSatisfy { $1 == Self.value(3000 + fade + $0) })
        #expect(buffer.left[0] < 0.001)
        #expect(widestStep(buffer.left) < 0.001, "\(widestStep(buffer.left))")
    }

    @Test("fades to nothing within 10 ms before its gift ends, and is over then")
    func end() {
        fill(8000)
        var voice = Voice()
        let buffer = Buffer(4000)
        let report = voice.mix(into: buffer, at: 0, orders(0, end: 3000), from: ring)
        #expect(report.isOver)
        #expect(buffer.left[3001...].allSatisfy { $0 == 0 })
        #expect(buffer.left[..<2500].enumerated().allSatisfy { $1 == Self.value($0) })
        #expect(abs(buffer.left[2999]) < 0.001 && widestStep(buffer.left) < 0.001)
    }

    @Test("fades out from where it is when it is cut, when it is held, and when its gift ends sooner")
    func cut() {
        for kind in ["cut", "hold", "sooner"] {
            let ring = SampleRing()
            ring.append([Float](repeating: 0.5, count: 20_000), count: 10_000)
            var voice = Voice()
            _ = voice.mix(into: Buffer(1000), at: 0, orders(0), from: ring)
            var orders = orders(0)
            switch kind {
            case "cut": orders.isCut = true
            case "hold": orders.origin = nil
            default: orders.end = 200
            }
            let buffer = Buffer(1000)
            let report = voice.mix(into: buffer, at: 1000, orders, from: ring)
            #expect(buffer.left[0] > 0.49 && buffer.left[240] > 0.2, "\(kind)")
            #expect(buffer.left[(Voice.fade + 1)...].allSatisfy { $0 == 0 }, "\(kind)")
            #expect(widestStep(buffer.left) < 0.0021, "\(kind)")
            #expect(report.isOver == (kind != "hold"), "\(kind)")
        }
    }

    @Test("goes on where the media time goes on after it was held")
    func hold() {
        fill(30_000)
        var voice = Voice()
        _ = voice.mix(into: Buffer(1000), at: 0, orders(0), from: ring)
        _ = voice.mix(into: Buffer(1000), at: 1000, orders(nil), from: ring)
        let silent = Buffer(500)
        #expect(!voice.mix(into: silent, at: 2000, orders(nil), from: ring).hasSounded)
        // Held at 1000, resumed at 2500: the origin has moved by 1500.
        let buffer = Buffer(2000)
        _ = voice.mix(into: buffer, at: 2500, orders(1500), from: ring)
        #expect(buffer.left[1500] == Self.value(2500))
        #expect(widestStep(buffer.left) < 0.001)
    }

    @Test("takes a new origin without a crackle")
    func jump() {
        ring.append([Float](repeating: 0.5, count: 40_000), count: 20_000)
        var voice = Voice()
        _ = voice.mix(into: Buffer(1000), at: 0, orders(0), from: ring)
        let buffer = Buffer(3000)
        _ = voice.mix(into: buffer, at: 1000, orders(-4000), from: ring)
        #expect(widestStep(buffer.left) < 0.0021)
        #expect(buffer.left.contains { $0 < 0.01 } && buffer.left[2999] == 0.5)
        #expect(ring.first == 8000)
    }

    @Test("changes its volume without a step, and is there after 50 ms")
    func volume() {
        ring.append([Float](repeating: 0.5, count: 20_000), count: 10_000)
        var voice = Voice()
        _ = voice.mix(into: Buffer(100), at: 0, orders(0), from: ring)
        var quiet = orders(0)
        quiet.gain = 0
        let buffer = Buffer(3000)
        _ = voice.mix(into: buffer, at: 100, quiet, from: ring)
        #expect(buffer.left[0] > 0.499 && widestStep(buffer.left) < 0.0003)
        #expect(buffer.left[2400...].allSatisfy { $0 == 0 })
        #expect(buffer.left[1200] > 0.2)
    }

    @Test("fades out before samples run out, tells it once, and joins again in step")
    func starves() {
        fill(2000)
        var voice = Voice()
        let buffer = Buffer(3000)
        let report = voice.mix(into: buffer, at: 0, orders(0), from: ring)
        #expect(report.ranOut && !report.isOver)
        #expect(widestStep(buffer.left) < 0.001 && buffer.left[2000...].allSatisfy { $0 == 0 })
        #expect(!voice.mix(into: Buffer(100), at: 3000, orders(0), from: ring).ranOut)
        fill(3000)
        let again = Buffer(1000)
        #expect(!voice.mix(into: again, at: 3100, orders(0), from: ring).ranOut)
        #expect(again.left[900] == Self.value(4000) && widestStep(again.left) < 0.001)
    }

    @Test("is over where the sound is shorter than the gift, and nothing runs out there")
    func short() {
        fill(2000)
        var voice = Voice()
        var orders = orders(0)
        orders.length = 2000
        let report = voice.mix(into: Buffer(3000), at: 0, orders, from: ring)
        #expect(report.isOver && !report.ranOut)
        var silent = Voice()
        orders.length = 0
        #expect(silent.mix(into: Buffer(10), at: 0, orders, from: SampleRing()).isOver)
    }

    @Test("adds nothing before it is started, and is over when it is cut then")
    func waiting() {
        fill(100)
        var voice = Voice()
        let buffer = Buffer(100, 0.1)
        var orders = orders(nil)
        let report = voice.mix(into: buffer, at: 0, orders, from: ring)
        #expect(!report.hasSounded && !report.isOver && buffer.left.allSatisfy { $0 == 0.1 })
        orders.isCut = true
        #expect(voice.mix(into: buffer, at: 100, orders, from: ring).isOver)
    }
}
