/// What is odd about a file that plays all the same. The same oddity a thousand times is one line: what is
/// added are sentences of ours and never texts of the file, so there are few.
struct Warnings {
    private var counts: [String: Int] = [:]
    private var order: [String] = []

    mutating func add(_ text: String) {
        if counts.updateValue(counts[text, default: 0] + 1, forKey: text) == nil { order.append(text) }
    }

    var lines: [String] {
        order.map { text in
            let count = counts[text, default: 1]
            return count > 1 ? "\(text) (\(count) times)" : text
        }
    }
}
