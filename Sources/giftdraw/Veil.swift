internal import Glibc

/// A faint veil of light over all of the picture, with slow waves and dust in it: the gift that costs most to play,
/// since no place is clear.
struct Veil {
    private static let colours: [Light] = [.sky, .violet, .rose, .gold]
    private let canvas: Canvas
    private let unit: Double

    init(_ canvas: Canvas) {
        self.canvas = canvas
        unit = canvas.unit
    }

    func draw(_ time: Double) {
        let fade = ramp(time, 0, 0.02) * (1 - ramp(time, 0.98, 1))
        let diagonal = hypot(canvas.width, canvas.height)
        // So wide that their ends lie outside: no corner is without light.
        for index in 0..<4 {
            let angle = 2 * .pi * (time + Double(index) / 4)
            let at = canvas.centre + Point(cos(angle) * canvas.width * 0.4, sin(angle) * canvas.height * 0.3)
            let strength = 0.07 + 0.03 * sin(2 * angle + Double(index))
            canvas.glow(at, diagonal * 1.4, Self.colours[index], strength * fade)
        }
        for index in 0..<8 {
            let share = (time * 2 + Double(index) / 8).truncatingRemainder(dividingBy: 1)
            let at = Point(canvas.width * chance(index, 1), canvas.height * chance(index, 2))
            let light = Light.blend(Self.colours, chance(index, 3))
            canvas.ring(at, unit * 0.7 * share, width: unit * 0.12, light, 0.25 * (1 - share) * fade)
        }
        for index in 0..<140 { dust(index, time, fade) }
    }

    private func dust(_ index: Int, _ time: Double, _ fade: Double) {
        let rise = (time * (1 + chance(index, 4)) + chance(index, 5)).truncatingRemainder(dividingBy: 1)
        let sway = sin(time * 12 + Double(index)) * unit * 0.03
        let at = Point(canvas.width * chance(index, 6) + sway, canvas.height * (1.05 - 1.1 * rise))
        let twinkle = 0.5 + 0.5 * sin(time * 60 * chance(index, 7) + Double(index))
        let size = unit * (0.01 + 0.03 * chance(index, 8))
        canvas.glint(at, size, angle: Double(index), .white, 0.8 * twinkle * fade)
    }
}
