internal import Basics
internal import Synchronization

/// A list that one streaming thread goes through while others change it. The streaming thread takes no memory and
/// frees none: a list that it may still be using is kept until it has let go.
final class LentList<Element: AnyObject & Sendable>: Sendable {
    private struct Lists: Sendable {
        var current: [Element] = []
        /// What the streaming thread goes through now; empty in between.
        var lent: [Element] = []
    }

    private struct Control: Sendable {
        var elements: [Element] = []
        var retired: [[Element]] = []
    }

    /// Taken before `lists`, and never by the streaming thread.
    private let control = Locked(Control())
    private let lists = Locked(Lists())
    private let retiredCount = Atomic<Int>(0)
    private let currentCount = Atomic<Int>(0)

    /// Any thread.
    var count: Int { currentCount.load(ordering: .acquiring) }
    /// Whether `collect` has something to do. Any thread.
    var hasRetired: Bool { retiredCount.load(ordering: .acquiring) > 0 }

    /// Any thread but the streaming one, as the two below.
    func append(_ element: Element) { replace { $0.append(element) } }

    /// Takes out what `isGone` says, and answers it.
    func remove(_ isGone: (Element) -> Bool) -> [Element] {
        var gone: [Element] = []
        replace { elements in
            gone = elements.filter(isGone)
            if !gone.isEmpty { elements.removeAll { element in gone.contains { $0 === element } } }
        }
        return gone
    }

    /// Frees what nobody uses any more.
    func collect() {
        _ = control.withLock { control -> [[Element]] in
            guard lists.withLock({ $0.lent.isEmpty }) else { return [] }
            let retired = control.retired
            control.retired = []
            retiredCount.store(0, ordering: .releasing)
            return retired
        }
    }

    private func replace(_ change: (inout [Element]) -> Void) {
        control.withLock { control in
            let count = control.elements.count
            change(&control.elements)
            guard control.elements.count != count else { return }
            let new = control.elements
            control.retired.append(
                lists.withLock { lists in
                    let old = lists.current
                    lists.current = new
                    return old
                })
            retiredCount.store(control.retired.count, ordering: .releasing)
            currentCount.store(new.count, ordering: .releasing)
        }
        collect()
    }

    /// The list as it is now, until it is given back. Streaming thread.
    func lend() -> [Element] {
        lists.withLock { lists in
            lists.lent = lists.current
            return lists.lent
        }
    }

    /// Streaming thread.
    func giveBack() { lists.withLock { $0.lent = [] } }
}
