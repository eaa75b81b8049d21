import Basics
import Foundation
import Synchronization
import Testing

@Suite("Control plane", .timeLimit(.minutes(1)))
struct ControlPlaneTests {
    private actor Elsewhere {
        func thread() -> UInt { UInt(pthread_self()) }
    }

    @ControlPlane private final class Tally {
        var count = 0
    }

    @Test("runs every part of a task on the one thread of the main loop")
    func oneThread() async {
        let elsewhere = Elsewhere()
        let threads = await TestLoop.run {
            var threads: [UInt] = [UInt(pthread_self())]
            await Task.yield()
            threads.append(UInt(pthread_self()))
            threads.append(await elsewhere.thread())
            threads.append(UInt(pthread_self()))
            try? await Task.sleep(for: .milliseconds(2))
            threads.append(UInt(pthread_self()))
            return threads
        }
        #expect(Set(threads).count == 1)
        #expect(await elsewhere.thread() != threads[0] || Thread.isMainThread)
    }

    @Test("hands back what the task answers")
    func answers() async {
        #expect(await TestLoop.run { 6 * 7 } == 42)
    }

    @Test("keeps the order of jobs that other threads add")
    func order() async {
        let seen = Locked<[Int]>([])
        let last = await TestLoop.run { () -> Task<Void, Never> in
            var task = ControlPlane.task {}
            for number in 0..<100 {
                task = ControlPlane.task { seen.withLock { $0.append(number) } }
            }
            return task
        }
        await last.value
        #expect(seen.withLock { $0 } == Array(0..<100))
    }

    @Test("lets a timer through while a task yields without end")
    func fairness() async {
        let fired = await TestLoop.run {
            let tally = Tally()
            let timer = LoopSource.every(.millisecond) { tally.count += 1 }
            while tally.count < 3 { await Task.yield() }
            timer.cancel()
            return tally.count
        }
        #expect(fired >= 3)
    }

    @Test("stops the process when isolation is assumed on another thread")
    func isolation() async {
        await #expect(processExitsWith: .failure) {
            ControlPlane.assumeIsolated {}
        }
    }

    @Test("belongs to the thread that acquires it, before the loop runs")
    func acquired() async {
        await #expect(processExitsWith: .exitCode(7)) {
            guard MainLoop.acquire() else { exit(1) }
            let value = ControlPlane.assumeIsolated(6) { $0 + 1 }
            exit(Int32(value))
        }
    }

    @Test("ends the loop when it is told to, also when that comes first")
    func quits() async {
        await #expect(processExitsWith: .exitCode(5)) {
            MainLoop.quit()
            MainLoop.run()
            ControlPlane.task { MainLoop.quit() }
            MainLoop.run()
            exit(5)
        }
    }
}
