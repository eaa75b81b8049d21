/// Numbers and tables for people.
enum Text {
    /// With at most so many digits behind the point, none that say nothing.
    static func number(_ value: Double, digits: Int) -> String {
        guard value.isFinite, value.magnitude < 1e15 else { return "\(value)" }
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let rounded = (value * scale).rounded() / scale
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }

    /// `1 frame`, `2 frames`
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// `0 B`, `12 kB`, `3.4 MB`
    static func bytes(_ count: Int) -> String {
        var (value, unit) = (Double(count), 0)
        let units = ["B", "kB", "MB", "GB", "TB"]
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return "\(number(value, digits: value < 10 ? 1 : 0)) \(units[unit])"
    }

    /// `12 s`, `3 min 20 s`, `4 h 5 min`, `2 d 3 h`
    static func duration(_ seconds: Double) -> String {
        guard seconds >= 60 else { return "\(number(max(seconds, 0), digits: 1)) s" }
        let whole = Int(min(seconds, 1e12))
        let steps = [(86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")]
        for (size, unit, part, small) in steps where whole >= size {
            return "\(whole / size) \(unit) \(whole % size / part) \(small)"
        }
        return "\(whole) s"
    }

    /// Columns as wide as their widest cell, two spaces apart; no line ends in spaces.
    static func table(_ rows: [[String]]) -> String {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let filled = row.lastIndex { !$0.isEmpty }.map { row[...$0] } ?? []
            let cells = filled.enumerated().map { column, cell in
                column == filled.count - 1 ? cell : cell + spaces(widths[column] - cell.count)
            }
            return cells.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(count, 0)) }
}
