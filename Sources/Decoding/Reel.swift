internal import Basics
internal import Pictures

/// All pictures of an animation, prepared for one place and packed: it plays without decoding. Immutable.
final class Reel: Sendable {
    /// By display index.
    private let pictures: [SparsePicture]

    init(_ pictures: [SparsePicture]) { self.pictures = pictures }

    /// Draws the picture with this index, the last one beyond. Streaming thread: allocates nothing.
    func paint(_ index: Int, on frame: LiveFrame) {
        pictures[min(max(index, 0), pictures.count - 1)].blend(onto: frame)
    }
}

/// A reel that a player uses; while it does, the cache keeps it.
final class ReelLease: Sendable {
    let reel: Reel
    private let onRelease: @Sendable () -> Void

    init(_ reel: Reel, onRelease: @escaping @Sendable () -> Void) {
        self.reel = reel
        self.onRelease = onRelease
    }

    deinit { onRelease() }
}

/// A reel in the making, beside a first play that the cache gave leave to record. The player's worker alone; let go
/// unfinished it leaves nothing.
final class ReelRecorder {
    private let count: Int
    private let cache: ReelCache
    private let key: ReelKey
    private let storage = SparseStorage()
    private var pictures: [SparsePicture] = []
    private var isRecording = true
    /// The thread's processor time up to which the work is told.
    private var told = Monotonic.threadTime()

    init(_ key: ReelKey, in cache: ReelCache, count: Int) {
        self.key = key
        self.cache = cache
        self.count = count
    }

    deinit { if isRecording { cache.abandoned(key) } }

    /// Adds the picture with this display index, which this thread has made since the one before; the last one makes
    /// the reel. A gap, or no room for more, ends the recording.
    func append(_ picture: Picture, index: Int) {
        guard isRecording else { return }
        guard index == pictures.count else { return abandon() }
        let (before, worked) = (storage.byteCount, Monotonic.threadTime())
        pictures.append(SparsePicture(picture, in: storage))
        let done = Double(pictures.count) / Double(count)
        let isGranted = cache.grew(
            key, by: storage.byteCount - before, seconds: (worked - told).seconds, done: done)
        told = worked
        guard isGranted else { return leave() }
        guard pictures.count == count else { return }
        cache.finished(key, Reel(pictures))
        leave()
    }

    /// The play was not what the file holds.
    func abandon() {
        guard isRecording else { return }
        cache.abandoned(key)
        leave()
    }

    private func leave() {
        isRecording = false
        pictures = []
    }
}
