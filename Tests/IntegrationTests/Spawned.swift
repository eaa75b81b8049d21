import Foundation
import Testing

/// A process of the test's own. Its output goes to a file; it is gone when the object is. One thread.
///
/// Not Foundation's `Process`: that passes on the blocked signals of the calling thread, and a child that blocks
/// SIGTERM cannot be asked to end.
final class Spawned {
    let name: String
    let log: String
    let pid: pid_t
    /// As waitpid gives it; nil while the process runs.
    private var ended: Int32?

    /// Starts a program in `directory`, which also takes the file with its output.
    init(
        _ program: String, _ arguments: [String], in directory: String, named: String? = nil,
        environment: [String: String] = [:]
    ) throws {
        name = named ?? program
        log = "\(directory)/\(name)-\(UUID().uuidString.prefix(4)).log"
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        // env changes the directory and becomes the program.
        let path = "/usr/bin/env"
        let words = ([path, "-C", directory, Programs.path(program)] + arguments).map { strdup($0) } + [nil]
        let settings = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let variables = settings.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var pid = pid_t()
        let code = posix_spawn(&pid, path, &actions, &attributes, words, variables)
        guard code == 0 else { throw Trouble("\(path): \(String(cString: strerror(code)))") }
        self.pid = pid
    }

    deinit { stop(SIGKILL) }

    var isRunning: Bool {
        if ended == nil {
            var status: Int32 = 0
            if waitpid(pid, &status, WNOHANG) == pid { ended = status }
        }
        return ended == nil
    }

    var output: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    func signal(_ number: Int32) { if isRunning { kill(pid, number) } }

    /// Sends a signal and waits until the process has gone; one that does not go within 10 s is killed.
    func stop(_ number: Int32 = SIGTERM) {
        signal(number)
        for _ in 0..<1000 where isRunning { usleep(10_000) }
        signal(SIGKILL)
        while isRunning { usleep(10_000) }
    }

    /// The exit status, or the negative number of the signal that ended it.
    func status(within seconds: Double) throws -> Int32 {
        try eventually(within: seconds, "\(name) ends; it said:\n\(output.suffix(2000))") {
            isRunning ? nil : true
        }
        let status = ended ?? 0
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }

    /// Runs a program to its end; answers its exit status and all it wrote.
    static func run(
        _ program: String, _ arguments: [String], in directory: String, within seconds: Double = 30,
        environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        let process = try Spawned(program, arguments, in: directory, environment: environment)
        return (try process.status(within: seconds), process.output)
    }
}
