internal import CLibAV

/// Converts pictures between pixel formats and sizes with libswscale. Keeps its tables while the shape stays.
///
/// One thread. The first source plane's shape decides; frames with another shape build new tables.
final class PackScaler {
    private var context: OpaquePointer?
    private let keepsColour: Bool

    /// One that keeps colour changes no matrix and no range on the way from YUV to YUV, and makes of RGB what the
    /// target's tags say.
    init(keepsColour: Bool = false) { self.keepsColour = keepsColour }

    deinit { sws_freeContext(context) }

    /// Fills `target` from `source`; both keep their owners. YUV sources follow their colour tags; untagged means
    /// BT.601 limited, as everywhere in libav. RGB is full range.
    func convert(
        _ source: UnsafeMutablePointer<AVFrame>, into target: UnsafeMutablePointer<AVFrame>
    ) throws(PackError) {
        let (from, to) = (source.pointee, target.pointee)
        let flags = SWS_AREA | SWS_ACCURATE_RND | SWS_BITEXACT | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP
        context = sws_getCachedContext(
            context, from.width, from.height, AVPixelFormat(from.format), to.width, to.height,
            AVPixelFormat(to.format), flags, nil, nil, nil)
        guard let context else {
            let name = av_get_pix_fmt_name(AVPixelFormat(from.format)).map { String(cString: $0) }
            throw PackError(.inputUnreadable, "pictures in \(name ?? "an unknown pixel format")")
        }
        tag(context, from, to)
        try packCheck(.inputUnreadable, "convert a picture", sws_scale_frame(context, target, source))
    }

    private func tag(_ context: OpaquePointer, _ source: AVFrame, _ target: AVFrame) {
        let table = Self.table(source)
        let isFull: Int32 = source.color_range == AVCOL_RANGE_JPEG ? 1 : 0
        guard keepsColour else {
            let standard = sws_getCoefficients(SWS_CS_ITU601)
            sws_setColorspaceDetails(context, table, isFull, standard, 0, 0, 1 << 16, 1 << 16)
            return
        }
        let description = av_pix_fmt_desc_get(AVPixelFormat(source.format))
        let isRGB = (description?.pointee.flags ?? 0) & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
        let isTargetFull: Int32 = target.color_range == AVCOL_RANGE_JPEG ? 1 : 0
        sws_setColorspaceDetails(
            context, table, isRGB ? 1 : isTargetFull, isRGB ? Self.table(target) : table, isTargetFull, 0,
            1 << 16, 1 << 16)
    }

    private static func table(_ frame: AVFrame) -> UnsafePointer<Int32>? {
        UnsafePointer(
            sws_getCoefficients(frame.colorspace == AVCOL_SPC_BT709 ? SWS_CS_ITU709 : SWS_CS_ITU601))
    }
}
