internal import Basics
internal import CGLib
internal import Glibc
internal import Live

/// The program `giftd`: reads the command line and the configuration, runs a room until a signal ends it.
package enum Daemon {
    private static let syntax = CommandSyntax(
        "giftd", "Burns a live room's gifts into its video.",
        options: [
            .init("--config", short: "-c", value: "FILE", "the room's configuration (JSON5)"),
            .init("--check-config", "read and check the configuration, then exit"),
            .init("--version", "print the version"),
        ],
        examples: [
            .init("giftd --config /etc/giftd/demo.json5", "run a room"),
            .init("giftd --config demo.json5 --check-config", "only check the file"),
        ])

    /// Runs to the end. Exit status: 0 fine, 1 failed, 2 wrong usage or configuration. First thing in `main`.
    package static func main(_ line: [String]) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        keepMemoryFlat()
        guard MainLoop.acquire() else { return 1 }
        return ControlPlane.assumeIsolated { run(line) }
    }

    @ControlPlane private static func run(_ line: [String]) -> Int32 {
        do {
            let arguments = try Arguments(line, syntax)
            if arguments.asksForHelp { return say(syntax.help) }
            if arguments.has("--version") { return say("giftd \(Version.text)") }
            guard let path = arguments.text("--config") else {
                throw arguments.wrong("--config FILE is missing")
            }
            let configuration = try Configuration.load(path)
            if arguments.has("--check-config") { return say("\(path): good, room \(configuration.room)") }
            Log.level = configuration.log.level
            return serve(configuration)
        } catch {
            complain("\(error)")
            return 2
        }
    }

    @ControlPlane private static func serve(_ configuration: Configuration) -> Int32 {
        do {
            try GStreamer.start()
            let ending = Ending()
            let room = try Room(configuration) { error in
                Log.error("the program has ended: \(error); the room cannot go on")
                ControlPlane.task { ending.end(1) }
            }
            let signals = [SIGTERM, SIGINT].map { LoopSource.signal($0) { ending.end(0) } }
            ending.onEnd = { await room.stop() }
            try room.start()
            MainLoop.run()
            for signal in signals { signal.cancel() }
            Log.info("room \(configuration.room): stopped")
            return ending.status
        } catch {
            Log.error("\(error)")
            return 1
        }
    }

    /// Frames and pictures of megabytes come and go on twenty threads: left alone, malloc keeps an arena for each and
    /// raises the size from which it gives memory back. A frame (3 MB at 1080x1920) stays below that size: fetched anew
    /// from the system, every drawn frame would cost its 760 page faults. Must come before the first thread.
    private static func keepMemoryFlat() {
        mallopt(M_ARENA_MAX, 2)
        mallopt(M_MMAP_THRESHOLD, 4 << 20)
        mallopt(M_TRIM_THRESHOLD, 16 << 20)
    }

    private static func say(_ text: String) -> Int32 {
        print(text)
        return 0
    }

    private static func complain(_ text: String) {
        let lines = text.split(separator: "\n").map { $0.hasPrefix("giftd:") ? "\($0)\n" : "giftd: \($0)\n" }
            .joined()
        _ = lines.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }
}

/// Ends the process once, whoever asks first; a second signal does not wait.
@ControlPlane private final class Ending {
    var onEnd: (@ControlPlane () async -> Void)?
    private(set) var status: Int32 = 0
    private var hasBegun = false

    func end(_ status: Int32) {
        guard !hasBegun else { return MainLoop.quit() }
        hasBegun = true
        self.status = status
        ControlPlane.task { [self] in
            await onEnd?()
            MainLoop.quit()
        }
    }
}
