internal import Glibc

/// A heart beats amid rings of light; beads circle it, passing behind and in front, and little hearts rise.
struct Rings {
    private static let colours: [Light] = [.rose, .gold, .sky, .violet]
    private let canvas: Canvas
    private let unit: Double

    init(_ canvas: Canvas) {
        self.canvas = canvas
        unit = canvas.unit
    }

    func draw(_ time: Double) {
        let presence = ramp(time, 0, 0.12) * (1 - ramp(time, 0.84, 1))
        let beat = Self.beat(time)
        ripples(time, presence)
        rising(time, presence)
        halo(beat, presence)
        beads(time, presence, inFront: false)
        heart(time, beat, presence)
        beads(time, presence, inFront: true)
    }

    /// Two quick strokes a beat, four beats in all.
    private static func beat(_ time: Double) -> Double {
        let phase = (time * 4).truncatingRemainder(dividingBy: 1)
        return exp(-90 * pow(phase - 0.12, 2)) + 0.6 * exp(-110 * pow(phase - 0.36, 2))
    }

    private func ripples(_ time: Double, _ presence: Double) {
        for index in 0..<6 {
            let born = 0.08 + Double(index) * 0.125
            let age = (time - born) / 0.34
            guard age > 0, age < 1 else { continue }
            let radius = unit * (0.15 + 0.28 * (1 - pow(1 - age, 2)))
            let light = Light.blend(Self.colours, Double(index) / 5)
            canvas.ring(
                canvas.centre, radius, width: unit * (0.018 + 0.05 * age), light,
                0.75 * pow(1 - age, 1.3) * presence)
        }
    }

    private func halo(_ beat: Double, _ presence: Double) {
        canvas.glow(canvas.centre, unit * (0.44 + 0.05 * beat), .violet, 0.34 * presence)
        canvas.glow(canvas.centre, unit * (0.33 + 0.06 * beat), .rose, (0.5 + 0.3 * beat) * presence)
    }

    private func heart(_ time: Double, _ beat: Double, _ presence: Double) {
        let width = unit * 0.4 * overshoot(time / 0.14) * (1 + 0.07 * beat) * (1 + 0.3 * ramp(time, 0.84, 1))
        let shape = Curves.heart(canvas.centre, width: width, lean: 0.06 * sin(time * 2 * .pi))
        let shine = canvas.centre + Point(-width * 0.2, -width * 0.22)
        canvas.body(
            shape, highlight: shine, reach: width * 0.95,
            [
                (0, Light(red: 1, green: 0.78, blue: 0.84), 0.96 * presence),
                (0.3, Light(red: 1, green: 0.36, blue: 0.5), 0.95 * presence),
                (0.75, Light(red: 0.86, green: 0.08, blue: 0.32), 0.92 * presence),
                (1, Light(red: 0.5, green: 0.02, blue: 0.3), 0.9 * presence),
            ])
        canvas.rim(shape, width: unit * 0.03, .rose, (0.5 + 0.4 * beat) * presence)
        canvas.glow(shine, width * 0.22, .white, 0.75 * presence)
        canvas.glow(canvas.centre + Point(width * 0.26, width * 0.1), width * 0.2, .gold, 0.3 * presence)
        let sweep = ramp((time * 2).truncatingRemainder(dividingBy: 1), 0.2, 0.8)
        let glint =
            canvas.centre + Point(width * (0.7 * sweep - 0.35), -width * (0.28 - 0.2 * abs(sweep - 0.5)))
        canvas.glint(glint, width * 0.3, angle: time * 5, .white, 0.9 * sin(sweep * .pi) * presence)
    }

    /// Three tilted orbits of beads with fading tails; a bead is in front while it is on the lower half.
    private func beads(_ time: Double, _ presence: Double, inFront: Bool) {
        for orbit in 0..<3 {
            let tilt = Double(orbit) * 1.05 - 0.5
            for step in 0..<60 {
                let age = Double(step) / 60
                let angle = 2 * .pi * (time * 1.6 + Double(orbit) / 3) - age * 1.9
                guard (sin(angle) > 0) == inFront else { continue }
                let flat = Point(cos(angle) * unit * 0.36, sin(angle) * unit * 0.13)
                let at = Point(
                    flat.x * cos(tilt) - flat.y * sin(tilt), flat.x * sin(tilt) + flat.y * cos(tilt))
                let near = 1 + 0.35 * sin(angle)
                let light = Light.blend(Self.colours, Double(orbit) / 2)
                let size = unit * 0.034 * near * (1 - 0.75 * age)
                canvas.glow(canvas.centre + at, size, light, pow(1 - age, 1.6) * 0.5 * presence)
                if step == 0 { canvas.glint(canvas.centre + at, size * 1.8, angle: angle, .white, presence) }
            }
        }
    }

    private func rising(_ time: Double, _ presence: Double) {
        for index in 0..<26 {
            let born = chance(index, 21) * 0.7
            let age = (time - born) / (0.3 + 0.2 * chance(index, 22))
            guard age > 0, age < 1 else { continue }
            let sway = sin(age * 5 + Double(index)) * unit * 0.04
            let x = canvas.width * (0.12 + 0.76 * chance(index, 23)) + sway
            let y = canvas.height * (0.95 - (0.35 + 0.45 * chance(index, 24)) * age)
            let width = unit * (0.03 + 0.05 * chance(index, 25)) * overshoot(age * 4)
            let opacity = 0.75 * sin(age * .pi) * presence
            let light = Light.blend(Self.colours, chance(index, 26))
            let at = Point(x, y)
            canvas.glow(at, width * 1.3, light, 0.5 * opacity)
            canvas.body(
                .heart(at, width: width, lean: 0.4 * sin(age * 6 + Double(index))),
                highlight: at + Point(-width * 0.2, -width * 0.2), reach: width,
                [(0, .white, opacity), (0.5, light, 0.85 * opacity), (1, light, 0.5 * opacity)])
        }
    }
}
