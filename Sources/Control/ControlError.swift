internal import Glibc

/// Trouble with a socket: what, where, why and what to do, on one line.
package struct ControlError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }

    /// With the system's words for `errno`.
    init(_ operation: String, errno code: Int32) {
        self.init("\(operation): \(String(cString: strerror(code)))")
    }
}
