package import Basics

/// What a client of the line door may use.
package struct LineLimits: Sendable {
    /// Bytes of a line, its end not counted.
    package var line = 65_536
    package var clients = 64
    /// Requests a second and client, and how many may come at once.
    package var rate = 1000
    package var burst = 2000
    /// Requests of a client that wait for their turn; beyond, nothing is read from it.
    package var waiting = 64
    package var waitingBytes = 131_072
    /// Bytes that a client has not fetched: above the first nothing is read from it, above the second an
    /// event drops it.
    package var owed = 65_536
    package var owedToSubscriber = 1_048_576
    /// How long a client may owe it to us to fetch anything at all.
    package var patience: Nanoseconds = 10 * .second

    package init() {}
}

/// One client's side of the line protocol, without socket and clock: what waits to be served, what
/// waits to be sent, and when the client has to go. Requests are served one after the other, so answers keep
/// their order.
struct Conversation {
    struct Request: Equatable {
        var line: [UInt8]
        var receivedAt: Nanoseconds
        /// Set when the request is refused unread.
        var refusal: RPCError?
    }

    enum Verdict: Equatable {
        case goesOn
        /// The client has closed its half and has all its answers.
        case finished
        /// It does not fetch what it is sent.
        case isStuck
    }

    private let limits: LineLimits
    private var buffer: LineBuffer
    private var bucket: TokenBucket
    private var requests: [Request] = []
    private var requestBytes = 0
    private var isServing = false
    private var hasEnded = false
    private var isOverrun = false
    /// Bytes to send; those before `sent` are gone.
    private var outbox: [UInt8] = []
    private var sent = 0
    /// Since when the client has fetched nothing although there was something.
    private var stuckSince: Nanoseconds?

    init(limits: LineLimits) {
        self.limits = limits
        buffer = LineBuffer(limit: limits.line)
        bucket = TokenBucket(rate: limits.rate, burst: limits.burst)
    }

    // MARK: from the client

    /// Whether more shall be read.
    var wantsToRead: Bool {
        !hasEnded && requests.count < limits.waiting && requestBytes < limits.waitingBytes
            && owedCount <= limits.owed
    }

    mutating func received(_ bytes: ArraySlice<UInt8>, at now: Nanoseconds) {
        guard !hasEnded else { return }
        for piece in buffer.take(bytes) { add(piece, at: now) }
    }

    /// The client sends nothing more: what it has asked for is still answered.
    mutating func receivedEnd(at now: Nanoseconds) {
        guard !hasEnded else { return }
        if let piece = buffer.takeRest() { add(piece, at: now) }
        hasEnded = true
    }

    private mutating func add(_ piece: LineBuffer.Piece, at now: Nanoseconds) {
        var request = Request(line: [], receivedAt: now)
        switch piece {
        case .line(let line):
            request.line = line
            if !bucket.admits(at: now) {
                let text = "more than \(limits.rate) requests a second: send this one again later"
                request.refusal = RPCError(.rateLimited, text)
            }
        case .tooLong:
            request.refusal = RPCError(
                .tooLong, "a line may have \(limits.line) bytes: the connection is closed")
            hasEnded = true
        }
        requests.append(request)
        requestBytes += request.line.count
    }

    // MARK: serving

    /// The next request to serve; `answered` must follow before there is another.
    mutating func next() -> Request? {
        guard !isServing, !requests.isEmpty, owedCount <= limits.owed else { return nil }
        isServing = true
        let request = requests.removeFirst()
        requestBytes -= request.line.count
        return request
    }

    /// The request is dealt with; notifications have no answer.
    mutating func answered(_ line: [UInt8]?, at now: Nanoseconds) {
        isServing = false
        if let line { send(line, at: now) }
    }

    /// An event for a subscriber, taken unless the client is too far behind: then it has to go.
    mutating func notify(_ line: [UInt8], at now: Nanoseconds) {
        guard owedCount + line.count < limits.owedToSubscriber else {
            isOverrun = true
            return
        }
        send(line, at: now)
    }

    // MARK: to the client

    var owedCount: Int { outbox.count - sent }
    var owed: ArraySlice<UInt8> { outbox[sent...] }

    /// The client's socket took so many bytes of `owed`.
    mutating func sent(_ count: Int, at now: Nanoseconds) {
        sent += count
        stuckSince = owedCount > 0 ? now : nil
        if owedCount == 0 {
            outbox.removeAll(keepingCapacity: outbox.capacity <= limits.owed)
            sent = 0
        } else if sent > limits.owed {
            outbox.removeFirst(sent)
            sent = 0
        }
    }

    private mutating func send(_ line: [UInt8], at now: Nanoseconds) {
        if owedCount == 0 { stuckSince = now }
        outbox += line
        outbox.append(UInt8(ascii: "\n"))
    }

    func verdict(at now: Nanoseconds) -> Verdict {
        if isOverrun { return .isStuck }
        if let stuckSince, now - stuckSince >= limits.patience { return .isStuck }
        return hasEnded && !isServing && requests.isEmpty && owedCount == 0 ? .finished : .goesOn
    }
}
