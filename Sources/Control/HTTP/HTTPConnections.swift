internal import Basics
internal import CGLib

/// The connections that libsoup has been handed. libsoup has no time-outs, so each gets one deadline for all
/// of it, request and answer; and when there are too many, the oldest goes: honest ones last milliseconds.
@ControlPlane final class HTTPConnections {
    private struct Connection {
        // A reference of our own: the socket can still be asked whether libsoup has closed it.
        let socket: UnsafeMutablePointer<GSocket>
        let deadline: Nanoseconds
    }

    private struct Ending {
        let stream: UnsafeMutablePointer<GIOStream>
        let deadline: Nanoseconds
    }

    private static let lastMoment: Nanoseconds = .second
    private let limit: Int
    private let lifetime: Nanoseconds
    /// The oldest first.
    private var connections: [Connection] = []
    private var ending: [Ending] = []

    init(limit: Int, lifetime: Nanoseconds) {
        self.limit = limit
        self.lifetime = lifetime
    }

    /// Still open, as of the last sweep.
    var count: Int { connections.count }

    /// Watches over a socket from now on.
    func add(_ socket: UnsafeMutablePointer<GSocket>, at now: Nanoseconds) {
        if connections.count >= limit { sweep(at: now) }
        while connections.count >= limit { drop(connections.removeFirst()) }
        g_object_ref(socket)
        connections.append(Connection(socket: socket, deadline: now + lifetime))
    }

    /// Takes over a connection, reference and all, that libsoup has given up: sends a last word, as much as
    /// the socket takes at once, reads nothing more, and leaves the client a moment to read. Closing at once
    /// would throw the word away.
    func end(_ stream: UnsafeMutablePointer<GIOStream>, _ text: String, at now: Nanoseconds) {
        if let output = g_io_stream_get_output_stream(stream) {
            let pollable = OpaquePointer(output)
            g_pollable_output_stream_write_nonblocking(pollable, text, gsize(text.utf8.count), nil, nil)
        }
        ending.append(Ending(stream: stream, deadline: now + Self.lastMoment))
        if ending.count > limit { close(ending.removeFirst()) }
    }

    /// Forgets what is closed and ends what is overdue.
    func sweep(at now: Nanoseconds) {
        let (all, kept) = (connections, connections.filter { $0.deadline > now && isOpen($0) })
        connections = kept
        for connection in all where connection.deadline <= now || !isOpen(connection) { drop(connection) }
        while let first = ending.first, first.deadline <= now { close(ending.removeFirst()) }
    }

    func dropAll() {
        for connection in connections { drop(connection) }
        for connection in ending { close(connection) }
        (connections, ending) = ([], [])
    }

    private func close(_ ending: Ending) {
        g_io_stream_close(ending.stream, nil, nil)
        g_object_unref(ending.stream)
    }

    private func isOpen(_ connection: Connection) -> Bool { g_socket_is_closed(connection.socket) == 0 }

    /// libsoup sees the end of the stream, and cleans up.
    private func drop(_ connection: Connection) {
        if isOpen(connection) { g_socket_shutdown(connection.socket, 1, 1, nil) }
        g_object_unref(connection.socket)
    }
}
