internal import Basics

/// Which of the feed's two tracks a packet belongs to.
package enum Track: Int, Sendable, CaseIterable {
    case video, audio
}

/// Repairs the stamps of one connection in front of the decoders: feed time only ever rises.
///
/// Decoders pin every stamp that goes back to the last one, so whatever a publisher does to its clock is mended
/// here: wraps are unwrapped exactly, jumps (backward, or forward further than time has passed) are closed so that
/// the packet follows its predecessor. Audio and video share the offset: the track that sees a jump first opens a
/// new epoch, the other keeps its old mapping until its own jump and then takes the same offset.
///
/// - The first packet of a connection gets its arrival as feed time.
/// - A small step back (jitter, up to `jitter`) keeps the mapping; the stamp is held at the last one.
/// - A gap that really passed (arrival says so) stays a gap.
///
/// Pure: nanoseconds in, nanoseconds out. One owner: the pads' probes share it behind a lock.
struct Continuity {
    /// What was done to a packet's stamp, beyond following the mapping.
    enum Repair: Sendable {
        case none, wrap, jumpBack, jumpForward
    }

    struct Stamped {
        /// Decoding time in feed time: rises strictly within a track.
        let dts: Nanoseconds
        let repair: Repair
    }

    private struct Line {
        var epoch = 0
        var offset: Nanoseconds = 0
        var lastRaw: Nanoseconds = 0
        var lastOut: Nanoseconds = 0
        var lastArrival: Nanoseconds = 0
        var step: Nanoseconds = 0
    }

    /// RTMP stamps are 32-bit milliseconds, those of MPEG-TS 33 bits at 90 kHz.
    private static let wrapPeriods: [Nanoseconds] = [
        (1 << 32) * .millisecond, ((1 << 33) * .second + 45_000) / 90_000,
    ]
    private static let jitter: Nanoseconds = 300 * .millisecond
    private static let tolerance: Nanoseconds = 2 * .second

    private var epoch = 0
    private var offset: Nanoseconds = 0
    private var lines: [Line?] = [nil, nil]

    /// The feed time of a packet that carries `raw` and came at `arrival` (running time).
    mutating func arrived(_ track: Track, raw: Nanoseconds, arrival: Nanoseconds) -> Stamped {
        guard var line = lines[track.rawValue] else { return open(track, raw: raw, arrival: arrival) }
        var repair = Repair.none
        let delta = raw - line.lastRaw
        if delta < -Self.jitter || delta > max(arrival - line.lastArrival, 0) + Self.tolerance {
            repair = mend(&line, raw: raw, delta: delta)
        } else if delta > 0 {
            line.step = min(delta, .second)
        }
        let out = max(raw + line.offset, line.lastOut + 1)
        line.lastRaw = raw
        line.lastOut = out
        line.lastArrival = arrival
        lines[track.rawValue] = line
        return Stamped(dts: out, repair: repair)
    }

    private mutating func open(_ track: Track, raw: Nanoseconds, arrival: Nanoseconds) -> Stamped {
        let other = lines[1 - track.rawValue]
        var line = Line(epoch: epoch, offset: offset, lastRaw: raw, lastArrival: arrival)
        let isNear = other.map { abs(raw + offset - $0.lastOut) < 5 * .second } ?? false
        if !isNear {
            line.offset = arrival - raw
            if other == nil { offset = line.offset }
        }
        line.lastOut = raw + line.offset
        lines[track.rawValue] = line
        return Stamped(dts: line.lastOut, repair: .none)
    }

    private mutating func mend(_ line: inout Line, raw: Nanoseconds, delta: Nanoseconds) -> Repair {
        let expected = line.lastOut + max(line.step, 1)
        // The other track was here first: follow it where that continues this track.
        if line.epoch < epoch, abs(raw + offset - expected) < Self.tolerance {
            line.epoch = epoch
            line.offset = offset
            return .none
        }
        let period = Self.wrapPeriods.first { abs(delta + $0) < Self.tolerance }
        line.offset = period.map { line.offset + $0 } ?? (expected - raw)
        epoch += 1
        line.epoch = epoch
        offset = line.offset
        return period != nil ? .wrap : delta < 0 ? .jumpBack : .jumpForward
    }
}
