internal import Basics
import FoundationEssentials

extension Configuration {
    /// Longer files are refused.
    private static let maximumLength = 1 << 20

    /// Reads and checks a file. Blocks on the disk. The secrets in it are hidden from the log from now on.
    package static func load(
        _ path: String, environment: ConfigurationEnvironment = .process
    ) throws(ConfigurationError) -> Configuration {
        let bytes: [UInt8]
        do {
            bytes = try SmallFile.read(path, limit: maximumLength)
        } catch {
            let issue = ConfigurationIssue(
                file: path, line: nil, column: nil, key: "", message: error.message)
            throw ConfigurationError(issues: [issue])
        }
        let (configuration, reading) = try read(bytes, file: path, environment: environment)
        for secret in reading.secrets where secret.utf8.count >= shortestSecret { Basics.Log.redact(secret) }
        return configuration
    }

    /// Shorter texts would blank ordinary words of the log; they are hidden where an address is printed only.
    static let shortestSecret = 6

    /// Checks a text; `file` is its name in messages.
    static func read(
        _ bytes: [UInt8], file: String, environment: ConfigurationEnvironment
    ) throws(ConfigurationError) -> (Configuration, ConfigurationReading) {
        let text = try walk(bytes, file: file)
        let reading = ConfigurationReading(file: file, text: text, environment: environment)
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        var configuration: Configuration?
        do {
            configuration = try decoder.decode(
                Configuration.self, from: Data(text.bytes), configuration: reading)
        } catch {
            reading.note("", "cannot be read: \(error)")
        }
        guard let configuration, reading.issues.isEmpty else {
            throw ConfigurationError(
                issues: reading.issues.sorted {
                    ($0.line ?? 0, $0.column ?? 0) < ($1.line ?? 0, $1.column ?? 0)
                })
        }
        return (configuration, reading)
    }

    /// Checks encoding and syntax, which end the reading at the first fault.
    private static func walk(_ bytes: [UInt8], file: String) throws(ConfigurationError) -> ConfigurationText {
        // Some editors begin a file with a byte order mark.
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        func failed(_ offset: Int, _ key: String, _ message: String) -> ConfigurationError {
            let (line, column) = ConfigurationText.position(offset, in: text)
            let issue = ConfigurationIssue(file: file, line: line, column: column, key: key, message: message)
            return ConfigurationError(issues: [issue])
        }
        if let end = ConfigurationText.firstInvalid(text) {
            throw failed(end, "", "is not UTF-8 text here")
        }
        do {
            return try ConfigurationText(text)
        } catch {
            throw failed(error.offset, error.key, error.message)
        }
    }
}
