/// Decides which of a player's few prepared pictures is filled, shown and given free. Pure: it knows display indices
/// and no picture.
///
/// One thread fills (`begin`, then `fill`), one shows (`advance`). The shown slot is left alone until a later picture
/// takes its place.
struct PictureWindow {
    static let capacity = 4

    enum Slot: Equatable {
        case free, filling
        case ready(Int), shown(Int)
    }

    /// What a frame shows.
    struct Answer: Equatable {
        /// Nil: nothing has been due yet.
        let slot: Int?
        /// Whether another picture was due and not there. Told once for each picture.
        let isLate: Bool
    }

    /// The last index that there will be.
    private let last: Int
    private(set) var slots = InlineArray<4, Slot>(repeating: .free)
    /// The latest index that was due; nil before the first frame.
    private(set) var due: Int?
    /// The latest index that was filled.
    private(set) var filled: Int?
    private var late: Int?
    private(set) var isAtEnd = false
    /// A worker that is behind skips pictures, but never more than this many in a row: then the viewer sees a slow
    /// animation and not a frozen one.
    private static let patience = 8

    init(last: Int) { self.last = last }

    var isReady: Bool { filled != nil }

    /// Whether no later picture is to come that is due at `index`.
    func isSettled(at index: Int) -> Bool { isAtEnd || filled ?? -1 >= min(index, last) }

    /// Whether the picture just decoded is worth preparing.
    func wants(_ index: Int) -> Bool {
        guard let due, let filled else { return true }
        return index >= due || index - filled >= Self.patience
    }

    /// A slot for the next picture; nil while all are in use.
    mutating func begin() -> Int? {
        for slot in 0..<Self.capacity where slots[slot] == .free {
            slots[slot] = .filling
            return slot
        }
        return nil
    }

    /// The picture in `slot` is prepared. Indices rise.
    mutating func fill(_ slot: Int, with index: Int) {
        slots[slot] = .ready(index)
        filled = index
    }

    /// No picture will follow: from now on the last is held and nothing is late.
    mutating func end() { isAtEnd = true }

    /// Moves on to the latest picture that is due at `index`, and gives the ones before it free.
    mutating func advance(to index: Int) -> Answer {
        let index = max(index, due ?? 0)
        due = index
        var best: (slot: Int, index: Int)?
        for slot in 0..<Self.capacity {
            guard let found = slots[slot].index, found <= index, found > best?.index ?? -1 else { continue }
            best = (slot, found)
        }
        for slot in 0..<Self.capacity {
            guard let best, let found = slots[slot].index, found < best.index else { continue }
            slots[slot] = .free
        }
        if let best { slots[best.slot] = .shown(best.index) }
        return Answer(slot: best?.slot, isLate: isLate(index, shown: best?.index))
    }

    private mutating func isLate(_ index: Int, shown: Int?) -> Bool {
        // Where a later picture is there already, the one that is due was damaged: no time would bring it.
        guard !isAtEnd, index <= last, shown != index else { return false }
        guard filled ?? -1 < index, late ?? -1 < index else { return false }
        late = index
        return true
    }
}

extension PictureWindow.Slot {
    /// The picture in it, if there is a whole one.
    fileprivate var index: Int? {
        switch self {
        case .free, .filling: nil
        case .ready(let index), .shown(let index): index
        }
    }
}
