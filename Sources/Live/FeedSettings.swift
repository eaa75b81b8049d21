package import Basics

/// Where the room's live input comes from, and how long it is waited for.
package struct FeedSettings: Sendable, Equatable {
    /// `rtmp://`, `srt://`, `file:` or `test:`.
    package var uri: String
    /// Seconds between a frame's arrival and the moment it is due; nil chooses by the kind of feed.
    package var latency: Double?

    package init(uri: String, latency: Double? = nil) {
        self.uri = uri
        self.latency = latency
    }

    enum Kind: Sendable {
        case rtmp, srtCaller, srtListener, file, test
    }

    var kind: Kind {
        if uri.hasPrefix("rtmp") { return .rtmp }
        if uri.hasPrefix("srt:") { return uri.contains("mode=listener") ? .srtListener : .srtCaller }
        return uri.hasPrefix("file:") ? .file : .test
    }

    /// MPEG-TS carries its audio late and bundled (0.7 s with common publishers); RTMP does not.
    package var effectiveLatency: Nanoseconds {
        if let latency { return Nanoseconds(seconds: latency) }
        switch kind {
        case .srtCaller, .srtListener: return 900 * .millisecond
        case .rtmp, .file, .test: return 200 * .millisecond
        }
    }
}
