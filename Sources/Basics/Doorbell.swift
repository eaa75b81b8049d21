internal import CGLib
internal import Glibc
internal import Synchronization

/// Calls the control plane from a thread that may neither allocate nor wait: the ring itself is one atomic
/// exchange, and one write to an eventfd when nobody has rung since the last answer.
package final class Doorbell: Sendable {
    private let descriptor: Int32
    private let rung = Atomic<Bool>(false)

    package init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(descriptor >= 0, "no eventfd: too many open files")
    }

    deinit { close(descriptor) }

    /// Any thread, the frame path included. Rings before the answer count as one.
    package func ring() {
        guard !rung.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Calls `body` on the control plane after rings, at least once after the last. The source that is handed
    /// back holds the bell. One listener only.
    @ControlPlane package func listen(_ body: @escaping @ControlPlane () -> Void) -> LoopSource {
        LoopSource.descriptor(descriptor, .readable) { [self] in
            var count: UInt64 = 0
            _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
            // Before the work: a ring from here on is heard again.
            _ = rung.exchange(false, ordering: .acquiringAndReleasing)
            body()
        }
    }
}
