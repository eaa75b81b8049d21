import Foundation
import Testing

/// What ffprobe and ffmpeg find in a recorded file. Times are the file's own, in seconds.
struct Recording {
    struct Packet {
        let isVideo: Bool
        let pts, dts: Double
        let isKey: Bool
    }

    let path: String
    let packets: [Packet]

    init(_ path: String) throws {
        self.path = path
        let lines = try Self.run(
            "ffprobe",
            [
                "-v", "error", "-show_entries", "packet=codec_type,pts_time,dts_time,flags", "-of", "csv=p=0",
                path,
            ])
        packets = lines.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count >= 4, let pts = Double(fields[1]), let dts = Double(fields[2]) else {
                return nil
            }
            return Packet(isVideo: fields[0] == "video", pts: pts, dts: dts, isKey: fields[3].hasPrefix("K"))
        }
    }

    var video: [Packet] { packets.filter(\.isVideo) }
    var audio: [Packet] { packets.filter { !$0.isVideo } }

    /// How long the pictures go on.
    var duration: Double { (video.last?.dts ?? 0) - (video.first?.dts ?? 0) }

    /// The widest distance between two packets of a track, and how many do not come after the one before.
    func steps(_ packets: [Packet]) -> (widest: Double, notRising: Int) {
        let steps = zip(packets, packets.dropFirst()).map { $1.dts - $0.dts }
        return (steps.max() ?? 0, steps.filter { $0 <= 0 }.count)
    }

    /// Fails the test unless both tracks rise strictly, without a hole wider than `widest`, and start with a key.
    func expectClean(widest: Double = 0.07, _ location: SourceLocation = #_sourceLocation) {
        #expect(video.first?.isKey == true, "starts with a key frame", sourceLocation: location)
        #expect(
            video.allSatisfy { $0.pts >= $0.dts - 1e-6 }, "no picture before its decoding",
            sourceLocation: location)
        for (name, packets) in [("video", video), ("audio", audio)] {
            let (hole, notRising) = steps(packets)
            #expect(packets.count > 10, "\(name) is there", sourceLocation: location)
            #expect(notRising == 0, "\(name) DTS not rising", sourceLocation: location)
            #expect(hole <= widest, "widest \(name) step", sourceLocation: location)
        }
    }

    /// When the brightness or colour of a region passes a test and did not one picture before. `region` is for
    /// ffmpeg's crop filter, `value` one of signalstats' (YAVG, UAVG, VAVG).
    func onsets(_ region: String, _ value: String, above limit: Double) throws -> [Double] {
        try levels(region, value).onsets(above: limit)
    }

    /// A value of every picture.
    func levels(_ region: String, _ value: String) throws -> Levels {
        let key = "lavfi.signalstats.\(value)"
        let lines = try Self.run(
            "ffmpeg",
            [
                "-v", "error", "-copyts", "-i", path, "-map", "0:v:0", "-vf",
                "crop=\(region),signalstats,metadata=print:key=\(key):file=-", "-f", "null", "-",
            ])
        var (time, levels) = (0.0, Levels())
        for line in lines.split(separator: "\n") {
            if let place = line.range(of: "pts_time:") {
                time = Double(line[place.upperBound...].prefix { $0 != " " }) ?? time
            } else if line.hasPrefix(key + "="), let level = Double(line.dropFirst(key.count + 1)) {
                levels.values.append((time, level))
            }
        }
        return levels
    }

    /// When the sound sets in after silence.
    func beeps() throws -> [Double] {
        let lines = try Self.run(
            "ffmpeg",
            [
                "-v", "info", "-nostats", "-copyts", "-i", path, "-map", "0:a:0", "-af",
                "silencedetect=noise=-30dB:duration=0.3", "-f", "null", "-",
            ])
        return lines.split(separator: "\n").compactMap { line in
            line.range(of: "silence_end: ").flatMap { Double(line[$0.upperBound...].prefix { $0 != " " }) }
        }
    }

    /// How loud the sound is, in decibels of full scale, for every 20 ms; -200 where it is silent.
    func loudness() throws -> Levels {
        let key = "lavfi.astats.Overall.RMS_level"
        let lines = try Self.run(
            "ffmpeg",
            [
                "-v", "error", "-copyts", "-i", path, "-map", "0:a:0", "-af",
                "asetnsamples=960,astats=metadata=1:reset=1,ametadata=print:key=\(key):file=-", "-f", "null",
                "-",
            ])
        var (time, levels) = (0.0, Levels())
        for line in lines.split(separator: "\n") {
            if let place = line.range(of: "pts_time:") {
                time = Double(line[place.upperBound...].prefix { $0 != " " }) ?? time
            } else if line.hasPrefix(key + "=") {
                levels.values.append((time, max(Double(line.dropFirst(key.count + 1)) ?? -200, -200)))
            }
        }
        return levels
    }

    /// By how much every beep is later than its flash. Flashes without a beep near them are left out.
    func offsets() throws -> [Double] {
        let beeps = try beeps()
        return try onsets(Clip.flash, "YAVG", above: 170).compactMap { flash in
            beeps.map { $0 - flash }.min { abs($0) < abs($1) }.flatMap { abs($0) < 0.4 ? $0 : nil }
        }
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        let scene = try Scene()
        let (status, output) = try Spawned.run(program, arguments, in: scene.directory, within: 120)
        guard status == 0 else { throw Trouble("\(program) \(arguments.last ?? ""): \(output.suffix(500))") }
        return output
    }
}

/// One number for every picture of a recording.
struct Levels {
    var values: [(time: Double, level: Double)] = []

    func onsets(above limit: Double) -> [Double] {
        zip(values, values.dropFirst()).compactMap { $0.level <= limit && $1.level > limit ? $1.time : nil }
    }

    /// For how many pictures in a row the level stays above, run by run.
    func runs(above limit: Double) -> [Int] {
        values.split { $0.level <= limit }.map(\.count)
    }
}
