internal import Glibc

/// A place or a direction, in pixels.
struct Point {
    var x, y: Double

    init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
    init(angle: Double, length: Double) { self.init(cos(angle) * length, sin(angle) * length) }

    static func + (a: Point, b: Point) -> Point { Point(a.x + b.x, a.y + b.y) }
    static func - (a: Point, b: Point) -> Point { Point(a.x - b.x, a.y - b.y) }
    static func * (a: Point, factor: Double) -> Point { Point(a.x * factor, a.y * factor) }

    /// A quarter turn to the left, of length 1. Nothing for nothing.
    var normal: Point {
        let length = max((x * x + y * y).squareRoot(), 1e-9)
        return Point(-y / length, x / length)
    }
}

/// A closed shape: where it starts, and cubic curves from there.
struct Curves {
    let start: Point
    let segments: [(Point, Point, Point)]

    /// A heart of about the given width, its middle at `at`.
    static func heart(_ at: Point, width: Double, lean: Double = 0) -> Curves {
        func place(_ x: Double, _ y: Double) -> Point {
            let (c, s) = (cos(lean), sin(lean))
            return at + Point(x * c - y * s, x * s + y * c) * (width / 2)
        }
        func side(_ sign: Double, _ points: [(Double, Double)]) -> [Point] {
            points.map { place(sign * $0.0, $0.1) }
        }
        let right = side(
            1, [(0.16, -0.92), (0.98, -0.98), (1.0, -0.26), (1.0, 0.24), (0.42, 0.56), (0, 0.98)])
        let left = side(
            -1, [(0.42, 0.56), (1.0, 0.24), (1.0, -0.26), (0.98, -0.98), (0.16, -0.92), (0, -0.46)])
        return Curves(
            start: place(0, -0.46),
            segments: [
                (right[0], right[1], right[2]), (right[3], right[4], right[5]), (left[0], left[1], left[2]),
                (left[3], left[4], left[5]),
            ])
    }

    /// A star with rounded valleys.
    static func star(_ at: Point, radius: Double, points: Int, angle: Double) -> Curves {
        let step = .pi / Double(points)
        func tip(_ index: Int) -> Point {
            at + Point(angle: angle + Double(2 * index) * step, length: radius)
        }
        let segments = (0..<points).map { index in
            let valley = at + Point(angle: angle + Double(2 * index + 1) * step, length: radius * 0.36)
            return (valley, valley, tip(index + 1))
        }
        return Curves(start: tip(0), segments: segments)
    }
}

/// The colour of a light, 0 to 1.
struct Light {
    let red, green, blue: Double

    static let white = Light(red: 1, green: 0.97, blue: 0.92)
    static let gold = Light(red: 1, green: 0.78, blue: 0.32)
    static let rose = Light(red: 1, green: 0.35, blue: 0.56)
    static let violet = Light(red: 0.62, green: 0.36, blue: 1)
    static let sky = Light(red: 0.3, green: 0.72, blue: 1)

    /// The colour at `place` (0 to 1) on a row of colours.
    static func blend(_ row: [Light], _ place: Double) -> Light {
        let scaled = min(max(place, 0), 1) * Double(row.count - 1)
        let index = min(Int(scaled), row.count - 2)
        let (a, b, share) = (row[index], row[index + 1], scaled - Double(index))
        return Light(
            red: a.red + (b.red - a.red) * share, green: a.green + (b.green - a.green) * share,
            blue: a.blue + (b.blue - a.blue) * share)
    }
}

/// Rises smoothly from 0 to 1 while `x` goes from `from` to `to`.
func ramp(_ x: Double, _ from: Double, _ to: Double) -> Double {
    let share = min(max((x - from) / (to - from), 0), 1)
    return share * share * (3 - 2 * share)
}

/// Fast at first, then settling, a little over 1 on the way.
func overshoot(_ x: Double) -> Double {
    let share = min(max(x, 0), 1) - 1
    return 1 + 2.6 * share * share * share + 1.6 * share * share
}

/// Always the same numbers of 0 to 1 for the same `index` and `salt`: pictures must not differ from run to run.
func chance(_ index: Int, _ salt: UInt64) -> Double {
    var z = (UInt64(truncatingIfNeeded: index) &+ salt &* 0x9E37_79B9) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return Double((z ^ z >> 31) >> 11) / 9_007_199_254_740_992
}
