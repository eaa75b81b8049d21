import Testing

@testable import Decoding

@Suite("Frame table")
struct FrameTableTests {
    @Test("numbers by time, whatever the order in the file and wherever it starts")
    func ranks() {
        // As B-frames lie in the file, beginning before zero, at an uneven rate.
        let table = FrameTable([-1024, 2048, 0, 1000, 7000, 3000])
        #expect([-1024, 0, 1000, 2048, 3000, 7000].map { table.index(of: $0) } == [0, 1, 2, 3, 4, 5])
        #expect(table.count == 6)
    }

    @Test("gives a stamp between two the place of the earlier one, and none before the first")
    func between() {
        let table = FrameTable([0, 100, 200])
        #expect(table.index(of: 150) == 1)
        #expect(table.index(of: 900) == 2)
        #expect(table.index(of: -1) == nil)
        #expect(FrameTable([]).index(of: 0) == nil)
    }

    @Test("gives pictures of one stamp one place")
    func equalStamps() {
        let table = FrameTable([5, 5, 5, 9])
        #expect(table.index(of: 5) == 0)
        #expect(table.index(of: 9) == 3)
    }
}
