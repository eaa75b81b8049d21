/// A gain that moves to its target in equal steps, one a sample, so that no change of it can be heard as a crackle.
/// Pure.
struct Ramp {
    private(set) var value: Float
    private(set) var target: Float
    private var step: Float = 0

    init(_ value: Float) {
        self.value = value
        target = value
    }

    var isAtRest: Bool { value == target }

    /// Goes to `target` within `count` samples from now on. A target that it goes to already is kept.
    mutating func aim(at target: Float, within count: Int) {
        guard target != self.target else { return }
        self.target = target
        step = abs(target - value) / Float(max(count, 1))
    }

    /// The gain of the next sample.
    mutating func next() -> Float {
        if value < target {
            value = min(target, value + step)
        } else if value > target {
            value = max(target, value - step)
        }
        return value
    }
}
