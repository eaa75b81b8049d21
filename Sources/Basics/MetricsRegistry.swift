/// All numbers of the process and their text for Prometheus. Any thread; keep the cells, asking takes a lock.
package final class MetricsRegistry: Sendable {
    package typealias Labels = [(String, String)]

    private enum Cell {
        case counter(Counter)
        case gauge(Gauge)
        case histogram(Histogram)

        var type: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    private struct Family {
        let help: String
        let type: String
        /// By the labels as they are written, `a="b",c="d"`.
        var cells: [String: Cell] = [:]
    }

    private let families = Locked<[String: Family]>([:])

    package init() {}

    /// The counter of this name and these labels; its name ends in `_total`.
    package func counter(_ name: String, help: String, labels: Labels = []) -> Counter {
        guard case .counter(let cell) = cell(name, help, labels, make: { .counter(Counter()) }) else {
            preconditionFailure("\(name) is not a counter")
        }
        return cell
    }

    package func gauge(_ name: String, help: String, labels: Labels = []) -> Gauge {
        guard case .gauge(let cell) = cell(name, help, labels, make: { .gauge(Gauge()) }) else {
            preconditionFailure("\(name) is not a gauge")
        }
        return cell
    }

    /// The histogram of this name and these labels; its name ends in `_seconds`. The bounds of the first
    /// call with the same name and labels hold.
    package func histogram(
        _ name: String, help: String, bounds: [Double] = Histogram.latencyBounds, labels: Labels = []
    ) -> Histogram {
        guard
            case .histogram(let cell) = cell(
                name, help, labels, make: { .histogram(Histogram(bounds: bounds)) })
        else { preconditionFailure("\(name) is not a histogram") }
        return cell
    }

    /// The text of all metrics in Prometheus' format 0.0.4, sorted by name and labels.
    package func exposition() -> String {
        let families = families.withLock { $0 }
        var out = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            out += "# HELP \(name) \(escaped(family.help))\n# TYPE \(name) \(family.type)\n"
            for (labels, cell) in family.cells.sorted(by: { $0.key < $1.key }) {
                write(cell, name, labels, to: &out)
            }
        }
        return out
    }

    private func cell(_ name: String, _ help: String, _ labels: Labels, make: () -> Cell) -> Cell {
        let key = labels.map { "\($0.0)=\"\(escaped($0.1, quotes: true))\"" }.joined(separator: ",")
        return families.withLock { families in
            if let cell = families[name]?.cells[key] { return cell }
            let cell = make()
            let family = families[name] ?? Family(help: help, type: cell.type)
            precondition(family.type == cell.type, "\(name) is a \(family.type) already")
            families[name] = family
            families[name]?.cells[key] = cell
            return cell
        }
    }

    private func write(_ cell: Cell, _ name: String, _ labels: String, to out: inout String) {
        let braced = labels.isEmpty ? "" : "{\(labels)}"
        switch cell {
        case .counter(let counter): out += "\(name)\(braced) \(counter.value)\n"
        case .gauge(let gauge): out += "\(name)\(braced) \(gauge.value)\n"
        case .histogram(let histogram):
            let prefix = labels.isEmpty ? "" : labels + ","
            var total = 0
            for (bound, count) in zip(histogram.bounds.map { "\($0)" } + ["+Inf"], histogram.counts) {
                total += count
                out += "\(name)_bucket{\(prefix)le=\"\(bound)\"} \(total)\n"
            }
            out += "\(name)_sum\(braced) \(histogram.sumOfSeconds)\n\(name)_count\(braced) \(total)\n"
        }
    }

    private func escaped(_ text: String, quotes: Bool = false) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\"" where quotes: out += "\\\""
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}
