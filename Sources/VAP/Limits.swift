/// What a gift file may ask for. All far above what real files hold, and low enough that a hostile file costs
/// neither noticeable time nor memory.
package enum Limits {
    /// Boxes at the top level of the file.
    package static let boxes = 4096
    /// Bytes of JSON; a file of 17 sources and 120 frames holds 163 kB.
    package static let payload = 8 << 20
    package static let jsonDepth = 64
    /// Values in the JSON, numbers of rectangles included.
    package static let jsonValues = 500_000
    package static let side = 8192
    package static let pixels = 16 << 20
    package static let framesPerSecond = 120.0
    /// Seconds that one play may last.
    package static let duration = 600.0
    package static let sources = 512
    package static let elementsPerFrame = 256
    package static let sourceSide = 4096
}
