/// Values worth keeping, up to a number of bytes: the one that was used longest ago goes first. Pure; the owner knows
/// the time. One thread.
package struct ByteCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let value: Value
        let byteCount: Int
        let expiry: Nanoseconds
        var lastUse: Int
    }

    /// Values more than which are not kept, however small they are.
    private static var countLimit: Int { 4096 }

    package let limit: Int
    package private(set) var byteCount = 0
    private var entries: [Key: Entry] = [:]
    private var uses = 0

    package init(limit: Int) { self.limit = limit }

    package var count: Int { entries.count }

    /// The value of a key, unless it has expired by `now`.
    package mutating func value(_ key: Key, at now: Nanoseconds = 0) -> Value? {
        guard let entry = entries[key] else { return nil }
        guard entry.expiry > now else {
            remove(key)
            return nil
        }
        uses += 1
        entries[key]?.lastUse = uses
        return entry.value
    }

    /// Keeps a value until `expiry`. One that is larger than the whole cache is not kept.
    package mutating func keep(
        _ value: Value, _ key: Key, byteCount: Int, until expiry: Nanoseconds = .max
    ) {
        remove(key)
        guard byteCount <= limit else { return }
        uses += 1
        entries[key] = Entry(value: value, byteCount: byteCount, expiry: expiry, lastUse: uses)
        self.byteCount += byteCount
        while self.byteCount > limit || entries.count > Self.countLimit {
            guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
            remove(oldest.key)
        }
    }

    private mutating func remove(_ key: Key) {
        if let entry = entries.removeValue(forKey: key) { byteCount -= entry.byteCount }
    }
}
