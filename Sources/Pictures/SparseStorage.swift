internal import Glibc

/// Memory that sparse pictures are packed into, one behind the other: whole pages from the system, which go back to it
/// with the last picture in them and leave no holes in the heap. One thread takes; a picture keeps what it lies in.
package final class SparseStorage {
    /// Some pages, for one picture or many.
    // Unchecked: raw memory; who writes where is the storage's and the pictures' business.
    final class Slab: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        let byteCount: Int

        init(byteCount: Int) {
            self.byteCount = byteCount
            guard
                let start = mmap(
                    nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                start != MAP_FAILED
            else { fatalError("out of memory") }
            self.start = start
        }

        deinit { munmap(start, byteCount) }
    }

    private static let least = 4 << 20
    private static let page = 4096
    private static let alignment = 64
    private var slab: Slab?
    private var used = 0
    /// Bytes taken so far. Pages that nothing was written to take no memory.
    package private(set) var byteCount = 0

    package init() {}

    func take(_ count: Int) -> (Slab, UnsafeMutableRawPointer) {
        let slab: Slab
        if let current = self.slab, current.byteCount - used >= count {
            slab = current
        } else {
            let pages = (max(count, Self.least) + Self.page - 1) / Self.page
            slab = Slab(byteCount: pages * Self.page)
            (self.slab, used) = (slab, 0)
        }
        let taken = (count + Self.alignment - 1) / Self.alignment * Self.alignment
        defer {
            used += taken
            byteCount += taken
        }
        return (slab, slab.start + used)
    }
}
