import Basics
import Testing

@testable import Live

@Suite("Video timeline")
struct VideoTimelineTests {
    private let ms = Nanoseconds.millisecond
    private var timeline = VideoTimeline(frameDuration: 40 * .millisecond, start: 0)

    @Test("a feed at the program's rate keeps its own stamps")
    mutating func cadence() {
        for time in [0, 41, 79, 120, 161] as [Nanoseconds] {
            #expect(isPush(timeline.arrived(time * ms), at: time, repeats: 0))
        }
    }

    @Test("frames that are not behind the last one are late")
    mutating func late() {
        _ = timeline.arrived(100 * ms)
        #expect(timeline.arrived(100 * ms) == .drop(.late))
        #expect(timeline.arrived(60 * ms) == .drop(.late))
    }

    @Test(
        "a feed of twice the rate is halved, one of 5/3 the rate is thinned to the program's",
        arguments: [20, 24])
    mutating func thins(step: Nanoseconds) {
        var pushed = 0
        for index in 0..<Nanoseconds(1000) {
            if case .push = timeline.arrived(index * step * ms) { pushed += 1 }
        }
        let expected = Int(1000 * step / 40)
        #expect(abs(pushed - expected) <= expected / 20)
    }

    @Test("a slow feed is filled to the program's rate")
    mutating func fills() {
        _ = timeline.arrived(0)
        #expect(isPush(timeline.arrived(200 * ms), at: 200, repeats: 4))
        #expect(isPush(timeline.arrived(300 * ms), at: 300, repeats: 2))
    }

    @Test("a missing frame is repeated in time, and the feed takes over where it is")
    mutating func repeats() {
        _ = timeline.arrived(0)
        #expect(timeline.tick(now: -20 * ms, margin: 50 * ms) == nil)
        #expect(timeline.tick(now: -10 * ms, margin: 50 * ms) == 40 * ms)
        #expect(timeline.tick(now: -10 * ms, margin: 50 * ms) == nil)
        #expect(timeline.arrived(40 * ms) == .drop(.late))
        #expect(isPush(timeline.arrived(80 * ms), at: 80, repeats: 0))
    }

    @Test("stamps rise strictly and leave no hole above one and a half frames", arguments: 0..<20)
    mutating func invariant(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        var (last, now) = (Nanoseconds(-40) * ms, Nanoseconds(0))
        for _ in 0..<3_000 {
            now += Nanoseconds(random.next() % 60) * ms
            while let stamp = timeline.tick(now: now, margin: 50 * ms) {
                #expect(stamp == last + 40 * ms)
                last = stamp
            }
            let time = now + (Nanoseconds(random.next() % 600) - 200) * ms
            guard case .push(let repeats, let after, let at) = timeline.arrived(time) else { continue }
            #expect(after == last)
            let filled = after + Nanoseconds(repeats) * 40 * ms
            #expect(at > filled)
            #expect(at - filled <= 60 * ms)
            last = at
        }
    }

    private func isPush(_ verdict: VideoTimeline.Verdict, at time: Nanoseconds, repeats: Int) -> Bool {
        guard case .push(let count, _, let at) = verdict else { return false }
        return count == repeats && at == time * ms
    }
}

@Suite("Audio timeline")
struct AudioTimelineTests {
    private let ms = Nanoseconds.millisecond
    private var timeline = AudioTimeline(rate: 48_000, start: 0)

    @Test("sound where it is expected is appended, small deviations too")
    mutating func appends() {
        #expect(timeline.arrived(0, count: 1024) == .init(take: 1024))
        #expect(timeline.arrived(40 * ms, count: 1024) == .init(take: 1024))
        #expect(timeline.position == 2048)
    }

    @Test("a hole is filled with silence to the sample")
    mutating func hole() {
        _ = timeline.arrived(0, count: 480)
        #expect(timeline.arrived(110 * ms, count: 480) == .init(silence: 4800, take: 480))
        #expect(timeline.end == 120 * ms)
    }

    @Test("what overlaps is cut, what lies behind is dropped")
    mutating func overlap() {
        _ = timeline.arrived(0, count: 4800)
        #expect(timeline.arrived(50 * ms, count: 4800) == .init(skip: 2400, take: 2400))
        #expect(timeline.arrived(0, count: 480) == .init(skip: 480, take: 0))
        #expect(timeline.position == 7200)
    }

    @Test("silence is made up just in time and never past it")
    mutating func silence() {
        #expect(timeline.tick(now: 0, margin: 50 * ms) == 2400)
        #expect(timeline.tick(now: 5 * ms, margin: 50 * ms) == 0)
        #expect(timeline.tick(now: 10 * ms, margin: 50 * ms) == 480)
    }

    @Test("stamps do not drift from the sample count in a year")
    func year() {
        let start = Nanoseconds(365 * 86_400) * .second
        let timeline = AudioTimeline(rate: 48_000, start: start)
        #expect(timeline.end == start)
        #expect(timeline.time(of: timeline.position + 1) - start == 20_833)
    }
}
