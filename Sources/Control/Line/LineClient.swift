internal import Basics
internal import Glibc

/// The socket of one client: does what its conversation says.
@ControlPlane final class LineClient {
    private let descriptor: Int32
    /// Holds it until the client has gone, since a request may outlive both.
    private let server: LineServer
    private var conversation: Conversation
    private var reading: LoopSource?
    private var writing: LoopSource?
    private var isOpen = true
    private lazy var peer = Peer { [weak self] line in self?.notify(line) }

    private static let readSize = 16_384

    init(adopting descriptor: Int32, server: LineServer) {
        self.descriptor = descriptor
        self.server = server
        conversation = Conversation(limits: server.limits)
    }

    /// Takes nothing more from the client; what it has asked for is still answered.
    func finish() {
        conversation.receivedEnd(at: Monotonic.now())
        update()
    }

    /// Closes at once.
    func end() {
        guard isOpen else { return }
        isOpen = false
        (reading, writing) = (nil, nil)
        close(descriptor)
        server.remove(self)
    }

    /// Brings socket and conversation in step, after anything has changed.
    func update() {
        guard isOpen else { return }
        flush()
        serve()
        guard isOpen else { return }
        switch conversation.verdict(at: Monotonic.now()) {
        case .goesOn: watch()
        case .finished: end()
        case .isStuck:
            server.counters.dropped()
            Log.warning("control: dropped a client that did not read \(conversation.owedCount) bytes")
            end()
        }
    }

    private func watch() {
        if !conversation.wantsToRead {
            reading = nil
        } else if reading == nil {
            reading = .descriptor(descriptor, .readable) { [weak self] in self?.read() }
        }
        if conversation.owedCount == 0 {
            writing = nil
        } else if writing == nil {
            writing = .descriptor(descriptor, .writable) { [weak self] in self?.update() }
        }
    }

    /// One read a turn of the loop, so that nobody's flood holds up the others.
    private func read() {
        let now = Monotonic.now()
        var result = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.readSize) { buffer, count in
            result = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            count = max(0, result)
        }
        if result > 0 {
            conversation.received(bytes[...], at: now)
        } else if result == 0 {
            conversation.receivedEnd(at: now)
        } else if errno != EAGAIN && errno != EINTR {
            // Reset: what was asked for is still done, although nobody waits for the answer.
            conversation.receivedEnd(at: now)
        }
        update()
    }

    private func flush() {
        while isOpen, conversation.owedCount > 0 {
            let count = conversation.owed.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                conversation.sent(count, at: Monotonic.now())
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                return end()
            }
        }
    }

    /// Serves the next request, if there is one and none is being served. The client may be gone when it is
    /// done: that changes nothing for the request.
    private func serve() {
        guard let request = conversation.next() else { return }
        server.counters.requests.add()
        ControlPlane.task { [self] in
            let answer = await answer(to: request)
            conversation.answered(answer, at: Monotonic.now())
            update()
        }
    }

    private func answer(to request: Conversation.Request) async -> [UInt8]? {
        guard let refusal = request.refusal else {
            return await server.router.answer(
                request.line, RequestContext(receivedAt: request.receivedAt, peer: peer))
        }
        server.counters.refused(refusal.kind)
        return server.router.refusal(of: request.line, refusal)
    }

    private func notify(_ line: [UInt8]) {
        guard isOpen else { return }
        conversation.notify(line, at: Monotonic.now())
        update()
    }
}
