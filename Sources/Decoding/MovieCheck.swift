internal import VAP

/// Looks at the tables of a `moov` box before libavformat does, which believes the counts that it finds there: a
/// sample count of 80 million in a file of 2 kB costs it 2 GB.
enum MovieCheck {
    /// Samples of one track. An hour of sound at 48 kHz has 170,000.
    static let samples = 250_000
    private static let parents: Set<String> = ["trak", "mdia", "minf", "stbl"]
    private static let depth = 4

    static func check(_ boxes: [Box], in source: some ByteSource) throws(AnimationError) {
        guard !boxes.contains(where: { $0.type == "moof" }) else {
            throw AnimationError(
                .mediaInvalid,
                "The file is fragmented ('moof'); write it anew with ffmpeg -c copy, without fragments.")
        }
        for box in boxes where box.type == "moov" {
            var budget = Limits.boxes
            try walk(
                box.payloadOffset, box.payloadOffset + box.payloadSize, in: source, depth: depth,
                budget: &budget)
        }
    }

    /// What the movie box holds that cannot be a box is left to libavformat.
    private static func walk(
        _ start: Int64, _ end: Int64, in source: some ByteSource, depth: Int, budget: inout Int
    ) throws(AnimationError) {
        var position = start
        while end - position >= 8 {
            budget -= 1
            guard budget > 0 else {
                throw AnimationError(.limitExceeded, "Box 'moov' holds more than \(Limits.boxes) boxes.")
            }
            let header = try header(at: position, in: source)
            guard header.count >= 8 else { return }
            let size = Int64(number(header[0..<4]))
            let type = String(decoding: header[4..<8], as: UTF8.self)
            let next = size == 0 ? end : position + size
            guard size == 0 || size >= 8, next <= end else { return }
            if parents.contains(type), depth > 0 {
                try walk(position + 8, next, in: source, depth: depth - 1, budget: &budget)
            } else if ["stsz", "stz2"].contains(type), header.count == 20 {
                try check(samples: number(header[16..<20]), type)
            }
            position = next
        }
    }

    private static func check(samples count: UInt32, _ type: String) throws(AnimationError) {
        guard count <= samples else {
            throw AnimationError(.mediaInvalid, "Box '\(type)' says \(count) samples, more than \(samples).")
        }
    }

    /// The header and as much behind it as a sample table needs.
    private static func header(at position: Int64, in source: some ByteSource) throws(AnimationError)
        -> [UInt8]
    {
        do {
            return try source.read(at: position, count: 20)
        } catch {
            throw AnimationError(.notFound, "The file cannot be read at byte \(position): \(error).")
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
