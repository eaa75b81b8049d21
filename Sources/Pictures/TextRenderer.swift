internal import CPango
package import VAP

/// Renders texts with Pango, which knows scripts, directions, ligatures and fallback fonts. Emoji keep their own
/// colours. One thread: the fonts are its own. Not for the frame path.
package final class TextRenderer {
    /// What a text is rendered for.
    package struct Style: Hashable, Sendable {
        /// The source's size, in its own pixels.
        package let size: Size
        /// Pixels of the bitmap for one of the source's.
        package let scale: Double
        package let colour: FusionColour
        package let isBold: Bool

        package init(size: Size, scale: Double, colour: FusionColour, isBold: Bool) {
            (self.size, self.scale, self.colour, self.isBold) = (size, scale, colour, isBold)
        }
    }

    /// The largest bitmap.
    private static let sideLimit = 4096.0
    private static let pixelLimit = Double(FusionBitmap.pixelLimit)
    /// Letters are not made smaller than this, in pixels of the source, unless the source is smaller itself.
    private static let leastSize = 6.0
    /// Named fonts first; Pango asks fontconfig for what they lack, and Chinese forms of the signs that languages share.
    private static let family = "Noto Sans,sans-serif"
    private static let language = "zh-cn"

    private let fonts: UnsafeMutablePointer<PangoFontMap>
    private let context: OpaquePointer

    /// Reads fontconfig's tables, which takes a while the first time.
    package init() {
        guard let fonts = pango_cairo_font_map_new(), let context = pango_font_map_create_context(fonts)
        else {
            fatalError("out of memory")
        }
        self.fonts = fonts
        self.context = context
        let options = cairo_font_options_create()
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        // Unhinted letters scale with their size, so that what was measured once fits.
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        pango_cairo_context_set_font_options(context, options)
        cairo_font_options_destroy(options)
        pango_context_set_round_glyph_positions(context, 0)
        pango_context_set_language(context, pango_language_from_string(Self.language))
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(context))
        g_object_unref(fonts)
    }

    /// One line in the middle of a bitmap of the style's size times its scale, or less where that is beyond all
    /// measure. The letters begin at 0.8 of the height and shrink until the text fits, down to 0.35; what is longer
    /// still ends in an ellipsis. Nil when nothing is to be seen.
    package func render(_ text: String, _ style: Style) -> PixelImage? {
        let text = FusionText.clean(text)
        guard !text.isEmpty, style.colour.alpha > 0 else { return nil }
        let (width, height, scale) = Self.bitmap(style)
        let line = TextLine(text, context, family: Self.family, isBold: style.isBold)
        let largest = 0.8 * Double(height)
        line.fit(
            Double(width), from: largest,
            downTo: min(largest, max(0.35 * Double(height), Self.leastSize * scale)))
        return draw(line, width, height, style.colour)
    }

    /// How many signs of a text no font has.
    func missingGlyphs(_ text: String) -> Int {
        TextLine(FusionText.clean(text), context, family: Self.family, isBold: false).missingGlyphs
    }

    private static func bitmap(_ style: Style) -> (width: Int, height: Int, scale: Double) {
        let (width, height) = (Double(max(style.size.width, 1)), Double(max(style.size.height, 1)))
        let limit = min(sideLimit / max(width, height), (pixelLimit / (width * height)).squareRoot())
        let scale = min(max(style.scale, 1.0 / 64), limit)
        func side(_ length: Double) -> Int { max(Int((length * scale).rounded(.down)), 1) }
        return (side(width), side(height), scale)
    }

    private func draw(_ line: TextLine, _ width: Int, _ height: Int, _ colour: FusionColour) -> PixelImage? {
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(width), Int32(height)),
            let cairo = cairo_create(surface)
        else { fatalError("out of memory") }
        defer {
            cairo_destroy(cairo)
            cairo_surface_destroy(surface)
        }
        cairo_set_source_rgb(
            cairo, Double(colour.red) / 255, Double(colour.green) / 255, Double(colour.blue) / 255)
        line.draw(on: cairo, width: Double(width), height: Double(height))
        cairo_surface_flush(surface)
        guard cairo_status(cairo) == CAIRO_STATUS_SUCCESS, let data = cairo_image_surface_get_data(surface)
        else { return nil }
        return Self.image(
            data, stride: Int(cairo_image_surface_get_stride(surface)), Size(width, height),
            alpha: Int(colour.alpha))
    }

    /// Cairo's pixels are words of alpha, red, green and blue, multiplied. The text's own alpha goes over all of them,
    /// emoji too.
    private static func image(
        _ data: UnsafePointer<UInt8>, stride: Int, _ size: Size, alpha: Int
    ) -> PixelImage? {
        let count = 4 * size.width * size.height
        var seen: UInt32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            func part(_ pixel: UInt32, _ shift: UInt32) -> UInt8 {
                UInt8((Int(pixel >> shift & 255) * alpha + 127) / 255)
            }
            for row in 0..<size.height {
                let line = UnsafeRawPointer(data + row * stride)
                for column in 0..<size.width {
                    let pixel = line.load(fromByteOffset: 4 * column, as: UInt32.self)
                    let index = 4 * (row * size.width + column)
                    seen |= pixel
                    bytes[index] = part(pixel, 16)
                    bytes[index + 1] = part(pixel, 8)
                    bytes[index + 2] = part(pixel, 0)
                    bytes[index + 3] = part(pixel, 24)
                }
            }
            filled = count
        }
        return seen == 0 ? nil : PixelImage(size: size, bytes: bytes, isPremultiplied: true)
    }
}

/// One text, laid out. Lengths are pixels.
private final class TextLine {
    private let layout: OpaquePointer
    private let context: OpaquePointer
    private let description: OpaquePointer

    init(_ text: String, _ context: OpaquePointer, family: String, isBold: Bool) {
        guard let layout = pango_layout_new(context), let description = pango_font_description_new() else {
            fatalError("out of memory")
        }
        self.layout = layout
        self.context = context
        self.description = description
        pango_font_description_set_family(description, family)
        pango_font_description_set_weight(description, isBold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL)
        pango_layout_set_single_paragraph_mode(layout, 1)
        pango_layout_set_text(layout, text, Int32(text.utf8.count))
    }

    deinit {
        pango_font_description_free(description)
        g_object_unref(UnsafeMutableRawPointer(layout))
    }

    /// Takes the largest size at which the text is no wider than `width`; at the least size, an ellipsis.
    func fit(_ width: Double, from largest: Double, downTo least: Double) {
        var size = largest
        set(size)
        // The width is all but proportional to the size: the second step corrects what bitmap fonts round.
        for _ in 0..<4 {
            let wanted = self.width
            guard wanted > width, size > least else { break }
            size = max(size * width / wanted, least)
            set(size)
        }
        guard self.width > width else { return }
        pango_layout_set_width(layout, Int32(min(width, 1e6)) * Int32(cpango_scale))
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
    }

    /// In the middle; up and down by the font and not by the letters, so that names stand at one height.
    func draw(on cairo: OpaquePointer, width: Double, height: Double) {
        guard let line = pango_layout_get_line_readonly(layout, 0) else { return }
        let (ink, logical) = extents(line)
        var x = (width - logical.width) / 2 - logical.x
        // Slanted and swung letters reach beyond their advance.
        if ink.width <= width { x = min(max(x, -ink.x), width - ink.width - ink.x) }
        cairo_move_to(cairo, x, height / 2 + baseline)
        pango_cairo_show_layout_line(cairo, line)
    }

    var missingGlyphs: Int { Int(pango_layout_get_unknown_glyphs_count(layout)) }

    private func set(_ size: Double) {
        pango_font_description_set_absolute_size(description, size * Double(cpango_scale))
        pango_layout_set_font_description(layout, description)
    }

    /// Of the ink or of the advance, whichever is more.
    private var width: Double {
        guard let line = pango_layout_get_line_readonly(layout, 0) else { return 0 }
        let (ink, logical) = extents(line)
        return max(ink.width, logical.width)
    }

    /// How far the baseline lies below the middle.
    private var baseline: Double {
        guard let metrics = pango_context_get_metrics(context, description, nil) else { return 0 }
        defer { pango_font_metrics_unref(metrics) }
        let ascent = pango_font_metrics_get_ascent(metrics)
        return Double(ascent - pango_font_metrics_get_descent(metrics)) / 2 / Double(cpango_scale)
    }

    private func extents(_ line: UnsafeMutablePointer<PangoLayoutLine>) -> (
        ink: Rectangle, logical: Rectangle
    ) {
        var (ink, logical) = (PangoRectangle(), PangoRectangle())
        pango_layout_line_get_extents(line, &ink, &logical)
        func pixels(_ area: PangoRectangle) -> Rectangle {
            let unit = Double(cpango_scale)
            return Rectangle(
                x: Double(area.x) / unit, y: Double(area.y) / unit, width: Double(area.width) / unit,
                height: Double(area.height) / unit)
        }
        return (pixels(ink), pixels(logical))
    }
}
