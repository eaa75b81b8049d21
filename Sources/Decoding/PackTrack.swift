internal import CLibAV

/// The best track of one kind in a file, decoded frame by frame. One thread.
final class PackTrack {
    let stream: UnsafeMutablePointer<AVStream>
    let codec: Owner<AVCodecContext>
    let frame = Owner<AVFrame>.frame()

    private let file: Owner<AVFormatContext>
    private let packet = Owner<AVPacket>.packet()
    private let kind: PackError.Kind
    private let path: String
    private var isDraining = false

    /// Nil when the file has no track of this kind. A file or codec that cannot be read is an error of `kind`.
    init?(_ type: AVMediaType, of path: String, errors kind: PackError.Kind) throws(PackError) {
        let file = try Owner<AVFormatContext>.reading(path, kind)
        let index = av_find_best_stream(file.raw, type, -1, -1, nil, 0)
        guard index >= 0, let stream = file.raw.pointee.streams[Int(index)] else { return nil }
        guard let decoder = Self.decoder(stream.pointee.codecpar.pointee.codec_id) else {
            let name = String(cString: avcodec_get_name(stream.pointee.codecpar.pointee.codec_id))
            throw PackError(kind, "\(path): no decoder for \(name)")
        }
        codec = Owner<AVCodecContext>.codec(decoder)
        try packCheck(kind, path, avcodec_parameters_to_context(codec.raw, stream.pointee.codecpar))
        try packCheck(kind, path, avcodec_open2(codec.raw, decoder, nil))
        self.file = file
        self.stream = stream
        self.path = path
        self.kind = kind
    }

    /// Fills `frame` with the next one; false at the end.
    func next() throws(PackError) -> Bool {
        while true {
            let code = avcodec_receive_frame(codec.raw, frame.raw)
            if code == cav_error_eof { return false }
            if code != cav_error_again {
                try packCheck(kind, path, code)
                return true
            }
            try feed()
        }
    }

    private func feed() throws(PackError) {
        while !isDraining {
            let code = av_read_frame(file.raw, packet.raw)
            if code == cav_error_eof {
                isDraining = true
                try packCheck(kind, path, avcodec_send_packet(codec.raw, nil))
                return
            }
            try packCheck(kind, path, code)
            defer { av_packet_unref(packet.raw) }
            guard packet.raw.pointee.stream_index == stream.pointee.index else { continue }
            try packCheck(kind, path, avcodec_send_packet(codec.raw, packet.raw))
            return
        }
    }

    /// FFmpeg's own VP8 and VP9 decoders throw the alpha away; libvpx keeps it.
    private static func decoder(_ id: AVCodecID) -> UnsafePointer<AVCodec>? {
        let preferred: String? =
            switch id {
            case AV_CODEC_ID_VP8: "libvpx"
            case AV_CODEC_ID_VP9: "libvpx-vp9"
            default: nil
            }
        return preferred.flatMap { avcodec_find_decoder_by_name($0) } ?? avcodec_find_decoder(id)
    }
}
