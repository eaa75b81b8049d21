import Basics
import Foundation
import Testing

@Suite("Worker", .timeLimit(.minutes(1)))
struct WorkerTests {
    @Test("runs its jobs in order on one thread of that name")
    func order() {
        let seen = Locked<[(Int, UInt)]>([])
        let names = Locked<[String]>([])
        let worker = Worker(name: "a name beyond fifteen bytes")
        for number in 0..<200 {
            worker.run { seen.withLock { $0.append((number, UInt(pthread_self()))) } }
        }
        worker.run {
            let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            names.withLock { $0.append(name ?? "") }
        }
        worker.stop()
        let all = seen.withLock { $0 }
        #expect(all.map(\.0) == Array(0..<200))
        #expect(Set(all.map(\.1)).count == 1)
        #expect(names.withLock { $0 } == ["a name beyond f\n"])
    }

    @Test("does what it was given before it stops, and nothing after")
    func stops() {
        let count = Locked(0)
        let worker = Worker(name: "test")
        worker.run {
            usleep(5_000)
            count.withLock { $0 += 1 }
        }
        worker.run { count.withLock { $0 += 1 } }
        worker.stop()
        worker.stop()
        worker.run { count.withLock { $0 += 1 } }
        #expect(count.withLock { $0 } == 2)
    }

    @Test("may be stopped, and let go, by its own job")
    func ownThread() {
        let done = Locked(false)
        let holder = Locked<Worker?>(Worker(name: "test"))
        holder.withLock { $0 }?.run {
            holder.withLock { $0 }?.stop()
            holder.withLock { $0 = nil }
            done.change { $0 = true }
        }
        _ = done.wait { $0 ? true : nil }
        #expect(holder.withLock { $0 == nil })
    }

    @Test("ends its thread when it is let go")
    func letGo() {
        let count = Locked(0)
        do {
            let worker = Worker(name: "test")
            worker.run { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 1)
    }
}

@Suite("Locked", .timeLimit(.minutes(1)))
struct LockedTests {
    @Test("a wait ends when another thread changes the value")
    func waits() {
        let value = Locked(0)
        let worker = Worker(name: "test")
        worker.run { value.change { $0 = 3 } }
        #expect(value.wait { $0 == 3 ? $0 : nil } == 3)
        worker.stop()
    }

    @Test("a wait with a deadline gives up, not before it")
    func deadline() {
        let value = Locked(0)
        let start = Monotonic.now()
        let answer = value.wait(deadline: start + 10 * .millisecond) { $0 == 1 ? $0 : nil }
        #expect(answer == nil)
        #expect(Monotonic.now() - start >= 10 * .millisecond)
        #expect(value.wait(deadline: 0) { $0 == 0 ? "now" : nil } == "now")
        #expect(value.wait(deadline: .min) { $0 == 1 ? "never" : nil } == nil)
    }

    @Test("counts exactly under contention")
    func contention() {
        let value = Locked(0)
        let workers = (0..<4).map { Worker(name: "test \($0)") }
        for worker in workers {
            worker.run { for _ in 0..<1000 { value.withLock { $0 += 1 } } }
        }
        for worker in workers { worker.stop() }
        #expect(value.withLock { $0 } == 4000)
    }
}

@Suite("Time")
struct TimeTests {
    @Test(
        "seconds become nanoseconds without a trap",
        arguments: [
            (0.5, 500_000_000), (-1, -1_000_000_000), (1e300, Nanoseconds.max), (-1e300, .min), (.nan, 0),
            (.infinity, .max),
        ])
    func seconds(seconds: Double, expected: Nanoseconds) {
        #expect(Nanoseconds(seconds: seconds) == expected)
    }

    @Test("the clock never goes back")
    func monotonic() {
        let first = Monotonic.now()
        #expect(Monotonic.now() >= first)
        #expect((1_500 * Nanoseconds.millisecond).seconds == 1.5)
    }
}
