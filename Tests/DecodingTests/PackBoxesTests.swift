import Testing

@testable import Decoding

@Suite("Pack boxes")
struct PackBoxesTests {
    private func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        packBigEndian(UInt32(8 + payload.count)) + Array(type.utf8) + payload
    }

    private func index(_ offsets: [UInt32], table: String = "stco", count: UInt32? = nil) -> [UInt8] {
        let entries = packBigEndian(count ?? UInt32(offsets.count)) + offsets.flatMap(packBigEndian)
        let table = box("stbl", box("stsz", [1, 2, 3]) + box(table, [0, 0, 0, 0] + entries))
        return box("moov", box("mvhd", []) + box("trak", box("mdia", box("minf", table))))
    }

    private let head: [UInt8] =
        packBigEndian(12) + Array("ftypisom".utf8) + packBigEndian(8) + Array("free".utf8)

    @Test("go into the official order, and chunk offsets keep pointing at the same bytes")
    func order() throws {
        let media = box("mdat", Array("onetwo".utf8))
        let offsets = [UInt32(head.count + 8), UInt32(head.count + 11)]
        let file = try #require(PackBoxes.insert(json: #"{"a":1}"#, into: head + media + index(offsets)))
        let boxes = try #require(PackBoxes.walk(file, 0..<file.count))
        #expect(boxes.map(\.type) == ["ftyp", "free", "moov", "vapc", "mdat"])
        #expect(String(decoding: file[boxes[3].range].dropFirst(8), as: UTF8.self) == #"{"a":1}"#)
        let moved = offsets.map { $0 + UInt32(boxes[2].range.count + boxes[3].range.count) }
        #expect(Array(file[boxes[2].range]) == index(moved))
        #expect(file[Int(moved[0])...].starts(with: Array("one".utf8)))
        #expect(file[Int(moved[1])...].starts(with: Array("two".utf8)))
    }

    @Test("are left alone when the file is of another shape")
    func otherShapes() {
        let media = box("mdat", [1, 2, 3])
        func isRefused(_ file: [UInt8]) -> Bool { PackBoxes.insert(json: "{}", into: file) == nil }
        #expect(!isRefused(head + media + index([28])))
        #expect(isRefused([]))
        #expect(isRefused(head + index([28]) + media))
        #expect(isRefused(head + box("uuid", []) + media + index([28])))
        #expect(isRefused(head + media + box("moov", [])))
        #expect(isRefused(head + media + index([28], table: "co64")))
        #expect(isRefused(head + media + index([28], count: 2)))
        #expect(isRefused(head + media + index([.max])))
        #expect(isRefused(head + media + index([28]).dropLast()))
        #expect(isRefused(head + [0, 0, 0, 1] + media + index([28])))
    }
}
