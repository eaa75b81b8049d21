internal import CLibAV
internal import VAP

/// What concerns all of libav.
enum LibAV {
    /// Read it before the first call: from then on libav's own lines stay off standard error. What is wrong with a
    /// file is told by our errors, once, and not by hundreds of lines of a hostile file's making.
    static let isQuiet: Void = av_log_set_level(AV_LOG_QUIET)

    /// The library's own words for one of its codes.
    static func text(_ code: Int32) -> String {
        var text = [CChar](repeating: 0, count: Int(AV_ERROR_MAX_STRING_SIZE))
        av_strerror(code, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Turns a negative answer into an error of the given kind.
    static func check(
        _ kind: AnimationError.Kind, _ operation: String, _ code: Int32
    ) throws(AnimationError) {
        guard code < 0 else { return }
        throw AnimationError(kind, "\(operation): \(text(code)).")
    }
}
