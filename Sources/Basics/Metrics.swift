internal import Synchronization

/// A number that only rises. Any thread; takes no lock and allocates nothing.
package final class Counter: Sendable {
    private let cell = Atomic<Int>(0)

    package func add(_ count: Int = 1) { cell.wrappingAdd(count, ordering: .relaxed) }
    package var value: Int { cell.load(ordering: .relaxed) }
}

/// A number that rises and falls. Any thread; takes no lock and allocates nothing.
package final class Gauge: Sendable {
    private let cell = Atomic<UInt64>(0)

    package func set(_ value: Double) { cell.store(value.bitPattern, ordering: .relaxed) }

    package func add(_ difference: Double) {
        var old = cell.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + difference).bitPattern
            let result = cell.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if result.exchanged { return }
            old = result.original
        }
    }

    package var value: Double { Double(bitPattern: cell.load(ordering: .relaxed)) }
}

/// Durations counted by fixed bounds. Any thread; takes no lock and allocates nothing.
package final class Histogram: Sendable {
    /// From a millisecond to ten seconds: what a viewer, a frame or a file may take.
    package static let latencyBounds = [
        0.001, 0.0025, 0.005, 0.01, 0.02, 0.033, 0.05, 0.067, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    /// Upper bounds in seconds, rising.
    package let bounds: [Double]
    private let cells: [Counter]
    private let sum = Counter()

    init(bounds: [Double]) {
        self.bounds = bounds
        cells = (0...bounds.count).map { _ in Counter() }
    }

    /// Counts one duration. It is taken into 0 ... 86400; what is not a number is ignored.
    package func observe(seconds: Double) {
        guard !seconds.isNaN else { return }
        let seconds = min(max(seconds, 0), 86_400)
        var index = 0
        while index < bounds.count, seconds > bounds[index] { index += 1 }
        cells[index].add()
        sum.add(Int(seconds * 1e9))
    }

    /// What was counted: per bound and beyond, not accumulated, and the sum in seconds. Not one snapshot.
    package var counts: [Int] { cells.map(\.value) }
    package var sumOfSeconds: Double { Double(sum.value) / 1e9 }

    /// The bound under which `share` (0 ... 1) of all observations lie; infinity beyond the last, nil when
    /// there are none.
    package func quantileBound(_ share: Double) -> Double? {
        let counts = counts
        let total = counts.reduce(0, +)
        guard total > 0 else { return nil }
        var seen = 0
        for (index, bound) in bounds.enumerated() {
            seen += counts[index]
            if Double(seen) >= share * Double(total) { return bound }
        }
        return .infinity
    }
}
