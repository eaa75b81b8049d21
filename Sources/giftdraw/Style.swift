/// The gifts that can be drawn.
enum Style: String, CaseIterable {
    case comet, rings, veil

    /// Draws the picture due at `time`: 0 is the first, 1 the last; both are empty.
    func draw(on canvas: Canvas, at time: Double) {
        switch self {
        case .comet: Comet(canvas).draw(time)
        case .rings: Rings(canvas).draw(time)
        case .veil: Veil(canvas).draw(time)
        }
    }
}
