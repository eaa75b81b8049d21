import Basics
import Foundation
import Testing
import VAP

@testable import Decoding

/// Gift files with sound: the patch gift's pictures, one second, and a track made by ffmpeg.
enum SoundGift {
    /// A tone that swells and fades around `time`, for 50 ms or so: its middle can be found after any codec.
    static func burst(at time: Double, rate: Int = 48_000) -> String {
        "aevalsrc='0.5*sin(2*PI*1000*t)*exp(0-((t-\(time))/0.01)^2)':s=\(rate):d=1"
    }

    /// A saw whose samples 16 bits hold exactly: sample n is (n mod 1024) / 2048.
    static let saw = "aevalsrc='mod(n,1024)/2048':s=48000:d=1"
    static func saw(_ place: Int) -> Float { Float(place % 1024) / 2048 }
    static let exact = ["-c:a", "flac", "-sample_fmt", "s16", "-strict", "-2"]

    static func make(
        _ name: String = "sound.mp4", in directory: PackDirectory, _ source: String,
        _ encoding: [String] = ["-c:a", "aac"], video: [String] = ["-c:v", "libx264", "-bf", "0"],
        before: [String] = []
    ) throws -> String {
        try PatchGift.make(
            name, in: directory, video + encoding, filter: before + ["-f", "lavfi", "-i", source])
    }

    /// Writes noise over the `packets` of the sound's track.
    static func damage(_ path: String, _ packets: Range<Int>) throws {
        let text = try FFmpeg.run(
            "ffprobe", ["-select_streams", "a", "-show_entries", "packet=pos,size", "-of", "csv=p=0", path])
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        for line in lines[packets.clamped(to: 0..<lines.count)] {
            let numbers = line.split(separator: ",").compactMap { UInt64($0) }
            try handle.seek(toOffset: numbers[1])
            try handle.write(
                contentsOf: Data((0..<numbers[0]).map { UInt8(truncatingIfNeeded: $0 &* 151 | 0xE1) }))
        }
        try handle.close()
    }
}

/// Decodes a file's sound to its end, as a mix that takes everything at once would. Left and right.
func decodedSound(_ path: String) throws -> (left: [Float], right: [Float], failure: String?) {
    let animation = try Animation.open(path: path)
    let state = SoundState()
    let worker = Worker(name: "decodes")
    worker.run { SoundWork(animation: animation, state: state).run() }
    var (left, right): ([Float], [Float]) = ([], [])
    let deadline = Monotonic.now() + 20 * .second
    while Int64(left.count) < state.length ?? .max, Monotonic.now() < deadline {
        let (begin, end) = (state.ring.first, state.ring.end)
        for place in begin..<end {
            left.append(state.ring.sample(place)[0])
            right.append(state.ring.sample(place)[1])
        }
        state.ring.release(before: end)
        state.wakeWorker()
        usleep(200)
    }
    state.guarded.change { $0.isStopped = true }
    worker.stop()
    return (left, right, state.guarded.withLock { $0.failure?.description })
}

/// Where the energy of a sound lies, in seconds, and its greatest sample.
func centre(_ samples: [Float]) -> (time: Double, peak: Float) {
    var (weight, sum) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
        weight += Double(sample * sample)
        sum += Double(sample * sample) * Double(index) / 48_000
    }
    return (weight > 0 ? sum / weight : .nan, samples.map { abs($0) }.max() ?? 0)
}
