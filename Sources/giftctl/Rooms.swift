internal import Basics
internal import Control
internal import FoundationEssentials

/// Finds the control socket that a command talks to: giftd puts it into a directory per room, below /run/giftd or
/// below the user's own run directory.
struct Rooms {
    var environment: [String: String] = ProcessInfo.processInfo.environment
    /// Where giftd makes its sockets when it is not told otherwise.
    var system = "/run/giftd"

    /// Connects to the room that the line names, or to the only one that there is.
    static func connect(_ arguments: Arguments) throws -> ControlClient {
        try ControlClient(path: Rooms().socket(arguments.text(Giftctl.socketOption.name)))
    }

    /// `named`, else $GIFTD_SOCKET, else the only socket in giftd's own directories.
    func socket(_ named: String?) throws(Refusal) -> String {
        if let path = named ?? environment["GIFTD_SOCKET"], !path.isEmpty { return path }
        let found = candidates()
        guard found.count <= 1 else {
            throw Refusal("several rooms run, choose one with --socket PATH: \(found.joined(separator: " "))")
        }
        guard let path = found.first else {
            throw Refusal(
                "no control socket in \(directories.joined(separator: " or ")): start giftd, "
                    + "or name its socket with --socket PATH or $GIFTD_SOCKET")
        }
        return path
    }

    private var directories: [String] {
        let own = environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : "\($0)/giftd" }
        return [system] + (own.map { [$0] } ?? [])
    }

    /// A room's directory that may not be entered counts: connecting says so better than "none found".
    private func candidates() -> [String] {
        let files = FileManager.default
        return directories.flatMap { directory in
            let rooms = (try? files.contentsOfDirectory(atPath: directory)) ?? []
            return rooms.sorted().map { "\(directory)/\($0)" }.compactMap { room in
                let socket = "\(room)/control.sock"
                return files.fileExists(atPath: socket) || !files.isExecutableFile(atPath: room)
                    ? socket : nil
            }
        }
    }
}
