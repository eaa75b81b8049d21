import Testing

@testable import Decoding

@Suite("Picture window")
struct PictureWindowTests {
    /// A window with these pictures prepared, in order.
    private func window(_ indices: [Int]) -> PictureWindow {
        var window = PictureWindow(last: 1000)
        for index in indices { fill(&window, index) }
        return window
    }

    @discardableResult
    private func fill(_ window: inout PictureWindow, _ index: Int) -> Int? {
        guard let slot = window.begin() else { return nil }
        window.fill(slot, with: index)
        return slot
    }

    private func used(_ window: PictureWindow) -> Int {
        (0..<PictureWindow.capacity).count { window.slots[$0] != .free }
    }

    @Test("holds four pictures and no fifth")
    func capacity() {
        var window = window([0, 1, 2, 3])
        #expect(window.begin() == nil)
        #expect(used(window) == 4)
    }

    @Test("is ready with the first picture, not before")
    func ready() {
        var window = PictureWindow(last: 1000)
        #expect(!window.isReady)
        let slot = window.begin()
        #expect(slot == 0 && !window.isReady)
        window.fill(0, with: 0)
        #expect(window.isReady)
    }

    @Test("shows the picture that is due and frees the one before")
    func advances() {
        var window = window([0, 1, 2, 3])
        #expect(window.advance(to: 0) == .init(slot: 0, isLate: false))
        #expect(window.begin() == nil, "the shown one is not given away")
        #expect(window.advance(to: 1) == .init(slot: 1, isLate: false))
        #expect(window.slots[0] == .free && window.slots[1] == .shown(1))
        #expect(window.begin() == 0)
    }

    @Test("keeps a slot that is being filled out of sight")
    func filling() {
        var window = window([0])
        let slot = window.begin()
        #expect(slot == 1)
        #expect(window.advance(to: 1) == .init(slot: 0, isLate: true))
        window.fill(1, with: 1)
        #expect(window.advance(to: 1) == .init(slot: 1, isLate: false))
    }

    @Test("frees all pictures whose time has passed at once")
    func jumps() {
        var window = window([0, 1, 2, 3])
        #expect(window.advance(to: 3) == .init(slot: 3, isLate: false))
        #expect(used(window) == 1)
    }

    @Test("holds the last picture and counts each late one once")
    func late() {
        var window = window([0, 1])
        _ = window.advance(to: 1)
        #expect(window.advance(to: 2) == .init(slot: 1, isLate: true))
        #expect(window.advance(to: 2) == .init(slot: 1, isLate: false))
        #expect(window.advance(to: 4) == .init(slot: 1, isLate: true))
    }

    @Test("calls nothing late where a picture was damaged, or behind the last")
    func notLate() {
        var window = window([0, 2])
        _ = window.advance(to: 0)
        #expect(window.advance(to: 1) == .init(slot: 0, isLate: false))
        _ = window.advance(to: 2)
        window.end()
        #expect(window.advance(to: 9) == .init(slot: 1, isLate: false))
        var short = PictureWindow(last: 0)
        fill(&short, 0)
        _ = short.advance(to: 0)
        #expect(short.advance(to: 1) == .init(slot: 0, isLate: false))
    }

    @Test("shows nothing before the first picture is due")
    func leadingGap() {
        var window = window([4])
        #expect(window.advance(to: 0).slot == nil)
        #expect(window.advance(to: 4).slot == 0)
    }

    @Test("does not want what has passed, but never skips more than eight in a row")
    func skips() {
        var window = window([0])
        #expect(window.wants(1), "before the first frame everything is wanted")
        _ = window.advance(to: 20)
        #expect((1..<8).allSatisfy { !window.wants($0) })
        #expect(window.wants(8), "slow is better than frozen")
        fill(&window, 8)
        #expect(window.advance(to: 21) == .init(slot: 1, isLate: true))
        #expect(!window.wants(15) && window.wants(16) && window.wants(21))
    }

    @Test("never goes back")
    func monotonic() {
        var window = window([0, 1, 2])
        _ = window.advance(to: 2)
        #expect(window.advance(to: 0).slot == 2)
        #expect(window.due == 2)
    }

    @Test(
        "holds at most four pictures and always the latest due, whatever the two threads do",
        arguments: 0..<20)
    func random(seed: UInt64) {
        var random = SplitMix(seed)
        var window = PictureWindow(last: 1000)
        var (next, due, prepared): (Int, Int, [Int]) = (0, 0, [])
        for _ in 0..<1500 {
            if random.next() % 3 == 0 {
                due += Int(random.next() % 3)
                let answer = window.advance(to: due)
                let best = prepared.last { $0 <= due }
                #expect(answer.slot.map { window.slots[$0] } == best.map { .shown($0) })
            } else {
                if !window.wants(next) {
                    next += 1
                } else if fill(&window, next) != nil {
                    prepared.append(next)
                    next += 1
                }
            }
            #expect(used(window) <= 4)
        }
        #expect(prepared.count > 100)
    }
}

/// Repeatable random numbers.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
