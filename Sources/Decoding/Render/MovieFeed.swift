internal import CLibAV
internal import Glibc
internal import Pictures
internal import VAP

/// A video file at a constant rate. Its pictures follow each other by their stamps: one that stays longer is there
/// several times, and none is left out. One thread.
final class MovieFeed: RenderFeed {
    let format: RenderFormat
    let count: Int?
    private(set) var damaged = 0

    private let path: String
    /// Its frame is the picture to come.
    private let track: PackTrack
    /// The picture that is on.
    private let shown = Owner<AVFrame>.frame()
    private let first: Int64?
    /// Which frame of the program the picture to come is for; nil behind the last.
    private var slot: Int? = 0
    private var index = 0
    /// Pictures that may fail one behind the other before the feed counts as broken.
    private static let patience = 300

    /// Opens a file and decodes its first picture, which tells size and colours.
    init(_ path: String) throws(RenderError) {
        self.path = path
        try Self.check(path)
        track = try Self.open(path)
        guard let refused = try Self.decode(track, path) else {
            throw Self.refusal(path, "none of its pictures can be decoded")
        }
        damaged = refused
        let frame = track.frame.raw.pointee
        let stream = track.stream.pointee
        let size = Size(Int(frame.width), Int(frame.height))
        guard (2...8192).contains(size.width), (2...8192).contains(size.height) else {
            throw Self.refusal(path, "its pictures are \(size.width)x\(size.height), not 2 to 8192 a side")
        }
        let rate = try Self.rate(of: stream, path)
        format = RenderFormat(
            size: size, rate: rate, colour: Self.colour(of: frame),
            aspect: Self.aspect(frame, stream), chromaLocation: frame.chroma_location)
        first = Self.stamp(of: frame)
        let length = stream.duration > 0 ? Double(stream.duration) * av_q2d(stream.time_base) : 0
        count = length * rate.value >= 1 ? Int(min(length * rate.value, 1e9).rounded()) : nil
    }

    func sound() -> FeedSound? {
        let zero = first.map { Double($0) * av_q2d(track.stream.pointee.time_base) }
        return FeedSound(path, zero: zero ?? 0)
    }

    func next(onto canvas: RenderCanvas) throws(RenderError) -> Bool {
        guard let due = slot else { return false }
        if due <= index {
            av_frame_unref(shown.raw)
            av_frame_move_ref(shown.raw, track.frame.raw)
            let refused = try Self.decode(track, path)
            damaged += refused ?? 0
            slot = refused.map { _ in slot(after: due) }
        }
        try canvas.take(shown.raw)
        index += 1
        return true
    }

    /// Where the picture just decoded belongs: by its stamp, and behind the one before.
    private func slot(after last: Int) -> Int {
        guard let first, let stamp = Self.stamp(of: track.frame.raw.pointee) else { return last + 1 }
        let seconds = Double(stamp - first) * av_q2d(track.stream.pointee.time_base)
        return max(last + 1, Int(min(max(seconds * format.rate.value, 0), 1e12).rounded()))
    }

    /// Decodes the next picture and answers how many were refused on the way; nil at the end.
    private static func decode(_ track: PackTrack, _ path: String) throws(RenderError) -> Int? {
        var words = ""
        for refused in 0..<patience {
            do throws(PackError) {
                return try track.next() ? refused : nil
            } catch {
                words = error.message
            }
        }
        throw RenderError(.feedUnreadable, "\(patience) pictures in a row cannot be decoded: \(words)")
    }

    /// Pictures in red, green and blue become BT.601 limited; grey without a tag has the full range.
    private static func colour(of frame: AVFrame) -> ColourSpace {
        let description = av_pix_fmt_desc_get(AVPixelFormat(frame.format))?.pointee
        if (description?.flags ?? 0) & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0 {
            return ColourSpace(.bt601, .limited)
        }
        var colour = CodedFormat.colour(of: frame)
        let isGrey = description.map { $0.nb_components <= 2 } ?? false
        if isGrey, frame.color_range == AVCOL_RANGE_UNSPECIFIED { colour.range = .full }
        return colour
    }

    /// Of one pixel; the file's word counts where the picture says nothing.
    private static func aspect(_ frame: AVFrame, _ stream: AVStream) -> AVRational {
        let own = frame.sample_aspect_ratio
        return own.num > 0 && own.den > 0 ? own : stream.sample_aspect_ratio
    }

    private static func stamp(of frame: AVFrame) -> Int64? {
        frame.best_effort_timestamp == cav_no_pts ? nil : frame.best_effort_timestamp
    }

    private static func check(_ path: String) throws(RenderError) {
        var status = stat()
        guard !path.utf8.contains(0), stat(path, &status) == 0 else {
            throw RenderError(.feedMissing, "\(path): \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw RenderError(.feedMissing, "\(path): not a regular file")
        }
    }

    /// As a file, whatever its name looks like.
    private static func open(_ path: String) throws(RenderError) -> PackTrack {
        _ = LibAV.isQuiet
        let track = try rendering { () throws(PackError) in
            try PackTrack(AVMEDIA_TYPE_VIDEO, of: "file:\(path)", errors: .inputUnreadable)
        }
        guard let track else { throw refusal(path, "no video track") }
        return track
    }

    private static func rate(of stream: AVStream, _ path: String) throws(RenderError) -> RenderRate {
        let candidates = [stream.avg_frame_rate, stream.r_frame_rate]
        let rates = candidates.filter { $0.num > 0 && $0.den > 0 }.map {
            RenderRate(Int($0.num), Int($0.den))
        }
        guard let average = rates.first else { return RenderRate(25, 1) }
        guard (0.01...1000).contains(average.value) else {
            throw refusal(path, "\(average.value) pictures a second, not 0.01 to 1000")
        }
        // Averages of rounded stamps are a little off; the exact rate is said beside them.
        let exact = rates.last { abs($0.value / average.value - 1) < 0.003 }
        return exact ?? average
    }

    private static func refusal(_ path: String, _ what: String) -> RenderError {
        RenderError(.feedUnsupported, "\(path): \(what)")
    }
}
