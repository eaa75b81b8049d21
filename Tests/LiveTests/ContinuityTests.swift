import Basics
import Testing

@testable import Live

@Suite("Continuity of a connection's stamps")
struct ContinuityTests {
    private let ms = Nanoseconds.millisecond
    private var continuity = Continuity()

    /// Feeds `stamps` (raw, ms) that arrive at `arrivals` (ms) on one track; answers feed times in ms.
    private mutating func feed(_ track: Track, _ pairs: [(Nanoseconds, Nanoseconds)]) -> [Nanoseconds] {
        pairs.map { continuity.arrived(track, raw: $0.0 * ms, arrival: $0.1 * ms).dts / ms }
    }

    @Test("the first packet gets its arrival as feed time and the rest follow it")
    mutating func first() {
        #expect(feed(.video, [(1429, 5000), (1462, 5033), (1496, 5067)]) == [5000, 5033, 5067])
    }

    @Test("audio and video share the offset of whichever came first")
    mutating func shared() {
        #expect(feed(.audio, [(1000, 5000)]) == [5000])
        #expect(feed(.video, [(1040, 5001)]) == [5040])
    }

    @Test("a jump back is closed by one step and both tracks keep their distance")
    mutating func jumpBack() {
        _ = feed(.video, [(10_000, 0), (10_033, 33)])
        _ = feed(.audio, [(10_000, 0), (10_021, 21)])
        let video = continuity.arrived(.video, raw: 0, arrival: 66 * ms)
        #expect(video.repair == .jumpBack)
        #expect(video.dts / ms == 66)
        // The audio's own jump takes the video's offset: raw 5 lies 5 ms behind raw 0.
        #expect(feed(.audio, [(5, 70)]) == [71])
    }

    @Test("a jump forward further than time has passed is closed")
    mutating func jumpForward() {
        _ = feed(.video, [(0, 0), (33, 33)])
        let jumped = continuity.arrived(.video, raw: 3_600_066 * ms, arrival: 66 * ms)
        #expect(jumped.repair == .jumpForward)
        #expect(jumped.dts / ms == 66)
    }

    @Test("a gap that really passed stays a gap")
    mutating func gap() {
        #expect(feed(.video, [(0, 0), (33, 33), (8033, 8033)]) == [0, 33, 8033])
    }

    @Test("the 32-bit wrap is unwrapped to the millisecond, any number of times", arguments: [1, 2, 3])
    mutating func wrap(times: Int) {
        let period: Nanoseconds = 1 << 32
        var (raw, arrival) = (period - 66, Nanoseconds(0))
        var last = continuity.arrived(.video, raw: raw * ms, arrival: 0).dts
        for _ in 0..<times {
            for _ in 0..<4 {
                arrival += 33
                raw = (raw + 33) % period
                let next = continuity.arrived(.video, raw: raw * ms, arrival: arrival * ms)
                #expect(next.dts - last == 33 * ms)
                last = next.dts
            }
            raw = period - 66
            last = continuity.arrived(.video, raw: raw * ms, arrival: arrival * ms).dts
        }
    }

    @Test("feed time never steps back, whatever comes", arguments: 0..<20)
    mutating func rises(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        var last: [Nanoseconds] = [.min, .min]
        var arrival: Nanoseconds = 0
        for _ in 0..<2_000 {
            let track: Track = random.next() % 2 == 0 ? .video : .audio
            let raw = Nanoseconds(random.next() % (1 << 33)) * ms
            arrival += Nanoseconds(random.next() % 100) * ms
            let stamped = continuity.arrived(track, raw: raw, arrival: arrival)
            #expect(stamped.dts > last[track.rawValue])
            last[track.rawValue] = stamped.dts
        }
    }
}

/// A small deterministic generator for the tests of this target.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
