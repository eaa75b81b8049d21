internal import CLibAV
internal import VAP

/// Where the pictures come from: one at a time, in display order. One thread.
protocol PackSource: AnyObject {
    /// The size of every picture that is handed out.
    var size: Size { get }
    /// The input's own constant rate, if it has one.
    var rate: Double? { get }
    /// How many pictures there are, as far as the input says.
    var count: Int? { get }
    /// Where the last picture ends, in seconds after the first. Right once `next` has answered nil.
    var end: Double { get }
    /// Fills `target`, an RGBA picture of `size`, and answers when it begins, in seconds after the first picture.
    /// Nil: that was the last.
    func next(into target: UnsafeMutablePointer<AVFrame>) throws(PackError) -> Double?
}

/// Whether pictures of this format can be transparent at all.
func packHasAlpha(_ format: Int32) -> Bool {
    guard let description = av_pix_fmt_desc_get(AVPixelFormat(format)) else { return false }
    return description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0
}
