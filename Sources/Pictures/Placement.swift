package import VAP

/// Where a gift is drawn on the program, as configurations and clients say it.
package struct Placement: Hashable, Sendable {
    package enum Fit: String, Sendable, Codable, CaseIterable {
        /// As big as fits into the box, keeping its shape.
        case contain
        /// Just covers the box, keeping its shape; what hangs over the box is cut.
        case cover
        /// Exactly the box.
        case stretch
        /// At its own size, pixel for pixel.
        case none
    }

    package enum Anchor: String, Sendable, Codable, CaseIterable {
        case center, top, bottom, left, right, topLeft, topRight, bottomLeft, bottomRight

        /// 0 is left or top, 0.5 the middle, 1 right or bottom.
        var shares: (x: Double, y: Double) {
            switch self {
            case .center: (0.5, 0.5)
            case .top: (0.5, 0)
            case .bottom: (0.5, 1)
            case .left: (0, 0.5)
            case .right: (1, 0.5)
            case .topLeft: (0, 0)
            case .topRight: (1, 0)
            case .bottomLeft: (0, 1)
            case .bottomRight: (1, 1)
            }
        }
    }

    package struct Offset: Hashable, Sendable {
        package var x, y: Length

        package init(x: Length = .pixels(0), y: Length = .pixels(0)) {
            self.x = x
            self.y = y
        }
    }

    package var fit: Fit
    /// The point of the program and of the gift that are laid on each other.
    package var anchor: Anchor
    /// Added after anchoring; positive is right and down.
    package var offset: Offset
    /// The box that the gift is fitted to: a share of the program, or that many pixels in both directions. It lies
    /// where the anchor says, as the gift does.
    package var size: Length

    package init(
        fit: Fit = .contain, anchor: Anchor = .center, offset: Offset = Offset(), size: Length = .share(1)
    ) {
        self.fit = fit
        self.anchor = anchor
        self.offset = offset
        self.size = size
    }

    /// The rectangle of a gift of size `canvas` on a program of size `program`: whole even pixels, at least 2 x 2.
    /// It may hang over the program or lie outside. Numbers of any size are taken; nothing traps.
    package func rectangle(canvas: Size, program: Size) -> PlacedRectangle {
        let box = Extent(width: size.pixels(of: program.width), height: size.pixels(of: program.height))
        let placed = anchored(extent(canvas, box), program)
        guard fit == .cover else { return placed }
        let cut = anchored(box, program)
        return PlacedRectangle(
            x: placed.x, y: placed.y, width: placed.width, height: placed.height,
            cut: .init(columns: cut.x..<cut.x + cut.width, rows: cut.y..<cut.y + cut.height))
    }

    private typealias Extent = (width: Double, height: Double)

    private func anchored(_ extent: Extent, _ program: Size) -> PlacedRectangle {
        let shares = anchor.shares
        let x = (Double(program.width) - extent.width) * shares.x + offset.x.pixels(of: program.width)
        let y = (Double(program.height) - extent.height) * shares.y + offset.y.pixels(of: program.height)
        return PlacedRectangle(
            x: even(x), y: even(y), width: max(even(extent.width), 2), height: max(even(extent.height), 2))
    }

    private func extent(_ canvas: Size, _ box: Extent) -> Extent {
        let own = (width: Double(max(canvas.width, 1)), height: Double(max(canvas.height, 1)))
        let factors = (box.width / own.width, box.height / own.height)
        switch fit {
        case .none: return own
        case .stretch: return box
        case .contain: return scaled(own, min(factors.0, factors.1))
        case .cover: return scaled(own, max(factors.0, factors.1))
        }
    }

    private func scaled(_ own: Extent, _ factor: Double) -> Extent {
        (own.width * factor, own.height * factor)
    }
}

/// The nearest even number, far inside what integers hold.
private func even(_ value: Double) -> Int {
    let limited = value.isNaN ? 0 : min(max(value, -1e9), 1e9)
    return Int((limited / 2).rounded()) * 2
}

/// A whole, even rectangle on the program, of which only what lies inside `cut` and the program is shown.
package struct PlacedRectangle: Hashable, Sendable {
    package struct Cut: Hashable, Sendable {
        let columns, rows: Range<Int>
    }

    package let x, y, width, height: Int
    /// On the program, even like the rectangle.
    package let cut: Cut?

    package init(x: Int, y: Int, width: Int, height: Int, cut: Cut? = nil) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.cut = cut
    }

    /// Columns and rows of the rectangle itself that lie on a program of this size; empty when none do.
    func visible(in program: ProgramFormat) -> (columns: Range<Int>, rows: Range<Int>) {
        (
            Self.part(x, width, (cut?.columns ?? 0..<program.width).clamped(to: 0..<program.width)),
            Self.part(y, height, (cut?.rows ?? 0..<program.height).clamped(to: 0..<program.height))
        )
    }

    private static func part(_ begin: Int, _ length: Int, _ shown: Range<Int>) -> Range<Int> {
        let first = max(shown.lowerBound - begin, 0)
        let end = min(length, shown.upperBound - begin)
        return first < end ? first..<end : 0..<0
    }
}
