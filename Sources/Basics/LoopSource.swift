internal import CGLib

/// Something the main loop watches: a timer, a signal, a descriptor. Keep it: it is removed when it is
/// cancelled or let go, and from then on its closure is not called again. What the closure captures is
/// released with it.
@ControlPlane package final class LoopSource {
    // A reference of our own; GLib's functions on it may be called on any thread, `deinit`'s included.
    private nonisolated(unsafe) let raw: UnsafeMutablePointer<GSource>

    /// What a descriptor is watched for. Errors and hang-ups count as both.
    package enum Readiness { case readable, writable }

    /// Calls `body` every `interval` (whole milliseconds, at least one). Missed ticks are not made up.
    package static func every(
        _ interval: Nanoseconds, _ body: @escaping @ControlPlane () -> Void
    ) -> LoopSource {
        let source = g_timeout_source_new(milliseconds(interval))
        return LoopSource(adopting: source, repeats: true, body)
    }

    /// Calls `body` once, `delay` from now.
    package static func after(
        _ delay: Nanoseconds, _ body: @escaping @ControlPlane () -> Void
    ) -> LoopSource {
        let source = g_timeout_source_new(milliseconds(delay))
        return LoopSource(adopting: source, repeats: false, body)
    }

    /// Calls `body` for every signal of this number: HUP, INT, TERM, USR1, USR2 or WINCH, no other.
    package static func signal(
        _ number: Int32, _ body: @escaping @ControlPlane () -> Void
    ) -> LoopSource {
        LoopSource(adopting: g_unix_signal_source_new(number), repeats: true, body)
    }

    /// Calls `body` while the descriptor is ready. The descriptor stays the caller's and must outlive this.
    package static func descriptor(
        _ descriptor: Int32, _ readiness: Readiness, _ body: @escaping @ControlPlane () -> Void
    ) -> LoopSource {
        let ready = readiness == .readable ? G_IO_IN : G_IO_OUT
        let condition = GIOCondition(rawValue: ready.rawValue | G_IO_ERR.rawValue | G_IO_HUP.rawValue)
        let source = g_unix_fd_source_new(descriptor, condition)
        let callback: GUnixFDSourceFunc = { _, _, data in LoopSource.fire(data) }
        return LoopSource(
            adopting: source, repeats: true, unsafeBitCast(callback, to: GSourceFunc.self), body)
    }

    private convenience init(
        adopting source: UnsafeMutablePointer<GSource>?, repeats: Bool,
        _ body: @escaping @ControlPlane () -> Void
    ) {
        self.init(adopting: source, repeats: repeats, { data in LoopSource.fire(data) }, body)
    }

    private init(
        adopting source: UnsafeMutablePointer<GSource>?, repeats: Bool, _ callback: GSourceFunc?,
        _ body: @escaping @ControlPlane () -> Void
    ) {
        guard let source else { preconditionFailure("the main loop made no source") }
        raw = source
        LoopSource.attach(source, callback, Handler(repeats: repeats, body))
    }

    deinit {
        g_source_destroy(raw)
        g_source_unref(raw)
    }

    package func cancel() { g_source_destroy(raw) }

    /// Not isolated, since the literal in it must not be: a source may be let go on any thread.
    private nonisolated static func attach(
        _ source: UnsafeMutablePointer<GSource>, _ callback: GSourceFunc?, _ handler: Handler
    ) {
        g_source_set_callback(
            source, callback, Unmanaged.passRetained(handler).toOpaque(),
            { if let data = $0 { Handler.release(data) } })
        g_source_attach(source, nil)
    }

    private nonisolated static func fire(_ data: gpointer?) -> gboolean {
        guard let data else { return 0 }
        let handler = Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue()
        return ControlPlane.assumeIsolated {
            handler.body()
            return handler.repeats ? 1 : 0
        }
    }

    private static func milliseconds(_ time: Nanoseconds) -> guint {
        guint(clamping: max(1, time / .millisecond))
    }
}

/// What a source calls; GLib holds it until the source is destroyed.
private final class Handler: Sendable {
    let repeats: Bool
    let body: @ControlPlane () -> Void

    init(repeats: Bool, _ body: @escaping @ControlPlane () -> Void) {
        self.repeats = repeats
        self.body = body
    }

    /// What the closure holds belongs to the control plane and goes there: now, or on the loop's next turn.
    static func release(_ data: gpointer) {
        let handler = Unmanaged<Handler>.fromOpaque(data)
        if ControlPlane.executor.isIsolatingCurrentContext() == true {
            handler.release()
        } else {
            ControlPlane.task { handler.release() }
        }
    }
}
