package import Basics
package import Pictures

/// One room's configuration, read and checked: what it says can be run as it is. `Config/giftd.json5` explains
/// every key. Absent keys have defaults; only `room` has none.
package struct Configuration: Sendable, Equatable {
    package var room: String
    package var feed = Feed()
    package var program = Program()
    package var destinations: [Destination] = []
    package var gifts = Gifts()
    /// At least one; names are unique.
    package var lanes = [Lane(name: "main")]
    package var control: Control
    package var http = HTTP()
    package var log = Log()

    /// Where the picture comes from.
    package struct Feed: Sendable, Equatable {
        package var uri = StreamURI.test
        package var latency = Latency.automatic

        package enum Latency: Sendable, Equatable {
            case automatic
            case seconds(Double)
        }

        /// The latency in effect. Automatic means 1.2 s for SRT, whose senders bundle sound up to 1.1 s, else 0.2 s.
        package var delay: Nanoseconds {
            switch latency {
            case .automatic: Nanoseconds(seconds: uri.scheme == .srt ? 1.2 : 0.2)
            case .seconds(let seconds): Nanoseconds(seconds: seconds)
            }
        }
    }

    /// The composited stream.
    package struct Program: Sendable, Equatable {
        /// Pixels, even.
        package var width = 1080
        package var height = 1920
        /// Frames per second.
        package var fps = 30
        package var video = Video()
        package var audio = Audio()
    }

    package struct Video: Sendable, Equatable {
        /// `x264`, or the name of a GStreamer element that makes H.264.
        package var encoder = "x264"
        package var preset = Preset.veryfast
        /// Bits per second.
        package var bitrate = 4_000_000
        /// Seconds between key frames.
        package var keyInterval = 2.0
        /// Seconds of bitrate that the encoder may run ahead.
        package var vbv = 0.4
    }

    /// x264's presets.
    package enum Preset: String, Sendable, CaseIterable {
        case ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow
    }

    package struct Audio: Sendable, Equatable {
        /// Bits per second.
        package var bitrate = 128_000
    }

    /// A place the program is published to.
    package struct Destination: Sendable, Equatable {
        package var name: String
        package var uri: StreamURI
        /// Of a file destination; nil for the others.
        package var container: Container?
    }

    /// What a file destination is written as; its extension says so.
    package enum Container: String, Sendable, CaseIterable {
        case mp4, mkv, flv
    }

    /// The catalogue.
    package struct Gifts: Sendable, Equatable {
        package var directory = "/var/lib/giftd/gifts"
        package var blend = Blend.premultiplied
        /// Bytes of prepared pictures that are kept for the next play; 0: none.
        package var cache = 48 << 20
    }

    /// A queue of gifts and their place on screen.
    package struct Lane: Sendable, Equatable {
        package var name: String
        /// How many gifts show at once.
        package var concurrency = 1
        /// How many wait at most.
        package var capacity = 1000
        /// Where its gifts are drawn, unless they say otherwise themselves.
        package var place = Placement()
        /// Lanes with a higher number paint over those with a lower one.
        package var z = 0
        /// Nil: what `gifts.blend` says.
        package var blend: Blend?
        /// How loud its gifts are, 0 ... 2.
        package var volume = 0.7
        /// By how many decibels the host is quieter while they sound.
        package var duck = 0.0
    }

    package struct Control: Sendable, Equatable {
        /// Path of the unix socket.
        package var socket: String
    }

    package struct HTTP: Sendable, Equatable {
        /// Nil: no HTTP.
        package var listen: Listen? = Listen(host: "127.0.0.1", port: 9464)

        package struct Listen: Sendable, Equatable {
            /// An IP address, without brackets.
            package var host: String
            /// 0: the system chooses.
            package var port: Int

            /// `address:port`, an IPv6 address in brackets.
            package var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
        }
    }

    package struct Log: Sendable, Equatable {
        package var level = Basics.Log.Level.info
    }
}
