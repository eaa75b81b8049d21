internal import Basics
internal import CSystemd

/// What systemd is told about the service; nothing happens when it is not there. On the control plane.
@ControlPlane final class Systemd {
    private let isAlive: @ControlPlane () -> Bool
    private var timer: LoopSource?

    /// `isAlive` says whether the frame loop has advanced: only then the watchdog is fed.
    init(isAlive: @escaping @ControlPlane () -> Bool) { self.isAlive = isAlive }

    func ready(_ status: String) {
        sd_notify(0, "READY=1\nSTATUS=\(status)")
        var limit: UInt64 = 0
        guard sd_watchdog_enabled(0, &limit) > 0 else { return }
        let period = Nanoseconds(clamping: limit) * 1000 / 3
        timer = .every(period) { [weak self] in self?.feedWatchdog() }
    }

    func stopping() { sd_notify(0, "STOPPING=1\nSTATUS=stopping\nEXTEND_TIMEOUT_USEC=10000000") }

    private func feedWatchdog() {
        if isAlive() { sd_notify(0, "WATCHDOG=1") }
    }
}
