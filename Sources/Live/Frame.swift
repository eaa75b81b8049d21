internal import Basics
internal import CGStreamer
internal import Pictures

/// A raw frame that the timeline keeps so that it can be shown again: a reference, no pixels are copied.
///
/// Sendable: the reference count is atomic and nobody writes into the memory (drawing copies first).
final class Frame: @unchecked Sendable {
    private let buffer: UnsafeMutablePointer<GstBuffer>

    init(keeping buffer: UnsafeMutablePointer<GstBuffer>) { self.buffer = gst_buffer_ref(buffer) ?? buffer }

    /// What is shown before the first frame of the feed: a quiet dark grey that falls off to black.
    init(standby format: ProgramFormat) throws(LiveError) {
        var info = GstVideoInfo()
        gst_video_info_set_format(&info, GST_VIDEO_FORMAT_I420, guint(format.width), guint(format.height))
        guard let buffer = gst_buffer_new_allocate(nil, info.size, nil) else {
            throw LiveError("program", "out of memory for the standby picture")
        }
        self.buffer = buffer
        gst_buffer_memset(buffer, 0, 128, info.size)
        for row in 0..<format.height {
            let luma = 16 + 28 * (format.height - row) / format.height
            gst_buffer_memset(
                buffer, gsize(row * Int(info.stride.0)), UInt8(luma), gsize(info.stride.0))
        }
    }

    deinit { gst_buffer_unref(buffer) }

    /// A buffer over the same pixels with this stamp. The caller owns it.
    func buffer(at stamp: Nanoseconds, duration: Nanoseconds) -> UnsafeMutablePointer<GstBuffer>? {
        buffer.stamped(pts: stamp, duration: duration)
    }
}
