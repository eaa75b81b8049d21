internal import Basics
internal import CGStreamer

/// One coded picture or one AAC frame of the program, lent for the time of an offer.
struct CodedUnit {
    let track: Track
    let buffer: UnsafeMutablePointer<GstBuffer>
    /// Running times; the encoder's priming is taken off.
    let pts, dts: Nanoseconds
    /// A decoder can start here. Always true for sound.
    let isKey: Bool
}

/// Takes the program's coded units. Called on the encoders' streaming threads, one track at a time; never blocks.
protocol ProgramOutlet: AnyObject, Sendable {
    func offer(_ unit: CodedUnit)
}
