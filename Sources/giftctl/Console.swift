internal import Glibc

/// Where a command's words go. Output is for programs and pipes; progress and complaints go beside it.
struct Console: Sendable {
    var output: @Sendable (String) -> Void
    var complaint: @Sendable (String) -> Void
    /// Replaces the last progress; an empty text ends it. Does nothing without a terminal.
    var progress: @Sendable (String) -> Void

    /// Standard output and standard error. Every line is written at once, so that a reader of a pipe sees it.
    static var standard: Console {
        let isTerminal = isatty(STDERR_FILENO) == 1
        return Console(
            output: { write("\($0)\n", to: STDOUT_FILENO) },
            complaint: { write("\($0)\n", to: STDERR_FILENO) },
            progress: { if isTerminal { write("\r\u{1B}[K\($0)", to: STDERR_FILENO) } })
    }

    private static func write(_ text: String, to file: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // Nobody reads any longer: the rest is of no use to anybody.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
