import Foundation
import Testing
import VAP

/// Hand-made files and layouts.
enum Make {
    static func box(_ type: String, _ payload: [UInt8] = []) -> [UInt8] {
        bigEndian(UInt32(payload.count + 8)) + Array(type.utf8) + payload
    }

    /// A box with the size field given, whatever follows.
    static func header(_ type: String, size: UInt32) -> [UInt8] { bigEndian(size) + Array(type.utf8) }

    static func longBox(_ type: String, size: UInt64, _ payload: [UInt8] = []) -> [UInt8] {
        header(type, size: 1) + bigEndian(size) + payload
    }

    static func bigEndian<T: FixedWidthInteger>(_ number: T) -> [UInt8] {
        (0..<T.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    static let info: [String: String] = [
        "v": "2", "f": "10", "w": "32", "h": "32", "videoW": "80", "videoH": "32", "orien": "0", "fps": "10",
        "isVapx": "0", "rgbFrame": "[0,0,32,32]", "aFrame": "[36,0,32,32]",
    ]

    /// A good layout with some members of `info` replaced (nil: left out) and raw text behind `info`.
    static func json(_ changes: [String: String?] = [:], more: String = "") -> [UInt8] {
        var members = info
        for (name, value) in changes { members[name] = value }
        let text = members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(
            separator: ",")
        return Array("{\"info\":{\(text)}\(more)}".utf8)
    }

    static let moov = box("moov", [1, 2, 3])

    /// ftyp, vapc, moov, mdat.
    static func file(layout: [UInt8] = json()) -> [UInt8] {
        box("ftyp", Array("isom".utf8)) + box("vapc", layout) + moov + box("mdat", [9, 9, 9])
    }
}

/// What kind of error the call throws; nil and an issue when it throws none.
func kind<T>(of call: () throws(AnimationError) -> T) -> AnimationError.Kind? {
    refusal(of: call)?.kind
}

func refusal<T>(of call: () throws(AnimationError) -> T) -> AnimationError? {
    do {
        _ = try call()
        Issue.record("nothing is refused")
        return nil
    } catch {
        return error
    }
}

/// The files that are not part of the project: beside the package, or where `GIFTD_SHARED` says.
enum Shared {
    static let directory =
        ProcessInfo.processInfo.environment["GIFTD_SHARED"].map { URL(fileURLWithPath: $0) }
        ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared")

    static func bytes(_ path: String) -> [UInt8]? {
        (try? Data(contentsOf: directory.appendingPathComponent(path))).map(Array.init)
    }

    static func isThere(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: directory.appendingPathComponent(path).path)
    }
}

/// How many seconds of the processor `body` takes on this thread: unlike the time on the wall, that does not depend on
/// what else runs.
func processorSeconds(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    try body()
    return now() - start
}
