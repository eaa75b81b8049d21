/// Why a picture for a fusion source is not there. Its element is left out, and the gift plays on.
package struct ImageError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable, Codable {
        /// Nothing could be read: no such file, no such page, no connection.
        case notFound
        /// The configuration allows no picture from there.
        case forbidden
        /// More bytes or pixels than allowed.
        case tooLarge
        /// Neither PNG nor JPEG nor WebP nor GIF.
        case formatUnknown
        /// Cut or damaged.
        case broken
        /// Not there in time.
        case late
    }

    package let kind: Kind
    /// One sentence for a person, with the numbers that were compared.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { "\(kind.rawValue): \(message)" }
}
