internal import Basics
internal import Decoding
internal import FoundationEssentials
internal import Glibc
internal import VAP

/// The gifts of a directory by name: `rabbit.mp4` is the gift "rabbit", with `rabbit.json` beside it as its layout
/// when there is one.
///
/// A file is opened when it is first asked for, and kept open and parsed until it changes or vanishes, or is the
/// least recently used of too many. Whether it has changed is looked up at every turn. All of this happens on a
/// worker of the catalogue's own; the control plane never waits for the disk.
@ControlPlane final class Catalogue {
    /// A gift of the directory, or why it cannot be played.
    struct Entry: Sendable {
        let name: String
        let animation: Result<Animation, AnimationError>
    }

    private let directory: String
    private let worker = Worker(name: "catalogue")
    private let shelf: Locked<Shelf>

    init(directory: String) {
        self.directory = directory
        shelf = Locked(Shelf(directory: directory))
    }

    /// The gift of this name as its file is now.
    func animation(_ name: String) async throws(AnimationError) -> Animation {
        guard Self.isGood(name) else {
            throw AnimationError(
                .notFound,
                "a gift's name has 1 to 200 bytes, no slash or control character and no dot in front")
        }
        return try await onWorker { $0.take(name) }.get()
    }

    /// All gifts by name, those that cannot be played too. Opens what is not open yet, one file at a time: a gift
    /// that is asked for meanwhile waits for one file and not for all.
    func list() async -> [Entry] {
        var entries: [Entry] = []
        for name in await names() {
            entries.append(Entry(name: name, animation: await onWorker { $0.take(name) }))
        }
        return entries
    }

    /// Opens what is there, so that the first gift need not wait for the disk, and logs what is broken.
    func preload() {
        ControlPlane.task { [self] in
            let entries = await list()
            for entry in entries {
                if case .failure(let error) = entry.animation { Log.warning("gift \(entry.name): \(error)") }
            }
            let count = entries.count { (try? $0.animation.get()) != nil }
            Log.info("gifts in \(directory): \(count) of \(entries.count) can be played")
        }
    }

    /// Whether a name stays inside the directory, and inside one line.
    nonisolated static func isGood(_ name: String) -> Bool {
        (1...200).contains(name.utf8.count) && !name.hasPrefix(".")
            && name.unicodeScalars.allSatisfy { $0 != "/" && $0.properties.generalCategory != .control }
    }

    private func names() async -> [String] {
        let directory = directory
        return await onWorker { _ in
            let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            return files.filter { $0.hasSuffix(".mp4") }.map { String($0.dropLast(4)) }.filter(Self.isGood)
                .sorted()
        }
    }

    private func onWorker<R: Sendable>(_ body: @escaping @Sendable (inout Shelf) -> R) async -> R {
        await withCheckedContinuation { continuation in
            worker.run { [shelf] in continuation.resume(returning: shelf.withLock { body(&$0) }) }
        }
    }
}

/// The open files. Everything here may block on the disk.
private struct Shelf: Sendable {
    /// Files that are kept open; each takes a descriptor and some kilobytes.
    private static let capacity = 256

    /// What tells one state of a file from another.
    private struct Stamp: Equatable {
        let inode: UInt64
        let size: Int64
        let seconds, nanoseconds: Int

        /// Nil when there is no such file.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            inode = UInt64(status.st_ino)
            size = Int64(status.st_size)
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }
    }

    private struct Book {
        let movie: Stamp
        let sidecar: Stamp?
        let animation: Result<Animation, AnimationError>
        var lastUse: Int
    }

    private let directory: String
    private var books: [String: Book] = [:]
    private var uses = 0

    init(directory: String) { self.directory = directory }

    /// The gift of a name that is good, opened anew when its file or its sidecar is another than before.
    mutating func take(_ name: String) -> Result<Animation, AnimationError> {
        uses += 1
        let (path, side) = ("\(directory)/\(name).mp4", "\(directory)/\(name).json")
        guard let movie = Stamp(path) else {
            books[name] = nil
            return .failure(AnimationError(.notFound, "there is no gift \"\(name)\""))
        }
        let sidecar = Stamp(side)
        if let book = books[name], book.movie == movie, book.sidecar == sidecar {
            books[name]?.lastUse = uses
            return book.animation
        }
        let animation = Result { () throws(AnimationError) in
            try Animation.open(path: path, sidecar: sidecar == nil ? nil : side)
        }
        books[name] = Book(movie: movie, sidecar: sidecar, animation: animation, lastUse: uses)
        makeRoom()
        return animation
    }

    private mutating func makeRoom() {
        guard books.count > Self.capacity,
            let oldest = books.min(by: { $0.value.lastUse < $1.value.lastUse })
        else { return }
        books[oldest.key] = nil
    }
}
