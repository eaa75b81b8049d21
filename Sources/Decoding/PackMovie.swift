internal import CLibAV
internal import VAP

/// A video with an alpha channel, of any kind that libav reads.
final class PackMovie: PackSource {
    let size: Size
    let rate: Double?
    let count: Int?
    private(set) var end = 0.0

    private let path: String
    private let track: PackTrack
    private let scaler = PackScaler()
    private let tick: Double
    private var start: Int64?
    private var last = 0.0

    init(path: String) throws(PackError) {
        guard let track = try PackTrack(AVMEDIA_TYPE_VIDEO, of: path, errors: .inputUnreadable) else {
            throw PackError(.inputUnreadable, "\(path): no video track")
        }
        let stream = track.stream.pointee
        let average = av_q2d(stream.avg_frame_rate)
        rate = average.isFinite && average > 0 ? average : nil
        count = stream.nb_frames > 0 ? Int(stream.nb_frames) : nil
        tick = av_q2d(stream.time_base)
        size = Size(Int(track.codec.raw.pointee.width), Int(track.codec.raw.pointee.height))
        self.track = track
        self.path = path
    }

    func next(into target: UnsafeMutablePointer<AVFrame>) throws(PackError) -> Double? {
        guard try track.next() else { return nil }
        let frame = track.frame.raw.pointee
        guard packHasAlpha(frame.format) else {
            let name =
                av_get_pix_fmt_name(AVPixelFormat(frame.format)).map { String(cString: $0) } ?? "unknown"
            throw PackError(.alphaMissing, "\(path): its pictures (\(name)) have no transparency")
        }
        guard Int(frame.width) == size.width, Int(frame.height) == size.height else {
            throw PackError(
                .sizeChanged, "\(path): the picture size changes to \(frame.width)x\(frame.height)")
        }
        try scaler.convert(track.frame.raw, into: target)
        return time(of: frame)
    }

    /// Seconds after the first picture. A picture without a stamp follows the one before at the average rate.
    private func time(of frame: AVFrame) -> Double {
        let length = rate.map { 1 / $0 } ?? 0.04
        let stamp = frame.best_effort_timestamp
        if stamp != cav_no_pts {
            if start == nil { start = stamp }
            last = Double(stamp) * tick - Double(start ?? stamp) * tick
        } else if start != nil || end > 0 {
            last = end
        }
        end = last + length
        return last
    }
}
