internal import Basics

/// Adds gifts to the host's sound and keeps the sum within full scale, without a step in its gain and without a delay.
/// Pure; sample by sample, so that its answer does not depend on how the stream is cut into buffers.
///
/// Two parts. A gain for both channels falls within about 2 ms to what brings a peak to its ceiling, stays for 10 ms and
/// rises by equal steps to 1, in at most 0.2 s. Whatever gets past the falling gain is bent: a curve that leaves the
/// ceiling with slope 1 and never reaches full scale. The ceiling is the knee, or the host itself where that is above
/// it: so a host without gifts passes as it is however loud, and a gift that begins or ends changes nothing of it at
/// once. At a gain of 1 a sum below the knee comes out bit for bit.
struct Limiter {
    /// -1 dBFS.
    static let knee: Float = 0.891_250_94
    private static let hold = SampleClock.rate / 100
    /// The gain moves by this share of its way with each sample.
    private static let attack = 1 / (0.002 * Float(SampleClock.rate))
    private static let release = 1 / (0.2 * Float(SampleClock.rate))

    private(set) var gain: Float = 1
    private var held = 0

    /// Whether a host without gifts would pass as it is.
    var isAtRest: Bool { gain == 1 }

    /// Adds `gifts` to `host`, both interleaved stereo; answers the least gain.
    mutating func add(
        _ gifts: UnsafePointer<Float>, to host: UnsafeMutablePointer<Float>, count: Int
    ) -> Float {
        var least: Float = 1
        for index in 0..<count {
            let (left, right) = (host[2 * index], host[2 * index + 1])
            let (newLeft, newRight) = (left + gifts[2 * index], right + gifts[2 * index + 1])
            follow(
                max(abs(newLeft), abs(newRight)), ceiling: max(Self.knee, max(abs(left), abs(right))))
            least = min(least, gain)
            host[2 * index] = Self.bend(newLeft * gain, above: max(Self.knee, abs(left)))
            host[2 * index + 1] = Self.bend(newRight * gain, above: max(Self.knee, abs(right)))
        }
        return least
    }

    private mutating func follow(_ peak: Float, ceiling: Float) {
        let wanted = peak > ceiling ? ceiling / peak : 1
        if wanted < gain {
            gain += (wanted - gain) * Self.attack
            held = Self.hold
        } else if held > 0 {
            held -= 1
        } else {
            gain = min(1, gain + Self.release)
        }
    }

    private static func bend(_ value: Float, above ceiling: Float) -> Float {
        let size = abs(value)
        guard size > ceiling else { return value }
        let over = (size - ceiling) / (1 - ceiling)
        let bent =
            ceiling < 1 && over.isFinite ? ceiling + (1 - ceiling) * (over / (1 + over)) : max(ceiling, 1)
        return value < 0 ? -bent : bent
    }
}
