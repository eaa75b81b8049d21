internal import Glibc
internal import Synchronization

/// One line per message on standard error: with a time and a word on a terminal, with the syslog level in
/// front when the journal listens. Any thread except those of the frame path.
package enum Log {
    /// Severity, with syslog's numbers.
    package enum Level: Int, Sendable, CaseIterable {
        case error = 3
        case warning = 4
        case info = 6
        case debug = 7

        /// By its name in a configuration or on a command line.
        package init?(name: String) {
            guard let level = Level.allCases.first(where: { "\($0)" == name }) else { return nil }
            self = level
        }
    }

    private static let limit = Atomic<Int>(Level.info.rawValue)
    private static let secrets = Locked<[[UInt8]]>([])
    private static let isJournal = journalListens()

    /// The least severe level that is still written. `info` at the start.
    package static var level: Level {
        get { Level(rawValue: limit.load(ordering: .relaxed)) ?? .info }
        set { limit.store(newValue.rawValue, ordering: .relaxed) }
    }

    package static func error(_ text: @autoclosure () -> String) { write(.error, text) }
    package static func warning(_ text: @autoclosure () -> String) { write(.warning, text) }
    package static func info(_ text: @autoclosure () -> String) { write(.info, text) }
    package static func debug(_ text: @autoclosure () -> String) { write(.debug, text) }

    /// From now on `secret` appears in no line. Longer ones go first, so that one may hold another.
    package static func redact(_ secret: String) {
        guard !secret.isEmpty else { return }
        secrets.withLock { secrets in
            let bytes = Array(secret.utf8)
            guard !secrets.contains(bytes) else { return }
            secrets.append(bytes)
            secrets.sort { $0.count > $1.count }
        }
    }

    /// `text` without the secrets, for what leaves the process by another way than the log.
    package static func redacted(_ text: String) -> String {
        let all = secrets.withLock { $0 }
        guard !all.isEmpty else { return text }
        let bytes = all.reduce(Array(text.utf8)) { bytes, secret in blanked(bytes, secret) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func write(_ level: Level, _ text: () -> String) {
        guard level.rawValue <= limit.load(ordering: .relaxed) else { return }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let line = Array(line(level, text(), journal: isJournal, time: time).utf8)
        // One write, so that lines of several threads do not mix. What does not get out is lost.
        _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// The line as it is written, its end included. Control characters become spaces: one message, one line.
    static func line(_ level: Level, _ text: String, journal: Bool, time: timespec) -> String {
        let clean = String(
            String.UnicodeScalarView(redacted(text).unicodeScalars.map { $0.value < 32 ? " " : $0 }))
        return journal ? "<\(level.rawValue)>\(clean)\n" : "\(stamp(time)) \(level): \(clean)\n"
    }

    private static func stamp(_ time: timespec) -> String {
        var (seconds, parts) = (time.tv_sec, tm())
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let thousandths = String("\(1000 + time.tv_nsec / 1_000_000)".dropFirst())
        return "\(1900 + parts.tm_year)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
            + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(thousandths)Z"
    }

    /// `bytes` with every occurrence of `secret` replaced by three stars.
    private static func blanked(_ bytes: [UInt8], _ secret: [UInt8]) -> [UInt8] {
        var (result, rest) = ([UInt8](), bytes[...])
        result.reserveCapacity(bytes.count)
        while let first = rest.first {
            if rest.starts(with: secret) {
                result += Array("***".utf8)
                rest = rest.dropFirst(secret.count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    /// systemd names device and inode of the stream it has connected; what was redirected since is not its.
    private static func journalListens() -> Bool {
        guard let stream = getenv("JOURNAL_STREAM").map({ String(cString: $0) }) else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }
}
