import Testing

@testable import Decoding

@Suite("Frame table")
struct FrameTableTests {
    private func indices(_ stamps: [Int64]) -> [Int?] {
        let table = FrameTable(stamps)
        return stamps.indices.map { table.index(ofCoded: $0) }
    }

    @Test("numbers by time, whatever the order in the file and wherever it starts")
    func ranks() {
        // As B-frames lie in the file, beginning before zero, at an uneven rate.
        #expect(indices([-1024, 2048, 0, 1000, 7000, 3000]) == [0, 3, 1, 2, 5, 4])
        #expect(FrameTable([3, 1, 2]).count == 3)
    }

    @Test("gives pictures of one stamp places of their own, in the order of the file")
    func equalStamps() {
        #expect(indices([5, 5, 9, 5, 0]) == [1, 2, 4, 3, 0])
        #expect(indices([.min, .min, .max]) == [0, 1, 2])
    }

    @Test("knows no pictures beyond those of the file")
    func beyond() {
        #expect(FrameTable([]).index(ofCoded: 0) == nil)
        #expect(FrameTable([1]).index(ofCoded: 1) == nil && FrameTable([1]).index(ofCoded: -1) == nil)
    }
}
