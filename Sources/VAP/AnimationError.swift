/// Why a gift file is refused, or why its playing ends early.
///
/// `kind` is stable: clients and metrics may branch on it. `message` is one sentence for a person, with the
/// numbers that were compared.
package struct AnimationError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable, Codable {
        /// The file is not there or cannot be read.
        case notFound
        /// A file of no bytes.
        case emptyFile
        /// Not an ISO media file at all: text, a picture, something else.
        case notMP4
        /// A box ends behind the end of the file.
        case boxTruncated
        /// A box size that cannot be.
        case boxSizeInvalid
        /// A good MP4 without layout: no `vapc` box and no sidecar.
        case layoutMissing
        case jsonInvalid, jsonTooDeep
        case fieldMissing, fieldType, fieldValue
        case versionUnsupported
        /// A rectangle reaches outside the coded picture.
        case rectangleOutside
        /// The rectangles contradict the canvas.
        case geometryMismatch
        case limitExceeded
        /// The JSON and the video track disagree.
        case trackMismatch
        /// No `moov` box: the file's writer never finished.
        case movieMissing
        /// No video track.
        case videoMissing
        /// Media tables that cannot be read.
        case mediaInvalid
        case codecUnsupported, pixelFormatUnsupported
        /// The decoder does not take the track's parameters.
        case decoderFailed
        /// The coded pictures are damaged.
        case mediaCorrupt
        /// A deadline passed while it was loaded.
        case loadTimeout
    }

    package let kind: Kind
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { "\(kind.rawValue): \(message)" }

    /// The message without its full stop, for a sentence that goes on.
    package var clause: String { message.hasSuffix(".") ? String(message.dropLast()) : message }
}
