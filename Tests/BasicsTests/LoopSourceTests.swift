import Basics
import Foundation
import Testing

@Suite("Loop sources", .timeLimit(.minutes(1)))
struct LoopSourceTests {
    @ControlPlane private final class Tally {
        var count = 0
    }

    /// Says when it goes, to see what a source holds.
    private final class Witness: Sendable {
        let gone: Doorbell
        init(_ gone: Doorbell) { self.gone = gone }
        deinit { gone.ring() }
    }

    private func pause(_ milliseconds: Int) async {
        try? await Task.sleep(for: .milliseconds(milliseconds))
    }

    @Test("a timer repeats until it is cancelled")
    func repeats() async {
        let counts = await TestLoop.run { [self] in
            let tally = Tally()
            let timer = LoopSource.every(.millisecond) { tally.count += 1 }
            while tally.count < 5 { await pause(1) }
            timer.cancel()
            let before = tally.count
            await pause(10)
            return (before, tally.count)
        }
        #expect(counts.0 == counts.1)
    }

    @Test("a single shot fires once, not before its time")
    func once() async {
        let (count, elapsed) = await TestLoop.run { [self] in
            let (tally, start) = (Tally(), Monotonic.now())
            var fired: Nanoseconds = 0
            let timer = LoopSource.after(20 * .millisecond) {
                tally.count += 1
                fired = Monotonic.now()
            }
            while tally.count == 0 { await pause(1) }
            await pause(30)
            timer.cancel()
            return (tally.count, fired - start)
        }
        #expect(count == 1)
        #expect(elapsed >= 19 * .millisecond)
    }

    @Test("letting go of a source removes it and what it holds")
    func letGo() async {
        let gone = Doorbell()
        await TestLoop.run { [self] in
            let tally = Tally()
            let listener = gone.listen { tally.count += 1 }
            var witness: Witness? = Witness(gone)
            var timer: LoopSource? = .every(.second) { [witness] in _ = witness }
            witness = nil
            await pause(5)
            #expect(tally.count == 0)
            _ = timer
            timer = nil
            while tally.count == 0 { await pause(1) }
            listener.cancel()
        }
    }

    @Test("a source may be let go on any thread; what it holds still goes on the control plane")
    func letGoElsewhere() async {
        let places = Locked<[Bool]>([])
        let source = await TestLoop.run { () -> LoopSource in
            let place = Place(places)
            return .every(.second) { _ = place }
        }
        let holder = Locked<LoopSource?>(source)
        await letGo(consume source, holder)
        #expect(places.wait { $0.isEmpty ? nil : $0 } == [true])
    }

    /// Notes on which thread it goes.
    private final class Place: Sendable {
        let places: Locked<[Bool]>
        init(_ places: Locked<[Bool]>) { self.places = places }
        deinit {
            let isThere = ControlPlane.executor.isIsolatingCurrentContext() == true
            places.change { $0.append(isThere) }
        }
    }

    private func letGo(_ source: consuming LoopSource, _ holder: Locked<LoopSource?>) async {
        let worker = Worker(name: "test")
        worker.run { holder.withLock { $0 = nil } }
        worker.stop()
    }

    @Test("a sleep lasts its time, and ends at once when its task is cancelled")
    func sleeps() async {
        let (slept, cancelled) = await TestLoop.run {
            let start = Monotonic.now()
            await ControlPlane.sleep(for: 10 * .millisecond)
            let middle = Monotonic.now()
            let task = ControlPlane.task { await ControlPlane.sleep(for: 50 * .second) }
            await ControlPlane.sleep(for: .millisecond)
            task.cancel()
            await task.value
            let early = ControlPlane.task { await ControlPlane.sleep(for: 50 * .second) }
            early.cancel()
            await early.value
            return (middle - start, Monotonic.now() - middle)
        }
        #expect(slept >= 9 * .millisecond)
        #expect(cancelled < 10 * .second)
    }

    @Test("a descriptor calls while it can be read")
    func descriptor() async {
        let text = await TestLoop.run { [self] in
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { return "" }
            let reader = ends[0]
            var text = ""
            let source = LoopSource.descriptor(reader, .readable) {
                var byte: UInt8 = 0
                if read(reader, &byte, 1) == 1 { text.unicodeScalars.append(Unicode.Scalar(byte)) }
            }
            await pause(3)
            #expect(text.isEmpty)
            _ = write(ends[1], "room", 4)
            while text.count < 4 { await pause(1) }
            source.cancel()
            close(ends[0])
            close(ends[1])
            return text
        }
        #expect(text == "room")
    }

    @Test("a signal is heard on the control plane")
    func signal() async {
        let count = await TestLoop.run { [self] in
            let tally = Tally()
            let source = LoopSource.signal(SIGUSR2) { tally.count += 1 }
            kill(getpid(), SIGUSR2)
            while tally.count == 0 { await pause(1) }
            source.cancel()
            return tally.count
        }
        #expect(count == 1)
    }

    @Test("a bell that is rung by threads is answered at least once after the last ring")
    func doorbell() async {
        let bell = Doorbell()
        let rings = Locked(0)
        let workers = (0..<2).map { Worker(name: "ringer \($0)") }
        let (seen, answers) = await TestLoop.run { [self] in
            let tally = Tally()
            var seen = 0
            let listener = bell.listen {
                tally.count += 1
                seen = rings.withLock { $0 }
            }
            for worker in workers {
                worker.run {
                    for _ in 0..<500 {
                        rings.withLock { $0 += 1 }
                        bell.ring()
                    }
                }
            }
            while seen < 1000 { await pause(1) }
            listener.cancel()
            return (seen, tally.count)
        }
        #expect(seen == 1000)
        #expect((1...1000).contains(answers))
    }
}
