internal import Basics
internal import CGStreamer
internal import CSRT
internal import Glibc
internal import Synchronization

/// Waits on a port for SRT publishers and hands on what the latest of them sends.
///
/// GStreamer's own listener keeps to its first caller until SRT has noticed that it is gone, which takes five seconds
/// after a kill, and then throws the next one out together with the port. Here the latest caller counts: a publisher
/// that comes back is heard at once, and the port stays open while pipelines come and go.
///
/// One thread of its own. The handler is called on it, with bytes lent for the call; `isFirst` is true for the first of
/// a publisher. What comes while there is no handler is dropped.
final class SRTListener: Sendable {
    typealias DataHandler = @Sendable (_ bytes: UnsafeRawBufferPointer, _ isFirst: Bool) -> Void

    /// A bare closure behind a lock is wrapped anew by every access, without an end; a member of a structure is not.
    private struct Receiver {
        var handle: DataHandler?
    }

    /// The largest message of a live SRT connection is 1456 bytes; seven TS packets are 1316.
    private static let bufferSize = 2048
    private static let turn: Int64 = 100

    private let address: SRTAddress
    private let socket: SRTSOCKET
    private let epoll: Int32
    private let receiver = Locked(Receiver(handle: nil))
    private let worker = Worker(name: "srt listener")
    private let isStopped = Atomic<Bool>(false)

    /// Binds the port; blocks for a name look-up at most. `uri` as configured: host (empty: all), port and the query's
    /// `latency` (ms), `passphrase`, `pbkeylen` and `streamid` (the only one that is let in).
    init(uri: String) throws(LiveError) {
        address = try SRTAddress(uri)
        srt_startup()
        socket = srt_create_socket()
        epoll = srt_epoll_create()
        do { try open() } catch {
            release()
            throw error
        }
        let owner = Unmanaged.passUnretained(self)
        worker.run { owner.takeUnretainedValue().listen() }
    }

    deinit { stop() }

    /// From now on data goes to `handler`. Any thread.
    func deliver(to handler: DataHandler?) { receiver.withLock { $0.handle = handler } }

    /// Closes the port and the connection. Blocks for a tenth of a second at most. Any number of times.
    func stop() {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        worker.stop()
        release()
    }

    /// Every start of the library has its end: its threads would outlive its own destructors, which wait for them.
    private func release() {
        srt_epoll_release(epoll)
        srt_close(socket)
        srt_cleanup()
    }

    private func open() throws(LiveError) {
        guard socket != csrt_invalid, epoll >= 0 else { throw LiveError("feed", "SRT: \(Self.lastError)") }
        var no: Int32 = 0
        srt_setsockflag(socket, SRTO_RCVSYN, &no, 4)
        if var latency = address.latency { srt_setsockflag(socket, SRTO_LATENCY, &latency, 4) }
        if var length = address.keyLength { srt_setsockflag(socket, SRTO_PBKEYLEN, &length, 4) }
        if let phrase = address.passphrase {
            guard srt_setsockflag(socket, SRTO_PASSPHRASE, phrase, Int32(phrase.utf8.count)) != csrt_error
            else {
                throw LiveError("feed", "SRT: the passphrase must have 10 to 79 characters")
            }
        }
        try address.bind(socket)
        guard srt_listen(socket, 4) != csrt_error else {
            throw LiveError("feed", "SRT: cannot listen on port \(address.port): \(Self.lastError)")
        }
        var events = Int32(SRT_EPOLL_IN.rawValue | SRT_EPOLL_ERR.rawValue)
        srt_epoll_add_usock(epoll, socket, &events)
    }

    static var lastError: String { String(cString: srt_getlasterror_str()) }

    // MARK: - On the listener's thread

    private func listen() {
        var publisher = csrt_invalid
        var isFirst = false
        var ready = [SRTSOCKET](repeating: csrt_invalid, count: 4)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferSize, alignment: 8)
        defer {
            buffer.deallocate()
            close(&publisher)
        }
        while !isStopped.load(ordering: .acquiring) {
            var count = Int32(ready.count)
            guard srt_epoll_wait(epoll, &ready, &count, nil, nil, Self.turn, nil, nil, nil, nil) > 0 else {
                continue
            }
            for index in 0..<Int(max(min(count, Int32(ready.count)), 0)) {
                if ready[index] == socket {
                    isFirst = accept(instead: &publisher) || isFirst
                } else if ready[index] == publisher {
                    receive(&publisher, into: buffer, &isFirst)
                }
            }
        }
    }

    /// Lets the next caller in and the one before go. False when there was none, or one that is not wanted.
    private func accept(instead publisher: inout SRTSOCKET) -> Bool {
        let caller = srt_accept(socket, nil, nil)
        guard caller != csrt_invalid else { return false }
        guard isWanted(caller) else {
            Log.warning("feed: an SRT caller with another stream id was turned away")
            srt_close(caller)
            return false
        }
        if publisher != csrt_invalid { Log.info("feed: another SRT publisher takes over") }
        close(&publisher)
        publisher = caller
        var events = Int32(SRT_EPOLL_IN.rawValue | SRT_EPOLL_ERR.rawValue)
        srt_epoll_add_usock(epoll, caller, &events)
        return true
    }

    private func isWanted(_ caller: SRTSOCKET) -> Bool {
        guard let wanted = address.streamID else { return true }
        var (text, length) = ([CChar](repeating: 0, count: 513), Int32(513))
        guard srt_getsockflag(caller, SRTO_STREAMID, &text, &length) != csrt_error else { return false }
        return String(decoding: text.prefix(Int(length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
            == wanted
    }

    private func receive(
        _ publisher: inout SRTSOCKET, into buffer: UnsafeMutableRawBufferPointer, _ isFirst: inout Bool
    ) {
        while true {
            let count = srt_recvmsg(
                publisher, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count))
            guard count > 0 else { break }
            guard let handle = receiver.withLock({ $0.handle }) else { continue }
            handle(UnsafeRawBufferPointer(rebasing: buffer[0..<Int(count)]), isFirst)
            isFirst = false
        }
        if srt_getsockstate(publisher) != SRTS_CONNECTED { close(&publisher) }
    }

    private func close(_ publisher: inout SRTSOCKET) {
        guard publisher != csrt_invalid else { return }
        srt_epoll_remove_usock(epoll, publisher)
        srt_close(publisher)
        publisher = csrt_invalid
    }
}

/// What a listener takes from its URI.
struct SRTAddress {
    let host: String
    let port: UInt16
    /// Milliseconds; nil: SRT's own 120.
    let latency: Int32?
    let keyLength: Int32?
    let passphrase, streamID: String?

    /// The same names in the query as GStreamer's SRT elements and ffmpeg use.
    init(_ text: String) throws(LiveError) {
        guard let uri = gst_uri_from_string(text) else { throw LiveError("feed", "not an SRT address") }
        defer { gst_uri_unref(uri) }
        func query(_ name: String) -> String? {
            gst_uri_get_query_value(uri, name).map { String(cString: $0) }
        }
        host = gst_uri_get_host(uri).map { String(cString: $0) } ?? ""
        let number = gst_uri_get_port(uri)
        guard number > 0, number <= 65_535 else { throw LiveError("feed", "SRT: a listener needs a port") }
        port = UInt16(number)
        latency = query("latency").flatMap { Int32($0) }
        keyLength = query("pbkeylen").flatMap { Int32($0) }
        passphrase = query("passphrase")
        streamID = query("streamid")
    }

    /// Binds `socket` to the first address that works.
    func bind(_ socket: SRTSOCKET) throws(LiveError) {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        if host.isEmpty { hints.ai_family = AF_INET }
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host.isEmpty ? nil : host, "\(port)", &hints, &found) == 0, let found else {
            throw LiveError("feed", "SRT: there is no address \"\(host)\"")
        }
        defer { freeaddrinfo(found) }
        for entry in sequence(first: found, next: { $0.pointee.ai_next }) {
            if srt_bind(socket, entry.pointee.ai_addr, Int32(entry.pointee.ai_addrlen)) != csrt_error {
                return
            }
        }
        throw LiveError("feed", "SRT: cannot bind port \(port): \(SRTListener.lastError)")
    }
}
