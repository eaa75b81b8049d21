import Basics
import Testing

@testable import Live

@Suite("Anchor between feed time and program time")
struct AnchorTests {
    private let ms = Nanoseconds.millisecond
    private var anchor = Anchor(latency: 200 * .millisecond, margin: 50 * .millisecond)

    /// Program time in ms of a frame with feed time `time` that arrives at `now`, both in ms.
    private mutating func place(_ track: Track, _ time: Nanoseconds, at now: Nanoseconds) -> Nanoseconds {
        anchor.place(track, time * ms, now: now * ms).time / ms
    }

    @Test("the first frame is due one latency after it came; the others keep their distance")
    mutating func first() {
        #expect(place(.video, 0, at: 1000) == 1200)
        #expect(place(.audio, 21, at: 1030) == 1221)
        #expect(place(.video, 33, at: 1040) == 1233)
    }

    @Test("a burst behind the first frame does not leave the program ahead")
    mutating func burst() {
        _ = place(.video, 0, at: 1000)
        // Three seconds of cache within 30 ms: every frame is pulled back to one latency from now.
        var last: Nanoseconds = 0
        for index in Nanoseconds(1)...90 { last = place(.video, index * 33, at: 1000 + index / 3) }
        #expect(last - 1030 <= 300)
        #expect(place(.video, 91 * 33, at: 1063) - 1063 <= 300)
    }

    @Test("a track that comes late and bundled moves the mapping up until its latest frame is in time")
    mutating func bundledAudio() {
        var late = 0
        for index in Nanoseconds(0)...300 {
            let now = 1000 + index * 33
            _ = place(.video, index * 33, at: now)
            // Twenty at once, the oldest 0.7 s after its time.
            guard index % 20 == 0 else { continue }
            for frame in Nanoseconds(0)..<20 where index > 60 {
                if place(.audio, (index - 21 + frame) * 33, at: now) - now < 50 { late += 1 }
            }
        }
        // Only those of the first window.
        #expect(late <= 40)
        #expect(place(.audio, (301 - 21) * 33, at: 1000 + 301 * 33) - (1000 + 301 * 33) >= 50)
    }

    @Test("a hiccup of the network later on moves nothing")
    mutating func hiccup() {
        for index in Nanoseconds(0)...600 {
            let late: Nanoseconds = index == 400 ? 400 : 0
            let now = 1000 + index * 33 + late
            #expect(anchor.place(.video, index * 33 * ms, now: now * ms).moved == 0)
        }
    }

    @Test("once moved up for one track, the other does not move it down again")
    mutating func noFight() {
        var moves = 0
        for index in Nanoseconds(0)...600 {
            let now = 1000 + index * 33
            if anchor.place(.video, index * 33 * ms, now: now * ms).moved != 0 { moves += 1 }
            if anchor.place(.audio, (index * 33 - 700) * ms, now: now * ms).moved != 0 { moves += 1 }
        }
        #expect(moves <= 2)
    }

    @Test("slack that grows on all tracks is given back")
    mutating func drift() {
        var slack: Nanoseconds = 0
        // A publisher whose clock is one per cent fast, for five minutes.
        for index in Nanoseconds(0)..<9_000 {
            let now = 1000 + index * 33
            slack = place(.video, index * 33 + index * 33 / 100, at: now) - now
        }
        #expect(slack <= 310)
    }

    @Test("no frame waits longer than the cap, whatever its stamp says")
    mutating func cap() {
        _ = place(.video, 0, at: 1000)
        for index in Nanoseconds(1)...50 {
            let now = 3000 + index
            #expect(place(.video, index * 2_000_000, at: now) - now <= 3000)
        }
    }

    @Test("a new connection sets the mapping anew")
    mutating func reset() {
        _ = place(.video, 0, at: 1000)
        anchor.reset()
        #expect(place(.video, 9_000, at: 30_000) == 30_200)
    }
}
