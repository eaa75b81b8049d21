internal import Basics
internal import CGLib
internal import Glibc

/// Accepts connections on a listening socket, which it owns. When the process has no descriptor left it
/// pauses, so that the loop does not spin on a connection that cannot be taken.
@ControlPlane final class Listener {
    private let descriptor: Int32
    private let name: String
    private let accepted: @ControlPlane (Int32) -> Void
    private var source: LoopSource?
    private var isPaused = false

    private static let pause: Nanoseconds = 250 * .millisecond
    /// Connections a turn of the loop, so that a crowd at the door does not hold up what is inside.
    private static let batch = 16

    /// `accepted` is handed descriptors that do not block, and owns them.
    init(adopting descriptor: Int32, name: String, accepted: @escaping @ControlPlane (Int32) -> Void) {
        self.descriptor = descriptor
        self.name = name
        self.accepted = accepted
        watch()
    }

    deinit { close(descriptor) }

    private func watch() {
        source = .descriptor(descriptor, .readable) { [weak self] in self?.acceptSome() }
    }

    private func acceptSome() {
        for _ in 0..<Self.batch {
            let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            let client = accept4(descriptor, nil, nil, flags)
            guard client < 0 else {
                isPaused = false
                accepted(client)
                continue
            }
            switch errno {
            case EAGAIN: return
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return rest(errno)
            default: continue
            }
        }
    }

    private func rest(_ code: Int32) {
        if !isPaused {
            Log.warning(
                "\(name): cannot accept: \(String(cString: strerror(code))): trying again until it works")
        }
        isPaused = true
        source = .after(Self.pause) { [weak self] in self?.watch() }
    }
}
