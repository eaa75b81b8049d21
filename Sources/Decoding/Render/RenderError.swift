/// Why nothing was rendered. Nothing is left at the output's place, and what was there before still is.
package struct RenderError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
        /// No such feed, or not a file.
        case feedMissing
        case feedUnreadable
        /// Readable, but without pictures, or of a size that no program has.
        case feedUnsupported
        /// The picture asked for lies behind the end.
        case timeOutside
        /// This system's libavcodec lacks the encoder.
        case encoderMissing
        case encoderFailed
        case outputUnwritable
    }

    package let kind: Kind
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { "\(kind.rawValue): \(message)" }
}

/// Runs what packing shares with rendering, and tells its errors as those of rendering.
@discardableResult
func rendering<Result: ~Copyable>(
    _ body: () throws(PackError) -> Result
) throws(RenderError) -> Result {
    do {
        return try body()
    } catch {
        throw RenderError(error)
    }
}

extension RenderError {
    fileprivate init(_ error: PackError) {
        let kind: Kind =
            switch error.kind {
            case .inputMissing: .feedMissing
            case .inputUnreadable, .soundUnreadable: .feedUnreadable
            case .encoderMissing: .encoderMissing
            case .outputUnwritable: .outputUnwritable
            default: .encoderFailed
            }
        self.init(kind, error.message)
    }
}
