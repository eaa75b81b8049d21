/// Why no gift file was made. Nothing is left at the output's place, and what was there before still is.
package struct PackError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
        case optionInvalid
        /// No such file, an empty directory, or one without PNG files.
        case inputMissing
        case inputUnreadable
        /// The input has no transparency.
        case alphaMissing
        /// The pictures of a directory differ in size.
        case sizeChanged
        case sizeUnsupported
        case tooLong
        case soundUnreadable
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

/// Turns a negative answer of libav into an error of the given kind, with the library's own words.
@discardableResult
func packCheck(_ kind: PackError.Kind, _ operation: String, _ code: Int32) throws(PackError) -> Int32 {
    guard code < 0 else { return code }
    throw PackError(kind, "\(operation): \(LibAV.text(code))")
}
