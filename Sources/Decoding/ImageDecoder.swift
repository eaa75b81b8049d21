internal import CLibAV
package import Pictures
internal import VAP

/// Decodes one still picture from memory: PNG, JPEG, WebP or the first picture of a GIF. Any thread; takes
/// milliseconds for an avatar, half a second for the largest that is taken. Opens nothing by itself.
package enum ImageDecoder {
    /// A picture of 8 bits a sample takes four bytes each while it is decoded, one of 16 bits twelve.
    package static let pixelLimit = 8 << 20
    /// Bytes of a file or an answer that a picture is read from.
    package static let byteLimit: Int64 = 32 << 20
    private static let sideLimit = 16_384

    /// The picture the right way up, straight alpha.
    package static func decode(_ bytes: [UInt8]) throws(ImageError) -> PixelImage {
        _ = LibAV.isQuiet
        guard let format = ImageFormat(bytes) else {
            throw ImageError(
                .formatUnknown,
                bytes.isEmpty ? "the picture has no bytes" : "the picture is neither PNG, JPEG, WebP nor GIF")
        }
        if let size = format.size(bytes) { try check(size, format) }
        guard format.isWhole(bytes) else {
            throw ImageError(.broken, "the \(format.rawValue) picture is cut after \(bytes.count) bytes")
        }
        let frame = try frame(bytes, format)
        return try image(frame.raw, format)
    }

    private static func frame(_ bytes: [UInt8], _ format: ImageFormat) throws(ImageError) -> Owner<AVFrame> {
        guard let codec = avcodec_find_decoder(format.codec) else {
            throw ImageError(.formatUnknown, "this libavcodec does not read \(format.rawValue)")
        }
        let decoder = Owner<AVCodecContext>.codec(codec)
        decoder.raw.pointee.thread_count = 1
        decoder.raw.pointee.max_pixels = Int64(pixelLimit)
        try check(format, avcodec_open2(decoder.raw, codec, nil))
        let packet = Owner<AVPacket>.packet()
        guard bytes.count < Int(Int32.max), av_new_packet(packet.raw, Int32(bytes.count)) == 0 else {
            throw ImageError(.tooLarge, "the picture has \(bytes.count) bytes")
        }
        packet.raw.pointee.data.update(from: bytes, count: bytes.count)
        // Without the flag a PNG decoder takes the picture for a difference.
        packet.raw.pointee.flags |= AV_PKT_FLAG_KEY
        let frame = Owner<AVFrame>.frame()
        try check(format, avcodec_send_packet(decoder.raw, packet.raw))
        _ = avcodec_send_packet(decoder.raw, nil)
        try check(format, avcodec_receive_frame(decoder.raw, frame.raw))
        guard frame.raw.pointee.decode_error_flags == 0,
            frame.raw.pointee.flags & AV_FRAME_FLAG_CORRUPT == 0
        else { throw ImageError(.broken, "the \(format.rawValue) picture is damaged") }
        return frame
    }

    private static func check(_ format: ImageFormat, _ code: Int32) throws(ImageError) {
        guard code < 0 else { return }
        throw ImageError(.broken, "the \(format.rawValue) picture cannot be decoded: \(LibAV.text(code))")
    }

    private static func check(_ size: Size, _ format: ImageFormat) throws(ImageError) {
        guard size.width > 0, size.height > 0 else {
            throw ImageError(.broken, "the \(format.rawValue) picture is \(size.width)x\(size.height)")
        }
        // Without a product that could overflow.
        guard max(size.width, size.height) <= sideLimit, size.width * size.height <= pixelLimit else {
            throw ImageError(
                .tooLarge,
                "the \(format.rawValue) picture is \(size.width)x\(size.height), more than \(sideLimit) a side or "
                    + "\(pixelLimit) pixels")
        }
    }

    private static func image(
        _ frame: UnsafeMutablePointer<AVFrame>, _ format: ImageFormat
    ) throws(ImageError) -> PixelImage {
        let (width, height) = (Int(frame.pointee.width), Int(frame.pointee.height))
        try check(Size(width, height), format)
        let target = Owner<AVFrame>.picture(AV_PIX_FMT_RGBA, width, height)
        do throws(PackError) {
            try PackScaler().convert(frame, into: target.raw)
        } catch {
            throw ImageError(.broken, "the \(format.rawValue) picture cannot be converted: \(error)")
        }
        guard let data = target.raw.pointee.data.0 else {
            throw ImageError(.broken, "the \(format.rawValue) picture has no pixels")
        }
        let pixels = ImageOrientation(frame).upright(
            UnsafeRawPointer(data), stride: Int(target.raw.pointee.linesize.0), Size(width, height))
        return PixelImage(size: pixels.size, bytes: pixels.bytes, isPremultiplied: false)
    }
}
