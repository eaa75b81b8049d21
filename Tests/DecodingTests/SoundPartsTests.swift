import Basics
import Foundation
import Testing

@testable import Decoding

@Suite("Sample clock")
struct SampleClockTests {
    @Test("finds the nearest sample of a frame's time, without an error that grows")
    func places() {
        #expect(SampleClock.place(of: 0) == 0)
        #expect(SampleClock.place(of: .second) == 48_000)
        #expect(SampleClock.place(of: 33_333_333) == 1600)
        #expect(SampleClock.place(of: 100_000 * .second + 33_333_333) == 4_800_001_600)
        // The stamp of a buffer is rounded down; its place is found all the same.
        for place in [1, 7, 1601, 123_456_789] as [Int64] {
            #expect(SampleClock.place(of: place * .second / 48_000) == place)
        }
    }
}

@Suite("Sample ring")
struct SampleRingTests {
    @Test("gives out what was put in, many times around")
    func order() {
        let ring = SampleRing()
        var written = 0
        for round in 0..<20 {
            let count = 5000 + 13 * round
            ring.append((0..<2 * count).map { Float((2 * written + $0) % 4001) / 4001 }, count: count)
            written += count
            #expect(ring.end == Int64(written))
            for place in [ring.first, ring.end - 1] {
                #expect(ring.sample(place)[0] == Float(2 * Int(place) % 4001) / 4001)
                #expect(ring.sample(place)[1] == Float((2 * Int(place) + 1) % 4001) / 4001)
            }
            ring.release(before: ring.end - 100)
            #expect(ring.room == SampleRing.capacity - 100)
        }
    }

    @Test("takes silence for nothing, and for what is no number; nothing is louder than damage can be")
    func hostile() {
        let ring = SampleRing()
        ring.append(nil, count: 3)
        ring.append([Float.nan, .infinity, -.infinity, 1e30, -1e30, 0.5], count: 3)
        #expect((0..<3).allSatisfy { ring.sample($0)[0] == 0 && ring.sample($0)[1] == 0 })
        #expect((3..<6).flatMap { [ring.sample($0)[0], ring.sample($0)[1]] } == [0, 0, 0, 4, -4, 0.5])
    }

    @Test("never takes back or gives up what is not there")
    func bounds() {
        let ring = SampleRing()
        ring.append(nil, count: 100)
        ring.release(before: 1000)
        #expect(ring.first == 100 && ring.room == SampleRing.capacity)
        ring.release(before: 50)
        #expect(ring.first == 100)
    }

    @Test("hands samples from one thread to another, each once and in order", .timeLimit(.minutes(1)))
    func threads() {
        let state = SoundState()
        let total = 100_000
        let worker = Worker(name: "decodes")
        worker.run {
            var next = 0
            while next < total, state.waitForRoom(512) {
                state.ring.append(
                    (0..<1024).map { Float((next + $0 / 2) % 1009) }.map { $0 / 1009 }, count: 512)
                next += 512
            }
        }
        var (place, wrong) = (Int64(0), 0)
        while place < total {
            let end = state.ring.end
            while place < end {
                if state.ring.sample(place)[1] != Float(place % 1009) / 1009 { wrong += 1 }
                place += 1
            }
            state.ring.release(before: place)
            state.wakeWorker()
        }
        worker.stop()
        #expect(wrong == 0)
    }
}

@Suite("Ramp")
struct RampTests {
    @Test("goes to its target in equal steps and stays there")
    func ramp() {
        var ramp = Ramp(1)
        #expect(ramp.isAtRest && ramp.next() == 1)
        ramp.aim(at: 0.5, within: 100)
        let values = (0..<100).map { _ in ramp.next() }
        #expect(widestStep(values) < 0.0051 && values[98] > 0.5)
        #expect(abs(values[99] - 0.5) < 1e-5)
        #expect(ramp.next() == 0.5 && ramp.isAtRest)
        ramp.aim(at: 0.5, within: 1)
        #expect(ramp.next() == 0.5)
    }

    @Test("turns on its way without a step")
    func turns() {
        var ramp = Ramp(0)
        ramp.aim(at: 1, within: 100)
        var values = (0..<50).map { _ in ramp.next() }
        ramp.aim(at: 0, within: 100)
        values += (0..<101).map { _ in ramp.next() }
        #expect(widestStep(values) < 0.0101 && values.last == 0)
    }
}

@Suite("Limiter")
struct LimiterTests {
    private func sine(_ count: Int, _ size: Float, period: Float = 100) -> [Float] {
        (0..<count).map { size * sin(2 * .pi * Float($0) / period) }
    }

    /// Adds gifts to a host, both channels alike; `cut` samples at a time.
    private func limited(
        _ gifts: [Float], host: Float = 0, cut: Int = .max, _ limiter: inout Limiter
    ) -> [Float] {
        let samples = gifts.flatMap { [$0, $0] }
        var out = [Float](repeating: host, count: samples.count)
        for begin in stride(from: 0, to: gifts.count, by: min(cut, gifts.count)) {
            let count = min(cut, gifts.count - begin)
            samples.withUnsafeBufferPointer { samples in
                out.withUnsafeMutableBufferPointer { out in
                    guard let from = samples.baseAddress, let to = out.baseAddress else { return }
                    _ = limiter.add(from + 2 * begin, to: to + 2 * begin, count: count)
                }
            }
        }
        return stride(from: 0, to: out.count, by: 2).map { out[$0] }
    }

    @Test("leaves everything below the knee as it is, bit for bit")
    func quiet() {
        var limiter = Limiter()
        let values = sine(5000, 0.89)
        #expect(limited(values, &limiter) == values)
        #expect(limiter.isAtRest)
    }

    @Test(
        "keeps any mix within full scale, without a step in its gain",
        arguments: [(1, 100), (2, 100), (2, 7), (2, 2400), (4, 100), (20, 33)] as [(Float, Float)])
    func loud(size: Float, period: Float) {
        var limiter = Limiter()
        var (gains, peak): ([Float], Float) = ([], 0)
        for value in sine(8000, size, period: period) {
            peak = max(peak, abs(limited([value], &limiter)[0]))
            gains.append(limiter.gain)
        }
        #expect(peak <= 1)
        #expect(widestStep(gains) < 0.011, "\(widestStep(gains))")
        #expect(gains.min() ?? 0 >= Limiter.knee / size - 0.001)
    }

    @Test("keeps a steady loud tone in shape: the gain, not the bend, does the work")
    func shape() {
        var limiter = Limiter()
        let values = sine(48_000, 2)
        let out = limited(values, &limiter)[24_000...]
        let factors = zip(out, values[24_000...]).filter { abs($1) > 0.5 }.map { $0 / $1 }
        let (least, most) = (factors.min() ?? 0, factors.max() ?? 0)
        #expect(most - least < 0.02 && abs(most - 0.4456) < 0.02, "\(least) ... \(most)")
    }

    @Test("comes back to exactly 1, within a quarter of a second of silence")
    func release() {
        var limiter = Limiter()
        _ = limited(sine(4800, 3), &limiter)
        #expect(!limiter.isAtRest)
        let values = sine(24_000, 0.3)
        let out = limited(values, &limiter)
        #expect(limiter.isAtRest && out[12_000...] == values[12_000...])
    }

    @Test("answers the same however the stream is cut")
    func cuts() {
        let values = sine(10_000, 1.7, period: 91)
        var limiters = [Limiter(), Limiter()]
        #expect(limited(values, cut: 37, &limiters[0]) == limited(values, &limiters[1]))
    }

    @Test("bends without a corner at the knee")
    func bend() {
        var outs: [Float] = []
        for step in 0..<2000 {
            var limiter = Limiter()
            outs.append(limited([Float(step) / 1000], &limiter)[0])
        }
        let slopes = zip(outs, outs.dropFirst()).map { ($1 - $0) * 1000 }
        #expect(slopes.allSatisfy { (-0.001...1.001).contains($0) })
        #expect(widestStep(slopes) < 0.05, "\(widestStep(slopes))")
    }

    @Test(
        "leaves a host without gifts alone, however loud, and changes nothing of it at once",
        arguments: [0.95, 1, 1.2] as [Float])
    func loudHost(host: Float) {
        var limiter = Limiter()
        #expect(limited([0, 0, 0], host: host, &limiter) == [host, host, host])
        // A gift that swells from nothing and goes again.
        let swell = (0..<9600).map { 0.8 * sin(.pi * Float($0) / 9600) }
        let out = limited(swell + [Float](repeating: 0, count: 14_400), host: host, &limiter)
        #expect(out.allSatisfy { $0 <= max(host, 1) })
        #expect(widestStep(out) < 0.001, "\(widestStep(out))")
        #expect(limiter.isAtRest && out.last == host)
    }

    @Test("survives what is no number and goes on")
    func hostile() {
        var limiter = Limiter()
        _ = limited([.nan, .infinity, -.infinity], &limiter)
        let out = limited(sine(48_000, 0.5), &limiter)
        #expect(out[40_000...].allSatisfy(\.isFinite) && limiter.isAtRest)
    }
}
