import CKernels
import Testing

/// Every fast kernel against its plain form: all short lengths, odd alignments, and what lies behind the row.
@Suite("Pixel kernels")
struct KernelTests {
    private static let lengths = Array(0...130) + [255, 256, 1023]

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

    /// Runs `fast` and `plain` on copies of `start` that begin `offset` bytes behind an aligned address and expects the
    /// same, what lies before and behind included.
    private func expectSame(
        _ start: [UInt8], offset: Int, _ name: String,
        fast: (UnsafeMutablePointer<UInt8>) -> Void, plain: (UnsafeMutablePointer<UInt8>) -> Void
    ) {
        let right = AlignedBytes(start, offset: offset)
        plain(right.start)
        #expect(right.isIntact, "\(name) writes outside")
        for width in Vectors.all {
            let left = AlignedBytes(start, offset: offset)
            Vectors.limited(to: width) { fast(left.start) }
            #expect(left.contents == right.contents, "\(name), \(start.count) samples at \(offset), \(width)")
            #expect(left.isIntact, "\(name) writes outside, \(width)")
        }
    }

    @Test("blend, clear and premultiply equal their plain forms", arguments: [0, 16, 128] as [UInt8])
    func colour(zero: UInt8) {
        var random = SplitMix(seed: UInt64(zero))
        for count in Self.lengths {
            // Every buffer at an alignment of its own; over all lengths every combination of low bits comes up.
            let offset = Int(random.next() % 33)
            let live = bytes(count, &random)
            let colour = AlignedBytes(bytes(count, &random), offset: Int(random.next() % 33))
            let alpha = AlignedBytes(bytes(count, &random), offset: Int(random.next() % 33))
            expectSame(
                live, offset: offset, "ck_blend",
                fast: { ck_blend($0, colour.start, alpha.start, count, zero) },
                plain: { ck_blend_plain($0, colour.start, alpha.start, count, zero) })
            expectSame(
                live, offset: offset, "ck_clear", fast: { ck_clear($0, alpha.start, count, zero) },
                plain: { ck_clear_plain($0, alpha.start, count, zero) })
            expectSame(
                live, offset: offset, "ck_premultiply",
                fast: { ck_premultiply($0, alpha.start, count, zero) },
                plain: { ck_premultiply_plain($0, alpha.start, count, zero) })
        }
    }

    @Test("narrowing, alpha and halving equal their plain forms")
    func rows() {
        var random = SplitMix(seed: 7)
        for count in Self.lengths {
            let (values, empty) = (words(count, &random), [UInt8](repeating: 0, count: count))
            let offset = Int(random.next() % 33)
            let (upper, lower) = (bytes(2 * count, &random), bytes(2 * count, &random))
            expectSame(
                empty, offset: offset, "ck_narrow", fast: { ck_narrow($0, values, count) },
                plain: { ck_narrow_plain($0, values, count) })
            let (u, v) = (words(count, &random), words(count, &random))
            expectSame(
                empty, offset: offset, "ck_map",
                fast: { ck_map($0, values, u, v, count, 9539, -1704, 6660, -160_000) },
                plain: { ck_map_plain($0, values, u, v, count, 9539, -1704, 6660, -160_000) })
            expectSame(
                empty, offset: offset, "ck_alpha",
                fast: { ck_alpha($0, values, count, 2048, 19_077, 4, 251) },
                plain: { ck_alpha_plain($0, values, count, 2048, 19_077, 4, 251) })
            expectSame(
                empty, offset: offset, "ck_halve_alpha",
                fast: { ck_halve_alpha($0, upper, lower, count) },
                plain: { ck_halve_alpha_plain($0, upper, lower, count) })
        }
    }

    @Test(
        "resampling a row equals its plain form and reads nothing behind the limit",
        arguments: [1, 2, 3, 4, 5, 8, 12])
    func resampling(taps: Int) {
        var random = SplitMix(seed: UInt64(taps) + 40)
        for count in Self.lengths where count > 0 {
            let sourceCount = count * 2 / 3 + taps
            let source = bytes(sourceCount, &random)
            let first = (0..<count).map { Int32($0 * (sourceCount - taps) / count) }
            let weights = (0..<count).flatMap { _ -> [Int16] in
                var weights = (0..<taps).map { _ in Int16(random.next() % 1_400) }
                weights[0] = Int16(16_384 - weights.dropFirst().reduce(0) { $0 + Int($1) })
                return weights
            }
            var plain = [UInt16](repeating: 9, count: count + 16)
            // Exactly as long as the limit says: a sanitizer sees what is read behind it.
            let exact = UnsafeMutablePointer<UInt8>.allocate(capacity: sourceCount)
            defer { exact.deallocate() }
            exact.initialize(from: source, count: sourceCount)
            ck_scale_row8_plain(&plain, exact, first, weights, taps, count, 7, Int32(sourceCount))
            for width in Vectors.all {
                var fast = [UInt16](repeating: 9, count: count + 16)
                Vectors.limited(to: width) {
                    ck_scale_row8(&fast, exact, first, weights, taps, count, 7, Int32(sourceCount))
                }
                #expect(fast == plain)
            }
        }
    }

    @Test("weighing rows equals its plain form", arguments: 1...8)
    func columns(taps: Int) {
        var random = SplitMix(seed: UInt64(taps))
        var weights = (0..<taps).map { _ in Int16(random.next() % 2_000) }
        weights[0] = Int16(16_384 - weights.dropFirst().reduce(0) { $0 + Int($1) })
        for count in Self.lengths {
            let rows = (0..<taps).map { _ in words(count + 1, &random) }
            var plain = [UInt16](repeating: 9, count: count + 8)
            withPointers(rows) { ck_scale_column_plain(&plain, $0, weights, taps, count) }
            for width in Vectors.all {
                var fast = [UInt16](repeating: 9, count: count + 8)
                withPointers(rows) { rows in
                    Vectors.limited(to: width) { ck_scale_column(&fast, rows, weights, taps, count) }
                }
                #expect(fast == plain)
                #expect(fast.suffix(8) == [9, 9, 9, 9, 9, 9, 9, 9])
            }
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
                    let colours = [UInt8](repeating: UInt8(colour), count: 256)
                    let alphas = [UInt8](repeating: UInt8(alpha), count: 256)
                    let expected = (0...255).map { value in
                        let under = (Double(value * (255 - alpha) + zero * alpha) / 255).rounded()
                        return UInt8(min(max(Double(colour - zero) + under, 0), 255))
                    }
                    for width in Vectors.all {
                        var live = (0...255).map { UInt8($0) }
                        Vectors.limited(to: width) { ck_blend(&live, colours, alphas, 256, UInt8(zero)) }
                        #expect(live == expected)
                    }
                }
            }
        }
    }

    /// The runs that a row of alpha is cut into.
    private func runs(_ alpha: [UInt8]) -> [Range<Int>] {
        var (runs, begin, end) = ([Range<Int>](), 0, 0)
        while ck_next_run(alpha, alpha.count, end, &begin, &end) != 0 { runs.append(begin..<end) }
        return runs
    }

    @Test("a single sample with alpha is one block, wherever it lies")
    func oneRun() {
        for count in [1, 15, 16, 17, 64, 130] {
            #expect(runs([UInt8](repeating: 0, count: count)) == [])
            for place in 0..<count {
                var alpha = [UInt8](repeating: 0, count: count)
                alpha[place] = 1
                let block = place / 16 * 16
                #expect(runs(alpha) == [block..<min(block + 16, count)])
            }
        }
    }

    @Test("runs cover all alpha, rise, lie a gap apart and are no more than a row has room for")
    func manyRuns() {
        var random = SplitMix(seed: 11)
        for round in 0..<400 {
            let count = Int(random.next() % 700)
            let rarity = UInt64(2 + round % 150)
            let alpha = (0..<count).map { _ in UInt8(random.next() % rarity == 0 ? 7 : 0) }
            let found = runs(alpha)
            var covered = [Bool](repeating: false, count: count)
            for run in found { for place in run { covered[place] = true } }
            #expect(zip(alpha, covered).allSatisfy { $0 == 0 || $1 })
            #expect(zip(found, found.dropFirst()).allSatisfy { $1.lowerBound - $0.upperBound >= 64 })
            #expect(found.allSatisfy { !$0.isEmpty && $0.contains { alpha[$0] != 0 } })
            #expect(found.count <= (count + 79) / 80)
        }
        #expect(runs((0..<161).map { $0 % 80 == 0 ? 1 : 0 }).count == 3)
    }

    @Test("a row falls into spans that are solid or not, each as long as can be")
    func spans() {
        var random = SplitMix(seed: 12)
        for round in 0..<400 {
            let count = 1 + Int(random.next() % 400)
            let rarity = UInt64(2 + round % 90)
            let alpha = (0..<count).map { _ in UInt8(random.next() % rarity == 0 ? 9 : 255) }
            var place = 0
            while place < count {
                var isSolid: Int32 = 0
                let rest = Array(alpha[place...])
                let length = ck_span(rest, rest.count, &isSolid)
                let span = rest.prefix(length)
                #expect(length > 0 && span.allSatisfy { $0 == 255 } == (isSolid != 0))
                let next = rest.dropFirst(length)
                if isSolid != 0 {
                    #expect(length >= 32 || length == rest.count)
                    #expect(next.first != 255)
                } else if let first = next.first {
                    #expect(first == 255 && next.prefix(32).allSatisfy { $0 == 255 })
                }
                place += length
            }
        }
    }
}

/// The forms that kernels come in on this machine.
enum Vectors {
    static let all = [CK_PLAIN, CK_WIDE, CK_WIDEST].filter { $0.rawValue <= ck_vectors().rawValue }

    /// Calls `body` with vectors that are no wider.
    static func limited<R>(to width: ck_width, _ body: () throws -> R) rethrows -> R {
        ck_limit_vectors(width)
        defer { ck_limit_vectors(CK_WIDEST) }
        return try body()
    }
}

/// Bytes at a known distance from an aligned address, between guards.
private final class AlignedBytes {
    private static let guardByte: UInt8 = 0xA5
    private let storage: UnsafeMutableRawPointer
    private let whole, before: Int
    let start: UnsafeMutablePointer<UInt8>
    private let count: Int

    init(_ bytes: [UInt8], offset: Int) {
        (count, before, whole) = (bytes.count, 64 + offset, 64 + offset + bytes.count + 64)
        storage = .allocate(byteCount: whole, alignment: 64)
        storage.initializeMemory(as: UInt8.self, repeating: Self.guardByte, count: whole)
        start = storage.assumingMemoryBound(to: UInt8.self) + before
        start.update(from: bytes, count: bytes.count)
    }

    deinit { storage.deallocate() }

    var contents: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

    /// Whether nothing was written outside.
    var isIntact: Bool {
        let all = UnsafeRawBufferPointer(start: storage, count: whole)
        return (all.prefix(before) + all.suffix(64)).allSatisfy { $0 == Self.guardByte }
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
