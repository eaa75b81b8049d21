internal import Basics

/// Remembers when the last frames entered a stage, by their stamp, so that the stage's latency can be told when they
/// leave it. Fixed size: what never leaves is overwritten. Any thread; no allocation after `init`.
final class StampTable: Sendable {
    struct Entry {
        var stamp: Nanoseconds = .min
        var times: (Nanoseconds, Nanoseconds) = (0, 0)
    }

    private static let capacity = 128

    private struct Table {
        var entries = [Entry](repeating: Entry(), count: StampTable.capacity)
        var next = 0
    }

    private let table = Locked(Table())

    /// A frame entered the stage at `entered`; its packet had come at `arrived`.
    func note(_ stamp: Nanoseconds, entered: Nanoseconds, arrived: Nanoseconds) {
        table.withLock { table in
            table.entries[table.next] = Entry(stamp: stamp, times: (entered, arrived))
            table.next = (table.next + 1) % Self.capacity
        }
    }

    /// When the frame entered and when its packet came; nil for frames that were never noted.
    func take(_ stamp: Nanoseconds) -> (entered: Nanoseconds, arrived: Nanoseconds)? {
        table.withLock { table in
            guard let index = table.entries.firstIndex(where: { $0.stamp == stamp }) else { return nil }
            table.entries[index].stamp = .min
            return table.entries[index].times
        }
    }
}
