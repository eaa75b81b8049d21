internal import CLibAV
package import Pictures
package import VAP

/// The video codecs that gift files may use.
package enum VideoCodec: String, Sendable, Codable {
    case h264, hevc
}

/// What all decoded pictures of an animation have in common. Told by the first of them: the track's header may be
/// silent or wrong.
package struct CodedFormat: Hashable, Sendable {
    /// After the codec's own cropping.
    package let size: Size
    /// As libav names it, for instance `yuv420p10le`.
    package let name: String
    package let bitDepth: Int
    package let chromaShiftX, chromaShiftY: Int
    package let colour: ColourSpace

    /// Reads a decoded frame; refuses what cannot be painted.
    init(_ frame: AVFrame) throws(AnimationError) {
        let format = AVPixelFormat(frame.format)
        guard let description = av_pix_fmt_desc_get(format)?.pointee else {
            throw AnimationError(.pixelFormatUnsupported, "The pictures have no known pixel format.")
        }
        name = String(cString: description.name)
        let depths = [description.comp.0.depth, description.comp.1.depth, description.comp.2.depth]
        let refused = UInt64(
            AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_HWACCEL)
        guard description.nb_components == 3, description.flags & refused == 0,
            description.flags & UInt64(AV_PIX_FMT_FLAG_PLANAR) != 0, Set(depths).count == 1,
            [8, 10].contains(depths[0]), description.log2_chroma_w <= 1,
            description.log2_chroma_h <= description.log2_chroma_w
        else {
            throw AnimationError(
                .pixelFormatUnsupported,
                "The pictures are \(name); 4:2:0, 4:2:2 and 4:4:4 with 8 or 10 bits are played.")
        }
        size = Size(Int(frame.width), Int(frame.height))
        bitDepth = Int(depths[0])
        chromaShiftX = Int(description.log2_chroma_w)
        chromaShiftY = Int(description.log2_chroma_h)
        colour = Self.colour(of: frame)
    }

    /// Without tags: BT.601 limited, at any size. Of the tags for other matrices the nearer of the two counts.
    static func colour(of frame: AVFrame) -> ColourSpace {
        let matrix: ColourSpace.Matrix
        switch frame.colorspace {
        case AVCOL_SPC_BT709, AVCOL_SPC_SMPTE240M, AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: matrix = .bt709
        default: matrix = .bt601
        }
        let fullFormats = [
            AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P,
        ]
        let isFull =
            frame.color_range == AVCOL_RANGE_JPEG || fullFormats.contains(AVPixelFormat(frame.format))
        return ColourSpace(matrix, isFull ? .full : .limited)
    }
}
