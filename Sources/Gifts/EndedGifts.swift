/// The last gifts that ended, so that an id sent again is answered and not played again. Bounded: the oldest
/// go.
struct EndedGifts {
    struct Record {
        let number: GiftNumber
        let lane: String
        let outcome: Outcome
    }

    private let capacity: Int
    private var records: [String: Record] = [:]
    /// Ids in the order of their ends; a ring once it is full.
    private var order: [String] = []
    private var oldest = 0

    init(capacity: Int) { self.capacity = max(capacity, 1) }

    subscript(id: String) -> Record? { records[id] }

    /// The id must not be known yet.
    mutating func remember(_ id: String, _ record: Record) {
        records[id] = record
        if order.count < capacity {
            order.append(id)
        } else {
            records[order[oldest]] = nil
            order[oldest] = id
            oldest = (oldest + 1) % capacity
        }
    }
}
