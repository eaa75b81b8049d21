import Basics
import Foundation
import Testing

@testable import Control

@Suite("Socket file", .timeLimit(.minutes(1)))
struct SocketFileTests {
    @Test("has mode 0660, whatever the umask")
    func mode() async throws {
        let door = try await TestLoop.run { Result { try Door.opened() } }.get()
        var status = stat()
        #expect(stat(door.path, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o660)
        await TestLoop.run { await door.server.stop() }
    }

    @Test("a stale one is replaced")
    func stale() async throws {
        let path = Door.newPath()
        close(try UnixSocket.listen(path))
        #expect(FileManager.default.fileExists(atPath: path))
        let door = await TestLoop.run { Door(path: path) }
        try await TestLoop.run { Result { try door.server.start() } }.get()
        #expect(try RawClient(path).ask(call("echo")).error == nil)
        await TestLoop.run { await door.server.stop() }
    }

    @Test("a live one is left alone, and the second instance refused")
    func live() async throws {
        let first = try await TestLoop.run { Result { try Door.opened() } }.get()
        let second = await TestLoop.run { Door(path: first.path) }
        let error = try #require(throws: ControlError.self) {
            try UnixSocket.listen(first.path)
        }
        #expect(error.description.contains("another giftd listens on it"))
        let result = await TestLoop.run { Result { try second.server.start() } }
        #expect(throws: ControlError.self) { try result.get() }
        await TestLoop.run { await second.server.stop() }
        #expect(try RawClient(first.path).ask(call("echo")).error == nil)
        await TestLoop.run { await first.server.stop() }
    }

    @Test("a file that is no socket is never removed")
    func otherFile() throws {
        let path = Door.newPath()
        try "precious".write(toFile: path, atomically: true, encoding: .utf8)
        defer { unlink(path) }
        let error = try #require(throws: ControlError.self) { try UnixSocket.listen(path) }
        #expect(error.description.contains("no socket"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    }

    @Test(
        "paths that the system cannot take are refused with the reason",
        arguments: [
            ("", "1 to 107 bytes"), (String(repeating: "a", count: 108), "1 to 107 bytes"),
            ("/tmp/a\0b", "1 to 107 bytes"),
            ("/nonexistent/a.sock", "No such file"),
        ])
    func paths(path: String, words: String) throws {
        let error = try #require(throws: ControlError.self) { try UnixSocket.listen(path) }
        #expect(error.description.contains(words))
    }

    /// In a process of its own, since it uses up the descriptors. Leaves with 0 when all is as it should be.
    @Test("without descriptors the door rests, burns no time, and opens again")
    func noDescriptors() async {
        await #expect(processExitsWith: .exitCode(0)) {
            Log.level = .error
            let door = try await TestLoop.run { Result { try Door.opened() } }.get()
            _ = try RawClient(door.path).ask(call("echo"))
            // Connections wait in the queue while the loop is held up, then the limit comes down on them.
            let descriptors = try await TestLoop.run {
                Result { try fill(door.path) }
            }.get()
            var clients = descriptors.map { RawClient(adopting: $0) }
            for client in clients { client.send(call("echo") + "\n") }
            var (before, after) = (rusage(), rusage())
            getrusage(RUSAGE_SELF.rawValue, &before)
            // Not Task.sleep: Dispatch needs descriptors for that, and stops the process without.
            usleep(600_000)
            getrusage(RUSAGE_SELF.rawValue, &after)
            let used =
                (after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1_000_000 + after.ru_utime.tv_usec
                - before.ru_utime.tv_usec
            guard used < 200_000 else { exit(2) }
            let inside = await TestLoop.run { door.server.clientCount }
            guard inside > 0, inside < 20 else { exit(3) }
            // The first leave: their places go to those who wait.
            let last = clients[19]
            clients.removeFirst(19)
            guard try last.reply().error == nil else { exit(4) }
            exit(0)
        }
    }
}

/// Connects twenty times and leaves room for five descriptors more.
private func fill(_ path: String) throws -> [Int32] {
    let descriptors = try (0..<20).map { _ in try UnixSocket.connect(path, seconds: 5) }
    var limit = rlimit(rlim_cur: rlim_t(descriptors.max() ?? 0) + 6, rlim_max: 1024)
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
        throw ControlError("setrlimit", errno: errno)
    }
    return descriptors
}
