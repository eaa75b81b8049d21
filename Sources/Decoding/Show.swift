package import Basics
package import Pictures
internal import Synchronization
package import VAP

/// What is on screen now: gifts in the order of z, then of arrival. The control plane adds, removes and hears what
/// became of them; the streaming thread paints.
///
/// The streaming thread changes nothing but a few numbers in each entry, so nothing it has to tell can be lost, and
/// it never frees: a list that it still paints from is kept until it has let go.
package final class Show: Painter {
    package enum Event: Equatable, Sendable {
        /// The first frame that shows the gift, its running time in the program, and the monotonic time at which it
        /// was painted.
        case started(id: UInt64, at: Nanoseconds, paintedAt: Nanoseconds)
        /// Played to its end.
        case finished(id: UInt64)
        /// Off screen, at its end or earlier: something could not be played.
        case failed(id: UInt64, AnimationError)
    }

    private struct Control: Sendable {
        var entries: [ShowEntry] = []
        /// Lists that the streaming thread may be painting from.
        var retired: [[ShowEntry]] = []
    }

    private struct Lists: Sendable {
        var current: [ShowEntry] = []
        /// What the streaming thread paints from now; empty between frames.
        var lent: [ShowEntry] = []
    }

    /// Taken by the control plane alone, and before `lists`.
    private let control = Locked(Control())
    private let lists = Locked(Lists())
    private let showing = Atomic<Int>(0)
    private let hasRetired = Atomic<Bool>(false)
    private let bell = Doorbell()

    package init() {}

    // MARK: Control plane

    /// Puts a gift on screen from the next frame on, or from the first for which its player is ready. A gift of the
    /// same id is taken off. Any thread but the streaming one, as the others here.
    package func add(id: UInt64, player: Player, z: Int) {
        remove(id: id)
        control.withLock { control in
            let entry = ShowEntry(id: id, player: player, z: z)
            let place = control.entries.firstIndex { $0.z > z } ?? control.entries.count
            control.entries.insert(entry, at: place)
            publish(&control)
        }
        showing.add(1, ordering: .acquiringAndReleasing)
    }

    /// Takes a gift off before the next frame and stops its player. Nothing is told of it afterwards.
    package func remove(id: UInt64) {
        let gone = control.withLock { control -> ShowEntry? in
            guard let index = control.entries.firstIndex(where: { $0.id == id }) else { return nil }
            let entry = control.entries.remove(at: index)
            publish(&control)
            return entry
        }
        if let gone { takeOff(gone) }
        collect()
    }

    /// How many gifts are on screen or about to be.
    package var count: Int { control.withLock { $0.entries.count } }

    /// Calls `body` on the control plane with everything that happens on screen, soon after. Keep the source; one
    /// listener.
    @ControlPlane
    package func listen(_ body: @escaping @ControlPlane (Event) -> Void) -> LoopSource {
        bell.listen { [self] in
            for event in drain() { body(event) }
        }
    }

    /// What has happened since the last call. Gifts that are over leave the show here.
    package func drain() -> [Event] {
        let (over, starts) = control.withLock { control -> ([ShowEntry], [Event]) in
            // In this order: whatever is over by now has its start told first.
            let over = control.entries.filter { $0.phase == .over }
            let starts = control.entries.compactMap(Self.start)
            if !over.isEmpty {
                control.entries.removeAll { entry in over.contains { $0 === entry } }
                publish(&control)
            }
            return (over, starts)
        }
        over.forEach(takeOff)
        collect()
        return starts + over.map { Self.end(of: $0) }
    }

    private static func start(of entry: ShowEntry) -> Event? {
        guard entry.phase != .waiting, !entry.isStartTold.exchange(true, ordering: .relaxed) else {
            return nil
        }
        return .started(id: entry.id, at: entry.began.at, paintedAt: entry.began.paintedAt)
    }

    private static func end(of entry: ShowEntry) -> Event {
        entry.player.failure.map { .failed(id: entry.id, $0) } ?? .finished(id: entry.id)
    }

    private func takeOff(_ entry: ShowEntry) {
        if entry.remove() { showing.subtract(1, ordering: .acquiringAndReleasing) }
        entry.player.stop()
    }

    /// Gives the streaming thread the list as it is now.
    private func publish(_ control: inout Control) {
        let new = control.entries
        control.retired.append(
            lists.withLock { lists in
                let old = lists.current
                lists.current = new
                return old
            })
        hasRetired.store(true, ordering: .releasing)
    }

    /// Frees what nobody paints from any more, here and not on the streaming thread.
    private func collect() {
        _ = control.withLock { control -> [[ShowEntry]] in
            guard lists.withLock({ $0.lent.isEmpty }) else { return [] }
            let retired = control.retired
            control.retired = []
            hasRetired.store(false, ordering: .releasing)
            return retired
        }
    }

    // MARK: Streaming thread

    package var isShowing: Bool { showing.load(ordering: .acquiring) > 0 }

    package func paint(on frame: LiveFrame, at time: Nanoseconds) {
        paint(lend(), on: frame, at: time)
        lists.withLock { $0.lent = [] }
        if hasRetired.load(ordering: .acquiring) { bell.ring() }
    }

    private func lend() -> [ShowEntry] {
        lists.withLock { lists in
            lists.lent = lists.current
            return lists.lent
        }
    }

    private func paint(_ entries: [ShowEntry], on frame: LiveFrame, at time: Nanoseconds) {
        // By index: without optimization an array's iterator takes memory from the heap.
        for index in entries.indices {
            let change = entries[index].paint(on: frame, at: time)
            if change == .ended { showing.subtract(1, ordering: .acquiringAndReleasing) }
            if change != .nothing { bell.ring() }
        }
    }
}
