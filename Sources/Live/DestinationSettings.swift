internal import Basics
internal import Glibc

/// One place the program is published to.
package struct DestinationSettings: Sendable, Equatable {
    package var name: String
    /// `rtmp://` or `rtmps://`, `srt://`, or `file:` with a path that ends in mp4, mkv or flv.
    package var uri: String

    package init(name: String, uri: String) {
        self.name = name
        self.uri = uri
    }

    enum Kind: Sendable {
        case rtmp, srt, mp4, matroska, flv
    }

    var kind: Kind {
        if uri.hasPrefix("rtmp") { return .rtmp }
        if uri.hasPrefix("srt:") { return .srt }
        if uri.hasSuffix(".mkv") { return .matroska }
        return uri.hasSuffix(".flv") ? .flv : .mp4
    }

    /// The muxer and the sink, as a description with `m.video` and `m.audio` as the muxer's pads, and the sink's
    /// address, set by value.
    func pipeline() -> (description: String, address: (property: String, value: String)) {
        let video = "appsrc name=video \(AppSource.settings)"
        let audio = "appsrc name=audio \(AppSource.settings)"
        switch kind {
        case .rtmp:
            return (
                """
                \(video) ! m.video \(audio) ! m.audio \(Self.flvMuxer) \
                ! rtmp2sink name=sink sync=false async=false enable-last-sample=false timeout=5
                """, ("location", uri)
            )
        case .srt:
            let isListener = uri.contains("mode=listener") ? " wait-for-connection=false" : ""
            return (
                """
                \(video) ! h264parse config-interval=-1 ! m.sink_256 \(audio) ! aacparse ! m.sink_257 \
                mpegtsmux name=m alignment=7 \(Self.patience) \
                ! srtsink name=sink sync=false async=false enable-last-sample=false\(isListener)
                """, ("uri", uri)
            )
        case .mp4:
            let muxer = "mp4mux name=m fragment-duration=1000 \(Self.patience)"
            return file(video, "m.video_0", audio, "m.audio_0", muxer)
        case .matroska:
            return file(video, "m.video_0", audio, "m.audio_0", "matroskamux name=m streamable=true")
        case .flv: return file(video, "m.video", audio, "m.audio", Self.flvMuxer)
        }
    }

    /// How long a muxer waits for the track that is behind. It gives out as soon as both have data, so this costs
    /// nothing while they have; when the encoder is held up for a moment, it keeps the order of the tracks. A muxer
    /// that goes on without the pictures bends their stamps afterwards (flvmux) or sends them behind their time.
    private static let patience = "latency=\(2 * Nanoseconds.second)"
    private static let flvMuxer = "flvmux name=m streamable=true \(patience)"

    private func file(
        _ video: String, _ videoPad: String, _ audio: String, _ audioPad: String, _ muxer: String
    ) -> (description: String, address: (property: String, value: String)) {
        (
            """
            \(video) ! \(videoPad) \(audio) ! \(audioPad) \(muxer) \
            ! filesink name=sink sync=false async=false enable-last-sample=false buffer-mode=unbuffered
            """, ("location", Self.unusedPath(FeedSource.path(of: uri)))
        )
    }

    /// The path, or with -1, -2 … in front of its extension when a file is there: a recording is never written over.
    static func unusedPath(_ path: String) -> String {
        guard access(path, F_OK) == 0 else { return path }
        let dot = path.lastIndex(of: ".") ?? path.endIndex
        for number in 1... {
            let candidate = "\(path[..<dot])-\(number)\(path[dot...])"
            if access(candidate, F_OK) != 0 { return candidate }
        }
        return path
    }
}
