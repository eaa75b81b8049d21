/// What is odd about a file that plays all the same. Bounded: the same oddity a thousand times is one line.
struct Warnings {
    private var counts: [String: Int] = [:]
    private var order: [String] = []
    private var left = 0

    mutating func add(_ text: String) {
        if let count = counts[text] {
            counts[text] = count + 1
        } else if order.count < Limits.warnings {
            counts[text] = 1
            order.append(text)
        } else {
            left += 1
        }
    }

    var lines: [String] {
        let lines = order.map { text in
            let count = counts[text, default: 1]
            return count > 1 ? "\(text) (\(count) times)" : text
        }
        return left > 0 ? lines + ["\(left) more warnings"] : lines
    }
}
