/// Which gift's time is up next: a binary heap. An entry that its gift has outlived is not looked for but
/// skipped when it comes up, so whoever takes one out compares it with what the gift waits for by then.
struct Deadlines {
    struct Entry: Hashable {
        let time: Int64
        let number: GiftNumber
    }

    private var heap: [Entry] = []

    var first: Entry? { heap.first }
    var count: Int { heap.count }

    mutating func insert(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, heap[child].time < heap[(child - 1) / 2].time {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        sink(from: 0)
    }

    /// Drops all entries but those that are `wanted`: keeps memory in step with the gifts that live.
    mutating func compact(_ wanted: (Entry) -> Bool) {
        heap = Array(Set(heap.filter(wanted)))
        for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(from: index) }
    }

    private mutating func sink(from start: Int) {
        var parent = start
        while true {
            let left = 2 * parent + 1
            guard left < heap.count else { return }
            let right = left + 1
            let least = right < heap.count && heap[right].time < heap[left].time ? right : left
            guard heap[least].time < heap[parent].time else { return }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}
