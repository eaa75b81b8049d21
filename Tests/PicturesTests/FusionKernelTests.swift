import CKernels
import Foundation
import Testing

/// The kernels of fusion against their plain forms and, value by value, against their formulas.
@Suite("Fusion kernels")
struct FusionKernelTests {
    private static let lengths = Array(0...70) + [127, 128, 129, 1023]
    private static let margin = 33

    /// Values with a margin at both ends that no kernel may touch.
    private final class Line<Value: FixedWidthInteger> {
        private(set) var values: [Value]
        private let offset: Int
        private let count: Int

        init(_ values: [Value], offset: Int) {
            (self.offset, count) = (offset, values.count)
            let guardValue = Value(0x5A)
            self.values =
                Array(repeating: guardValue, count: offset) + values
                + Array(repeating: guardValue, count: FusionKernelTests.margin)
        }

        func with(_ body: (UnsafeMutablePointer<Value>) -> Void) {
            values.withUnsafeMutableBufferPointer { buffer in
                if let start = buffer.baseAddress { body(start + offset) }
            }
        }

        var content: [Value] { Array(values[offset..<offset + count]) }
        var isIntact: Bool { (values[..<offset] + values[(offset + count)...]).allSatisfy { $0 == 0x5A } }
    }

    private func words(_ count: Int, _ limit: UInt64, _ random: inout SplitMix) -> [UInt16] {
        (0..<count).map { _ in
            switch random.next() % 5 {
            case 0: 0
            case 1: UInt16(limit)
            default: UInt16(random.next() % (limit + 1))
            }
        }
    }

    /// Runs both forms on copies; answers the result when they agree and stay inside.
    private func run<Value: FixedWidthInteger>(
        _ start: [Value], _ random: inout SplitMix, fast: (UnsafeMutablePointer<Value>) -> Void,
        plain: (UnsafeMutablePointer<Value>) -> Void
    ) -> [Value] {
        let offset = Int(random.next() % 17)
        let (left, right) = (Line(start, offset: offset), Line(start, offset: offset))
        left.with(fast)
        right.with(plain)
        #expect(left.content == right.content, "\(start.count) values at \(offset)")
        #expect(left.isIntact && right.isIntact, "\(start.count) values at \(offset)")
        return left.content
    }

    @Test("a mask is expanded from its range, clear below its floor and whole above its ceiling")
    func mask() {
        var random = SplitMix(seed: 1)
        let (black, span) = (16 * 128, 219 * 128)
        let gain = Int32((32_768.0 * 32_768 / Double(span)).rounded())
        for count in Self.lengths {
            let start = words(count, 32_640, &random)
            let found = run(
                start, &random, fast: { ck_mask($0, count, Int32(black), gain, 450, 32_318) },
                plain: { ck_mask_plain($0, count, Int32(black), gain, 450, 32_318) })
            for (value, weight) in zip(start, found) {
                let exact = Double(max(Int(value) - black, 0)) / Double(span) * 32_768
                if abs(exact - 450) > 1, abs(exact - 32_318) > 1 {
                    let wanted = exact < 450 ? 0 : exact > 32_318 ? 32_768 : exact
                    #expect(abs(Double(weight) - wanted) <= 1)
                }
            }
        }
    }

    @Test("weighing moves values to their zero", arguments: [0, 2048, 16_384] as [UInt16])
    func weigh(zero: UInt16) {
        var random = SplitMix(seed: UInt64(zero))
        for count in Self.lengths {
            let start = words(count, 32_640, &random)
            let weights = words(count, 32_768, &random)
            let found = run(
                start, &random, fast: { ck_weigh($0, weights, count, zero) },
                plain: { ck_weigh_plain($0, weights, count, zero) })
            for index in 0..<count {
                let exact =
                    Double(zero) + (Double(start[index]) - Double(zero)) * Double(weights[index]) / 32_768
                #expect(abs(Double(found[index]) - exact) <= 0.5)
            }
        }
    }

    @Test("halving takes the mean of four")
    func halve() {
        var random = SplitMix(seed: 3)
        for count in Self.lengths {
            let (upper, lower) = (words(2 * count, 32_640, &random), words(2 * count, 32_640, &random))
            let found = run(
                [UInt16](repeating: 0, count: count), &random, fast: { ck_halve($0, upper, lower, count) },
                plain: { ck_halve_plain($0, upper, lower, count) })
            for index in 0..<count {
                let four = upper[2 * index...2 * index + 1] + lower[2 * index...2 * index + 1]
                #expect(Int(found[index]) == (four.reduce(0) { $0 + Int($1) } + 2) / 4)
            }
        }
    }

    @Test("fusing rounds once and saturates", arguments: [0, 16, 128] as [UInt8])
    func fuse(zero: UInt8) {
        var random = SplitMix(seed: 100 + UInt64(zero))
        for count in Self.lengths {
            let start = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let (colour, alpha) = (words(count, 32_640, &random), words(count, 32_640, &random))
            let found = run(
                start, &random, fast: { ck_fuse($0, colour, alpha, count, zero) },
                plain: { ck_fuse_plain($0, colour, alpha, count, zero) })
            for index in 0..<count {
                let z = Double(zero)
                let over = Double(colour[index]) / 128 - z
                let under = (Double(start[index]) - z) * (1 - Double(alpha[index]) / 32_640)
                let exact = min(max(z + over + under, 0), 255)
                #expect(abs(Double(found[index]) - exact) <= 0.5 + 1e-9)
            }
        }
    }
}
