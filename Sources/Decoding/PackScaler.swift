internal import CLibAV

/// Converts pictures between pixel formats and sizes with libswscale. Keeps its tables while the shape stays.
///
/// One thread. The first source plane's shape decides; frames with another shape build new tables.
final class PackScaler {
    private var context: OpaquePointer?

    deinit { sws_freeContext(context) }

    /// Fills `target` from `source`; both keep their owners. YUV sources follow their colour tags; untagged means
    /// BT.601 limited, as everywhere in libav. RGB is full range.
    func convert(
        _ source: UnsafeMutablePointer<AVFrame>, into target: UnsafeMutablePointer<AVFrame>
    ) throws(PackError) {
        let (from, to) = (source.pointee, target.pointee)
        let flags = SWS_AREA | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP
        context = sws_getCachedContext(
            context, from.width, from.height, AVPixelFormat(from.format), to.width, to.height,
            AVPixelFormat(to.format), flags, nil, nil, nil)
        guard let context else {
            let name = av_get_pix_fmt_name(AVPixelFormat(from.format)).map { String(cString: $0) }
            throw PackError(.inputUnreadable, "pictures in \(name ?? "an unknown pixel format")")
        }
        tag(context, from)
        try packCheck(.inputUnreadable, "convert a picture", sws_scale_frame(context, target, source))
    }

    private func tag(_ context: OpaquePointer, _ source: AVFrame) {
        let isHD = source.colorspace == AVCOL_SPC_BT709
        let table = sws_getCoefficients(isHD ? SWS_CS_ITU709 : SWS_CS_ITU601)
        let standard = sws_getCoefficients(SWS_CS_ITU601)
        let isFull: Int32 = source.color_range == AVCOL_RANGE_JPEG ? 1 : 0
        sws_setColorspaceDetails(context, table, isFull, standard, 0, 0, 1 << 16, 1 << 16)
    }
}
