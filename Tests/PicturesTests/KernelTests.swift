import CKernels
import Testing

/// Every fast kernel against its plain form: all short lengths, odd alignments, and what lies behind the row.
@Suite("Pixel kernels")
struct KernelTests {
    private static let guardByte: UInt8 = 0xA5
    private static let lengths = Array(0...130) + [255, 256, 1023]

    /// Random bytes with room behind them.
    private func bytes(_ count: Int, _ random: inout SplitMix) -> [UInt8] {
        (0..<count).map { _ in
            // The ends of the range matter most.
            switch random.next() % 4 {
            case 0: 0
            case 1: 255
            default: UInt8(truncatingIfNeeded: random.next())
            }
        }
    }

    private func words(_ count: Int, _ random: inout SplitMix) -> [UInt16] {
        (0..<count).map { _ in UInt16(random.next() % 32_641) }
    }

    /// Runs `fast` and `plain` on copies of `start` from every small offset on and expects the same, guards included.
    private func expectSame(
        _ start: [UInt8], count: Int, offset: Int, _ name: String,
        fast: (UnsafeMutablePointer<UInt8>) -> Void, plain: (UnsafeMutablePointer<UInt8>) -> Void
    ) {
        let padding = [UInt8](repeating: Self.guardByte, count: 64)
        var (left, right) = (padding + start + padding, padding + start + padding)
        left.withUnsafeMutableBufferPointer { buffer in if let base = buffer.baseAddress { fast(base + 64) } }
        right.withUnsafeMutableBufferPointer { buffer in if let base = buffer.baseAddress { plain(base + 64) }
        }
        #expect(left == right, "\(name), \(count) samples at offset \(offset)")
        #expect(left.prefix(64) == padding[...] && left.suffix(64) == padding[...], "\(name) writes outside")
    }

    @Test("blend, clear and premultiply equal their plain forms", arguments: [0, 16, 128] as [UInt8])
    func colour(zero: UInt8) {
        var random = SplitMix(seed: UInt64(zero))
        for count in Self.lengths {
            let offset = count % 7
            let (live, colour) = (bytes(count, &random), bytes(count + offset, &random))
            let alpha = bytes(count + offset, &random)
            expectSame(
                live, count: count, offset: offset, "ck_blend",
                fast: {
                    ck_blend($0, Array(colour.dropFirst(offset)), Array(alpha.dropFirst(offset)), count, zero)
                },
                plain: {
                    ck_blend_plain(
                        $0, Array(colour.dropFirst(offset)), Array(alpha.dropFirst(offset)), count, zero)
                })
            expectSame(
                live, count: count, offset: offset, "ck_clear", fast: { ck_clear($0, alpha, count, zero) },
                plain: { ck_clear_plain($0, alpha, count, zero) })
            expectSame(
                live, count: count, offset: offset, "ck_premultiply",
                fast: { ck_premultiply($0, alpha, count, zero) },
                plain: { ck_premultiply_plain($0, alpha, count, zero) })
        }
    }

    @Test("narrowing, alpha and halving equal their plain forms")
    func rows() {
        var random = SplitMix(seed: 7)
        for count in Self.lengths {
            let (values, empty) = (words(count, &random), [UInt8](repeating: 0, count: count))
            let (upper, lower) = (bytes(2 * count, &random), bytes(2 * count, &random))
            expectSame(
                empty, count: count, offset: 0, "ck_narrow", fast: { ck_narrow($0, values, count) },
                plain: { ck_narrow_plain($0, values, count) })
            let (u, v) = (words(count, &random), words(count, &random))
            expectSame(
                empty, count: count, offset: 0, "ck_map",
                fast: { ck_map($0, values, u, v, count, 9539, -1704, 6660, -160_000) },
                plain: { ck_map_plain($0, values, u, v, count, 9539, -1704, 6660, -160_000) })
            expectSame(
                empty, count: count, offset: 0, "ck_alpha",
                fast: { ck_alpha($0, values, count, 2048, 19_077, 4, 251) },
                plain: { ck_alpha_plain($0, values, count, 2048, 19_077, 4, 251) })
            expectSame(
                empty, count: count, offset: 0, "ck_halve_alpha",
                fast: { ck_halve_alpha($0, upper, lower, count) },
                plain: { ck_halve_alpha_plain($0, upper, lower, count) })
        }
    }

    @Test(
        "resampling a row equals its plain form and reads nothing behind the limit", arguments: [1, 2, 3, 5])
    func resampling(taps: Int) {
        var random = SplitMix(seed: UInt64(taps) + 40)
        for count in Self.lengths where count > 0 {
            let sourceCount = count * 2 / 3 + taps
            let source = bytes(sourceCount, &random)
            let first = (0..<count).map { Int32($0 * (sourceCount - taps) / count) }
            let weights = (0..<count).flatMap { _ -> [Int16] in
                var weights = (0..<taps).map { _ in Int16(random.next() % 3_000) }
                weights[0] = Int16(16_384 - weights.dropFirst().reduce(0) { $0 + Int($1) })
                return weights
            }
            var (fast, plain) = (
                [UInt16](repeating: 9, count: count + 16), [UInt16](repeating: 9, count: count + 16)
            )
            // Exactly as long as the limit says: a sanitizer sees what is read behind it.
            let exact = UnsafeMutablePointer<UInt8>.allocate(capacity: sourceCount)
            defer { exact.deallocate() }
            exact.initialize(from: source, count: sourceCount)
            ck_scale_row8(&fast, exact, first, weights, taps, count, 7, Int32(sourceCount))
            ck_scale_row8_plain(&plain, exact, first, weights, taps, count, 7, Int32(sourceCount))
            #expect(fast == plain)
        }
    }

    @Test("weighing rows equals its plain form", arguments: 1...5)
    func columns(taps: Int) {
        var random = SplitMix(seed: UInt64(taps))
        var weights = (0..<taps).map { _ in Int16(random.next() % 2_000) }
        weights[0] = Int16(16_384 - weights.dropFirst().reduce(0) { $0 + Int($1) })
        for count in Self.lengths {
            let rows = (0..<taps).map { _ in words(count + 1, &random) }
            var (fast, plain) = (
                [UInt16](repeating: 9, count: count + 8), [UInt16](repeating: 9, count: count + 8)
            )
            withPointers(rows) { rows in
                ck_scale_column(&fast, rows, weights, taps, count)
                ck_scale_column_plain(&plain, rows, weights, taps, count)
            }
            #expect(fast == plain)
            #expect(fast.suffix(8) == [9, 9, 9, 9, 9, 9, 9, 9])
        }
    }

    private func withPointers(
        _ rows: [[UInt16]], _ pointers: [UnsafePointer<UInt16>] = [],
        _ body: ([UnsafePointer<UInt16>]) -> Void
    ) {
        guard pointers.count < rows.count else { return body(pointers) }
        rows[pointers.count].withUnsafeBufferPointer { row in
            if let base = row.baseAddress { withPointers(rows, pointers + [base], body) }
        }
    }

    @Test("blending is rounded exactly for every alpha and live value, and clamped")
    func exact() {
        for zero in [0, 16, 128] {
            for alpha in 0...255 {
                for colour in [0, zero, 200, 255] {
                    var live = (0...255).map { UInt8($0) }
                    let colours = [UInt8](repeating: UInt8(colour), count: 256)
                    ck_blend(&live, colours, [UInt8](repeating: UInt8(alpha), count: 256), 256, UInt8(zero))
                    let expected = (0...255).map { value in
                        let under = (Double(value * (255 - alpha) + zero * alpha) / 255).rounded()
                        return UInt8(min(max(Double(colour - zero) + under, 0), 255))
                    }
                    #expect(live == expected)
                }
            }
        }
    }

    @Test("the span is from the first to the last sample with alpha")
    func span() {
        for count in 0...40 {
            for first in 0...count {
                for last in first...count {
                    var alpha = [UInt8](repeating: 0, count: count)
                    if first < last { (alpha[first], alpha[last - 1]) = (1, 255) }
                    var (begin, end) = (-1, -1)
                    ck_span(alpha, count, &begin, &end)
                    #expect(first < last ? (begin, end) == (first, last) : begin == end)
                }
            }
        }
    }
}

/// A small deterministic generator.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
