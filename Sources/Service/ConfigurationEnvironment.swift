import FoundationEssentials
internal import Glibc

/// What a configuration may refer to from outside its file: environment variables and systemd's credentials.
package struct ConfigurationEnvironment: Sendable {
    package var variables: [String: String]
    /// Whether the process may write below /run.
    package var isRoot: Bool

    package init(variables: [String: String], isRoot: Bool) {
        self.variables = variables
        self.isRoot = isRoot
    }

    /// This process's.
    package static var process: ConfigurationEnvironment {
        ConfigurationEnvironment(variables: ProcessInfo.processInfo.environment, isRoot: geteuid() == 0)
    }

    /// Where the control socket of a room is when the configuration does not say: in the directory that systemd
    /// made for the unit, else below /run for root, else below the user's own run directory.
    package func socket(room: String) -> String {
        let own = variables["RUNTIME_DIRECTORY"].map { $0.prefix { $0 != ":" } } ?? ""
        if !own.isEmpty { return "\(own)/control.sock" }
        let home = variables["XDG_RUNTIME_DIR"] ?? ""
        let run = isRoot || home.isEmpty ? "/run" : home
        return "\(run)/giftd/\(room)/control.sock"
    }

    struct Refusal: Error {
        let message: String
    }

    /// `text` with `${NAME}` and `${credential:NAME}` put in; `$${` stands for `${`. Credentials that were used
    /// are added to `secrets`.
    func expand(_ text: String, secrets: inout [String]) throws(Refusal) -> String {
        var (result, rest) = ("", text[...])
        while let sign = rest.firstIndex(of: "$") {
            result += rest[..<sign]
            rest = rest[rest.index(after: sign)...]
            if rest.hasPrefix("${") {
                result += "${"
                rest = rest.dropFirst(2)
            } else if rest.hasPrefix("{") {
                guard let end = rest.firstIndex(of: "}") else {
                    throw Refusal(message: "\"${\" without \"}\"")
                }
                result += try value(rest[..<end].dropFirst(), secrets: &secrets)
                rest = rest[rest.index(after: end)...]
            } else {
                result += "$"
            }
        }
        return result + rest
    }

    /// What `${name}` stands for.
    private func value(_ name: Substring, secrets: inout [String]) throws(Refusal) -> String {
        let prefix = "credential:"
        guard name.hasPrefix(prefix) else {
            guard let value = variables[String(name)] else {
                throw Refusal(message: "environment variable \(name.prefix(64)) is not set")
            }
            return value
        }
        let secret = try credential(String(name.dropFirst(prefix.count)))
        secrets.append(secret)
        return secret
    }

    /// The content of a credential's file without the line end that editors leave.
    private func credential(_ name: String) throws(Refusal) -> String {
        guard ConfigurationName.isValid(name) else {
            throw Refusal(message: "a credential's name holds letters, digits, \".\", \"_\" and \"-\" only")
        }
        guard let directory = variables["CREDENTIALS_DIRECTORY"], !directory.isEmpty else {
            throw Refusal(
                message: "credential \(name): $CREDENTIALS_DIRECTORY is not set; "
                    + "the unit wants LoadCredential=\(name):/path/of/the/file")
        }
        let content: [UInt8]
        do {
            content = try SmallFile.read("\(directory)/\(name)", limit: 65536)
        } catch {
            throw Refusal(message: "credential \(name): \(error.message)")
        }
        let line = content.last == UInt8(ascii: "\n") ? content.dropLast() : content[...]
        guard !line.isEmpty, line.allSatisfy({ $0 >= 0x20 }),
            let text = String(validating: line, as: UTF8.self)
        else { throw Refusal(message: "credential \(name): the file is not one line of text") }
        return text
    }
}

/// Names of rooms, lanes, destinations and credentials: they become parts of paths, labels and unit names.
enum ConfigurationName {
    static let rule =
        "wants 1 to 64 letters, digits, \".\", \"_\" or \"-\", not beginning with \".\" or \"-\""

    static func isValid(_ name: String) -> Bool {
        let bytes = name.utf8
        return (1...64).contains(bytes.count) && !name.hasPrefix(".") && !name.hasPrefix("-")
            && bytes.allSatisfy { ".-_".utf8.contains($0) || ConfigurationText.isWord($0) && $0 != 0x24 }
    }
}

/// Whole files of a bounded size.
enum SmallFile {
    struct Failure: Error {
        let message: String
    }

    /// Blocks. A file that is longer than `limit` bytes is refused, so are directories, pipes and devices.
    static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw Failure(message: "cannot be opened: \(reason())") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(message: "is no regular file")
        }
        var content = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count <= limit {
            let step = content.withUnsafeMutableBytes { buffer in
                Glibc.read(file, buffer.baseAddress?.advanced(by: count), limit + 1 - count)
            }
            guard step >= 0 else { throw Failure(message: "cannot be read: \(reason())") }
            if step == 0 { return Array(content.prefix(count)) }
            count += step
        }
        throw Failure(message: "is longer than \(limit) bytes")
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}
