import Basics
import Testing

@testable import Live

@Suite("What a destination gets")
struct DeliveryGateTests {
    private var gate = DeliveryGate(capacity: 1000)

    private mutating func offer(
        _ track: Track, isKey: Bool = false, dts: Nanoseconds, queued: Int = 0
    ) -> DeliveryGate.Verdict {
        gate.offered(track, isKey: isKey, dts: dts, queuedBytes: queued)
    }

    @Test("it starts on a key frame and with no older sound")
    mutating func start() {
        #expect(offer(.audio, dts: 0) == .drop(.beforeKeyFrame))
        #expect(offer(.video, dts: 10) == .drop(.beforeKeyFrame))
        #expect(offer(.video, isKey: true, dts: 20) == .deliver)
        #expect(offer(.audio, dts: 19) == .drop(.beforeKeyFrame))
        #expect(offer(.audio, dts: 20) == .deliver)
        #expect(offer(.video, dts: 30) == .deliver)
    }

    @Test("a full queue drops pictures to the next key frame; sound goes on")
    mutating func full() {
        _ = offer(.video, isKey: true, dts: 0)
        #expect(offer(.video, dts: 10, queued: 1000) == .drop(.queueFull))
        #expect(offer(.audio, dts: 10, queued: 1000) == .deliver)
        #expect(offer(.video, dts: 20) == .drop(.queueFull))
        #expect(offer(.video, isKey: true, dts: 30) == .deliver)
        #expect(offer(.video, dts: 40) == .deliver)
        #expect(offer(.audio, dts: 40, queued: 1500) == .drop(.queueFull))
    }

    @Test("a key frame does not enter a full queue either")
    mutating func fullKey() {
        #expect(offer(.video, isKey: true, dts: 0, queued: 1000) == .drop(.queueFull))
        #expect(offer(.video, isKey: true, dts: 10, queued: 999) == .deliver)
    }
}

@Suite("Life of a destination")
struct DestinationLifeTests {
    private let second = Nanoseconds.second
    private var life = DestinationLife(now: 0)

    private mutating func pass(_ time: Nanoseconds, progress: Int = 0, waiting: Bool = true)
        -> DestinationLife.Action
    {
        life.timePassed(time * second, progress: progress, isWaiting: waiting, jitter: 0.5)
    }

    @Test("it opens at once and is up when the sink has taken a buffer")
    mutating func up() {
        #expect(pass(0) == .open)
        #expect(pass(1, progress: 1) == .none)
        #expect(pass(2, progress: 2) == .announceUp)
        #expect(life.isUp)
    }

    @Test("a connection that does not come is given up")
    mutating func mute() {
        _ = pass(0)
        #expect(pass(9, progress: 1) == .none)
        #expect(pass(10, progress: 1) == .close(reason: "no connection within 10 s"))
        #expect(pass(11) == .none)
    }

    @Test("a peer that swallows nothing while units wait is given up; an idle one is not")
    mutating func stall() {
        _ = pass(0)
        _ = pass(1, progress: 2)
        #expect(pass(20, progress: 2, waiting: false) == .none)
        #expect(pass(24, progress: 2) == .none)
        #expect(pass(25, progress: 2) == .close(reason: "the peer has taken nothing for 5 s"))
    }

    @Test("it is opened again after a pause, but not before the old connection is gone")
    mutating func retry() {
        _ = pass(0)
        #expect(life.failed(second, "refused", jitter: 0.5) == .close(reason: "refused"))
        #expect(life.failed(second, "again", jitter: 0.5) == .none)
        #expect(pass(60) == .none)
        life.closed()
        #expect(pass(60) == .open)
    }

    @Test("pauses double up to the cap, are jittered and small again after good service")
    func backoff() {
        var backoff = Backoff(first: 0.5, cap: 30)
        let pauses = (0..<9).map { _ in backoff.failed(served: 0, jitter: 0.5) }
        #expect(pauses == [0.5, 1, 2, 4, 8, 16, 30, 30, 30])
        #expect(backoff.failed(served: 59, jitter: 0) == 22.5)
        #expect(backoff.failed(served: 60, jitter: 0.5) == 0.5)
    }
}
