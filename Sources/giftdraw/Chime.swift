internal import Glibc

/// A chime for a gift: five bells that rise, each with a few partials that fade. Written as a WAV file, 48 kHz, stereo,
/// 16 bits.
enum Chime {
    private static let rate = 48_000
    /// When each bell is struck, in seconds, and its pitch in hertz: a pentatonic scale.
    private static let bells = [
        (0.0, 659.26), (0.11, 783.99), (0.22, 987.77), (0.33, 1174.66), (0.5, 1567.98),
    ]
    /// Multiples of the pitch, how loud they are, and how fast they fade, per second. Of a struck bar.
    private static let partials = [(1.0, 1.0, 3.0), (2.756, 0.35, 6.0), (5.404, 0.12, 11.0)]

    static func write(to path: String, seconds: Double) throws(DrawError) {
        let count = Int((seconds * Double(rate)).rounded())
        var bytes = header(dataBytes: 4 * count)
        bytes.reserveCapacity(bytes.count + 4 * count)
        for index in 0..<count {
            let time = Double(index) / Double(rate)
            let fade = min(1, (seconds - time) / 0.3)
            for side in [-1.0, 1.0] {
                let value = Int16(clamping: Int((sample(at: time, side: side) * fade * 32_767).rounded()))
                bytes += little(UInt32(UInt16(bitPattern: value)), bytes: 2)
            }
        }
        try save(bytes, path)
    }

    /// The bells go from left to right as they rise.
    private static func sample(at time: Double, side: Double) -> Double {
        var sum = 0.0
        for (number, (struck, pitch)) in bells.enumerated() where time > struck {
            let age = time - struck
            let position = Double(number) / Double(bells.count - 1) - 0.5
            let pan = 1 + 0.6 * side * position
            for (multiple, loudness, fade) in partials {
                sum += pan * loudness * exp(-fade * age) * sin(2 * .pi * pitch * multiple * age)
            }
        }
        return 0.16 * sum
    }

    private static func header(dataBytes: Int) -> [UInt8] {
        let data = UInt32(clamping: dataBytes)
        return Array("RIFF".utf8) + little(36 + data, bytes: 4) + Array("WAVEfmt ".utf8)
            + little(16, bytes: 4) + little(1, bytes: 2) + little(2, bytes: 2)
            + little(UInt32(rate), bytes: 4) + little(UInt32(4 * rate), bytes: 4) + little(4, bytes: 2)
            + little(16, bytes: 2) + Array("data".utf8) + little(data, bytes: 4)
    }

    private static func little(_ value: UInt32, bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
    }

    private static func save(_ bytes: [UInt8], _ path: String) throws(DrawError) {
        let file = fopen(path, "w")
        guard let file else { throw DrawError(description: "\(path): \(String(cString: strerror(errno)))") }
        let written = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, written == bytes.count else {
            throw DrawError(description: "\(path): \(String(cString: strerror(errno)))")
        }
    }
}
