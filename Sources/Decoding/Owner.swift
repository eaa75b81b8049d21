internal import CLibAV
internal import Glibc

/// Owns one libav object and frees it with the function that belongs to it.
struct Owner<Object>: ~Copyable {
    let raw: UnsafeMutablePointer<Object>
    private let free: (UnsafeMutablePointer<Object>) -> Void

    /// A nil object means that libav got no memory for it.
    init(_ raw: UnsafeMutablePointer<Object>?, free: @escaping (UnsafeMutablePointer<Object>) -> Void) {
        guard let raw else { fatalError("out of memory") }
        self.raw = raw
        self.free = free
    }

    deinit { free(raw) }
}

extension Owner where Object == AVPacket {
    static func packet() -> Self {
        Self(av_packet_alloc()) {
            var packet: UnsafeMutablePointer<AVPacket>? = $0
            av_packet_free(&packet)
        }
    }
}

extension Owner where Object == AVCodecContext {
    static func codec(_ codec: UnsafePointer<AVCodec>) -> Self {
        Self(avcodec_alloc_context3(codec)) {
            var context: UnsafeMutablePointer<AVCodecContext>? = $0
            avcodec_free_context(&context)
        }
    }
}

extension Owner where Object == AVFormatContext {
    /// A file opened for reading, its tracks found.
    static func reading(_ path: String, _ kind: PackError.Kind) throws(PackError) -> Self {
        var context: UnsafeMutablePointer<AVFormatContext>?
        try packCheck(kind, path, avformat_open_input(&context, path, nil, nil))
        let owner = Self(context) {
            var context: UnsafeMutablePointer<AVFormatContext>? = $0
            avformat_close_input(&context)
        }
        try packCheck(kind, path, avformat_find_stream_info(owner.raw, nil))
        return owner
    }
}

extension Owner where Object == AVFrame {
    static func frame() -> Self {
        Self(av_frame_alloc()) {
            var frame: UnsafeMutablePointer<AVFrame>? = $0
            av_frame_free(&frame)
        }
    }

    /// A picture with memory of its own, rows aligned for libswscale.
    static func picture(_ format: AVPixelFormat, _ width: Int, _ height: Int) -> Self {
        let owner = frame()
        owner.raw.pointee.format = format.rawValue
        owner.raw.pointee.width = Int32(clamping: width)
        owner.raw.pointee.height = Int32(clamping: height)
        guard av_frame_get_buffer(owner.raw, 0) == 0 else { fatalError("out of memory") }
        return owner
    }
}
