internal import Glibc

/// A comet winds its way in, trailing two ribbons of light and sparks, and bursts into a star.
struct Comet {
    private static let arrival = 0.56
    private static let colours: [Light] = [.white, .gold, .rose, .violet, .sky]
    private let canvas: Canvas
    private let unit: Double

    init(_ canvas: Canvas) {
        self.canvas = canvas
        unit = canvas.unit
    }

    func draw(_ time: Double) {
        let fade = 1 - ramp(time, 0.86, 1)
        ribbons(time)
        sparks(time)
        if time < Self.arrival + 0.04 { head(time) }
        if time > Self.arrival { burst(time - Self.arrival, fade) }
    }

    /// Where the comet is: a spiral into the middle that stays inside the picture.
    private func place(_ time: Double) -> Point {
        let share = min(max(time / Self.arrival, 0), 1)
        let eased = share * (0.65 + 0.35 * share)
        let radius = pow(1 - eased, 0.8)
        let angle = 2.5 + 7.4 * eased
        return canvas.centre
            + Point(
                cos(angle) * radius * (canvas.width * 0.5 - unit * 0.13),
                sin(angle) * radius * canvas.height * 0.38)
    }

    private func head(_ time: Double) {
        let at = place(time)
        let strength = ramp(time, 0, 0.08) * (1 - ramp(time, Self.arrival, Self.arrival + 0.04))
        canvas.glow(at, unit * 0.22, .violet, 0.35 * strength)
        canvas.glow(at, unit * 0.17, .gold, 0.55 * strength)
        canvas.glow(at, unit * 0.07, .white, strength)
        canvas.glint(at, unit * 0.2, angle: time * 9, .white, 0.85 * strength)
    }

    /// Two strands that turn about each other; colour and transparency run along them.
    private func ribbons(_ time: Double) {
        let length = 0.34
        let count = 150
        for step in 0..<count {
            let age = Double(step) / Double(count)
            let moment = time - age * length
            guard moment > 0, moment < Self.arrival else { continue }
            let (here, ahead) = (place(moment), place(moment + 0.004))
            let light = Light.blend(Self.colours, age + 0.08 * sin(moment * 40))
            let strength = 0.3 * ramp(moment, 0, 0.06) * pow(1 - age, 1.3) * (1 - ramp(time, 0.62, 0.86))
            let swing = sin(moment * 34) * unit * (0.012 + 0.06 * age)
            let side = (ahead - here).normal * swing
            canvas.glow(here + side, unit * (0.05 - 0.028 * age), light, strength)
            canvas.glow(here - side, unit * (0.036 - 0.02 * age), light, strength * 0.9)
        }
    }

    private func sparks(_ time: Double) {
        for index in 0..<170 {
            let born = chance(index, 1) * Self.arrival
            let life = 0.14 + 0.22 * chance(index, 2)
            let age = (time - born) / life
            guard age > 0, age < 1 else { continue }
            let drift = Point(
                angle: chance(index, 3) * 2 * .pi, length: unit * 0.16 * chance(index, 4) * pow(age, 0.6))
            let at = place(born) + drift + Point(0, unit * 0.1 * age * age)
            let twinkle = 0.6 + 0.4 * sin(age * 22 + Double(index))
            let light = Light.blend(Self.colours, chance(index, 5))
            let size = unit * (0.012 + 0.026 * chance(index, 6))
            canvas.glint(at, size, angle: age * 3 + Double(index), light, pow(1 - age, 1.2) * twinkle)
        }
    }

    /// The flash, the shock wave, the rain of light, and the star in the middle.
    private func burst(_ since: Double, _ fade: Double) {
        let middle = canvas.centre
        let spread = 1 - pow(1 - min(since / 0.34, 1), 3)
        canvas.glow(middle, unit * 0.48, .white, 0.9 * pow(1 - ramp(since, 0, 0.1), 2))
        canvas.glow(middle, unit * 0.46, .gold, 0.4 * fade)
        canvas.ring(middle, unit * 0.42 * spread, width: unit * 0.07, .sky, 0.6 * pow(1 - spread, 0.7) * fade)
        canvas.ring(
            middle, unit * 0.36 * spread, width: unit * 0.05, .rose, 0.7 * pow(1 - spread, 0.7) * fade)
        for index in 0..<90 {
            let angle = chance(index, 7) * 2 * .pi
            let reach = unit * (0.14 + 0.4 * chance(index, 8)) * spread
            let at = middle + Point(angle: angle, length: reach) + Point(0, unit * 0.5 * since * since)
            let light = Light.blend(Self.colours, chance(index, 9))
            let twinkle = 0.55 + 0.45 * sin(since * 50 + Double(index) * 2)
            canvas.glint(
                at, unit * (0.02 + 0.03 * chance(index, 10)), angle: Double(index), light, fade * twinkle)
        }
        star(since, fade)
    }

    private func star(_ since: Double, _ fade: Double) {
        let size = unit * 0.17 * overshoot(since / 0.16) * (1 + 0.25 * (1 - fade))
        let shape = Curves.star(
            canvas.centre, radius: size, points: 5, angle: -.pi / 2 + 0.35 * sin(since * 9) * (1 - since))
        let opacity = ramp(since, 0, 0.05) * fade
        canvas.body(
            shape, highlight: canvas.centre + Point(-size * 0.25, -size * 0.3), reach: size * 1.25,
            [
                (0, .white, opacity), (0.35, Light(red: 1, green: 0.86, blue: 0.42), opacity),
                (1, Light(red: 0.96, green: 0.5, blue: 0.2), 0.85 * opacity),
            ])
        canvas.rim(shape, width: unit * 0.022, .gold, 0.7 * opacity)
        canvas.glint(
            canvas.centre + Point(-size * 0.3, -size * 0.34), size * 0.5, angle: since * 4, .white,
            0.9 * opacity)
    }
}
