internal import CCairo
internal import Glibc

/// One transparent picture and the few things that are drawn on it. Light adds up, bodies cover. Coordinates are
/// pixels; one thread.
final class Canvas {
    let width, height: Double
    private let surface: OpaquePointer
    private let context: OpaquePointer

    init(_ width: Int, _ height: Int) {
        (self.width, self.height) = (Double(width), Double(height))
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(width), Int32(height)),
            let context = cairo_create(surface), cairo_status(context) == CAIRO_STATUS_SUCCESS
        else { fatalError("out of memory") }
        self.surface = surface
        self.context = context
    }

    deinit {
        cairo_destroy(context)
        cairo_surface_destroy(surface)
    }

    /// The shorter side: what sizes are relative to.
    var unit: Double { min(width, height) }
    var centre: Point { Point(width / 2, height / 2) }

    func clear() {
        cairo_set_operator(context, CAIRO_OPERATOR_CLEAR)
        cairo_paint(context)
    }

    /// A round light without an edge, brightest in the middle.
    func glow(_ at: Point, _ radius: Double, _ light: Light, _ strength: Double) {
        guard radius > 0.2, strength > 0.002 else { return }
        shine(at, inner: 0, outer: radius, stops: Self.bell.map { ($0.0, light, strength * $0.1) })
    }

    /// A ring of light, soft on both sides.
    func ring(_ at: Point, _ radius: Double, width: Double, _ light: Light, _ strength: Double) {
        guard radius > 0, strength > 0.002 else { return }
        let (inner, outer) = (max(radius - width, 0), radius + width)
        let middle = (radius - inner) / (outer - inner)
        let left = Self.bell.reversed().map { (middle * (1 - $0.0), light, strength * $0.1) }
        let right = Self.bell.dropFirst().map { (middle + (1 - middle) * $0.0, light, strength * $0.1) }
        shine(at, inner: inner, outer: outer, stops: left + right)
    }

    /// A four-pointed glint.
    func glint(_ at: Point, _ size: Double, angle: Double, _ light: Light, _ strength: Double) {
        guard size > 0.5, strength > 0.002 else { return }
        cairo_new_path(context)
        for corner in 0..<8 {
            let reach = corner.isMultiple(of: 2) ? size : size * 0.09
            let point = at + Point(angle: angle + Double(corner) * .pi / 4, length: reach)
            cairo_line_to(context, point.x, point.y)
        }
        cairo_close_path(context)
        paintPath(radial(at, 0, size, Self.bell.map { ($0.0, light, strength * $0.1) }), CAIRO_OPERATOR_ADD)
        glow(at, size * 0.35, light, strength * 0.8)
    }

    /// A closed shape through Bézier curves, filled from `highlight` to `shade`; covers what is below it.
    func body(_ curves: Curves, highlight at: Point, reach: Double, _ stops: [(Double, Light, Double)]) {
        trace(curves)
        paintPath(radial(at, 0, reach, stops), CAIRO_OPERATOR_OVER)
    }

    /// A soft line along the edge of a shape.
    func rim(_ curves: Curves, width: Double, _ light: Light, _ strength: Double) {
        for step in 1...4 {
            trace(curves)
            cairo_set_line_width(context, width * Double(step) / 4)
            cairo_set_operator(context, CAIRO_OPERATOR_ADD)
            cairo_set_source_rgba(context, light.red, light.green, light.blue, strength / 4)
            cairo_stroke(context)
        }
    }

    /// Writes the picture as PNG with straight alpha.
    func write(_ path: String) throws(DrawError) {
        cairo_surface_flush(surface)
        let status = cairo_surface_write_to_png(surface, path)
        guard status == CAIRO_STATUS_SUCCESS else {
            throw DrawError(description: "\(path): \(String(cString: cairo_status_to_string(status)))")
        }
    }

    private func trace(_ curves: Curves) {
        cairo_new_path(context)
        cairo_move_to(context, curves.start.x, curves.start.y)
        for (a, b, end) in curves.segments { cairo_curve_to(context, a.x, a.y, b.x, b.y, end.x, end.y) }
        cairo_close_path(context)
    }

    private func shine(_ at: Point, inner: Double, outer: Double, stops: [(Double, Light, Double)]) {
        cairo_new_path(context)
        cairo_arc(context, at.x, at.y, outer, 0, 2 * .pi)
        if inner > 0 {
            cairo_new_sub_path(context)
            cairo_arc_negative(context, at.x, at.y, inner, 2 * .pi, 0)
        }
        paintPath(radial(at, inner, outer, stops), CAIRO_OPERATOR_ADD)
    }

    private func radial(
        _ at: Point, _ inner: Double, _ outer: Double, _ stops: [(Double, Light, Double)]
    ) -> OpaquePointer? {
        let pattern = cairo_pattern_create_radial(at.x, at.y, inner, at.x, at.y, outer)
        for (offset, light, alpha) in stops {
            cairo_pattern_add_color_stop_rgba(
                pattern, offset, light.red, light.green, light.blue, min(alpha, 1))
        }
        return pattern
    }

    /// Takes the pattern over.
    private func paintPath(_ pattern: OpaquePointer?, _ mode: cairo_operator_t) {
        cairo_set_operator(context, mode)
        cairo_set_source(context, pattern)
        cairo_fill(context)
        cairo_pattern_destroy(pattern)
    }

    /// A bell curve from the middle (0) to the edge (1), where it is exactly nothing.
    private static let bell: [(Double, Double)] = (0...8).map { step in
        let x = Double(step) / 8
        return (x, (exp(-4.5 * x * x) - exp(-4.5)) / (1 - exp(-4.5)))
    }
}
