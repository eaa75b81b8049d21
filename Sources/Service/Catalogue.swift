internal import Basics
internal import Decoding
internal import Glibc
internal import VAP

/// The gifts of a directory by name: `rabbit.mp4` is the gift "rabbit", with `rabbit.json` beside it as its layout
/// when there is one.
///
/// Files are opened when they are first asked for (or by `preload`), on a worker of the catalogue's own, and kept
/// open and parsed until they change, vanish or are the least recently used of too many. On the control plane.
@ControlPlane final class Catalogue {
    /// A gift of the directory and what it is, or why it cannot be played.
    struct Entry: Sendable {
        let name: String
        let animation: Result<Animation, AnimationError>
    }

    private let worker = Worker(name: "catalogue")
    private let shelf: Locked<Shelf>

    init(directory: String) { shelf = Locked(Shelf(directory: directory)) }

    /// The gift of this name as its file is now.
    func animation(_ name: String) async throws(AnimationError) -> Animation {
        guard Self.isGood(name) else {
            throw AnimationError(
                .notFound, "a gift's name has no slash, no control character and no dot in front")
        }
        return try await onShelf { $0.take(name) }.get()
    }

    /// All gifts, sorted by name. Opens those that are not open yet.
    func list() async -> [Entry] {
        await onShelf { shelf in
            shelf.names().map { Entry(name: $0, animation: shelf.take($0)) }
        }
    }

    /// Opens what is there, so that the first gift need not wait, and says what is broken.
    func preload() {
        worker.run { [shelf] in
            let entries = shelf.withLock { shelf in
                shelf.names().map { Entry(name: $0, animation: shelf.take($0)) }
            }
            for entry in entries {
                if case .failure(let error) = entry.animation { Log.warning("gift \(entry.name): \(error)") }
            }
            Log.info("catalogue: \(entries.count { $0.isGood }) of \(entries.count) gifts can be played")
        }
    }

    static func isGood(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 200 && !name.hasPrefix(".")
            && name.unicodeScalars.allSatisfy { $0 != "/" && $0.value >= 32 && $0.value != 127 }
    }

    private func onShelf<R: Sendable>(_ body: @escaping @Sendable (inout Shelf) -> R) async -> R {
        await withCheckedContinuation { continuation in
            worker.run { [shelf] in continuation.resume(returning: shelf.withLock { body(&$0) }) }
        }
    }
}

extension Catalogue.Entry {
    fileprivate var isGood: Bool { if case .success = animation { true } else { false } }
}

/// The open files. On the catalogue's worker alone: everything here blocks on the disk.
private struct Shelf: Sendable {
    private static let capacity = 256

    /// What tells one state of a file from another.
    private struct Stamp: Equatable {
        let inode: UInt64
        let size: Int64
        let seconds, nanoseconds: Int
    }

    private struct Book {
        let stamps: [Stamp?]
        let animation: Result<Animation, AnimationError>
        var lastUse: Int
    }

    let directory: String
    private var books: [String: Book] = [:]
    private var uses = 0

    init(directory: String) { self.directory = directory }

    /// Names of all `*.mp4` of the directory.
    func names() -> [String] {
        guard let folder = opendir(directory) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let file = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if file.hasSuffix(".mp4"), !file.hasPrefix(".") { names.append(String(file.dropLast(4))) }
        }
        return names.sorted()
    }

    mutating func take(_ name: String) -> Result<Animation, AnimationError> {
        uses += 1
        let (path, sidecar) = ("\(directory)/\(name).mp4", "\(directory)/\(name).json")
        let stamps = [Self.stamp(path), Self.stamp(sidecar)]
        if var book = books[name], book.stamps == stamps {
            book.lastUse = uses
            books[name] = book
            return book.animation
        }
        guard stamps[0] != nil else {
            books[name] = nil
            return .failure(AnimationError(.notFound, "there is no gift \"\(name)\" in \(directory)"))
        }
        let animation = Result { () throws(AnimationError) in
            try Animation.open(path: path, sidecar: stamps[1] == nil ? nil : sidecar)
        }
        books[name] = Book(stamps: stamps, animation: animation, lastUse: uses)
        if books.count > Self.capacity, let oldest = books.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            books[oldest.key] = nil
        }
        return animation
    }

    private static func stamp(_ path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }
}
