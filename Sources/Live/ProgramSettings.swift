package import Basics
package import Pictures

/// Frames per second as a fraction, as GStreamer and the codecs want it.
package struct FrameRate: Hashable, Sendable, CustomStringConvertible {
    package let numerator, denominator: Int

    /// The fraction for a rate such as 30, 29.97 or 23.976; NTSC rates get their exact 1001 form.
    package init(_ framesPerSecond: Double) {
        let whole = framesPerSecond.rounded()
        let ntsc = framesPerSecond.rounded(.up) * 1000 / 1001
        if abs(framesPerSecond - whole) < 1e-6 {
            (numerator, denominator) = (Int(whole), 1)
        } else if abs(framesPerSecond - ntsc) < 0.01 {
            (numerator, denominator) = (Int(framesPerSecond.rounded(.up)) * 1000, 1001)
        } else {
            (numerator, denominator) = (Int((framesPerSecond * 1000).rounded()), 1000)
        }
    }

    package var duration: Nanoseconds { Nanoseconds(denominator) * .second / Nanoseconds(numerator) }
    package var description: String { "\(numerator)/\(denominator)" }
}

/// What the program is made of, for the life of the process.
package struct ProgramSettings: Sendable, Equatable {
    package var width, height: Int
    package var frameRate: FrameRate
    /// `x264`, or the name of another H.264 encoder element that is installed.
    package var encoder: String
    /// x264's speed preset.
    package var preset: String
    /// Bits per second.
    package var videoBitrate, audioBitrate: Int
    /// Seconds between key frames.
    package var keyInterval: Double
    /// Seconds of bitrate in the encoder's rate buffer.
    package var rateBuffer: Double

    package init(
        width: Int, height: Int, frameRate: FrameRate, encoder: String = "x264", preset: String = "veryfast",
        videoBitrate: Int, audioBitrate: Int, keyInterval: Double = 2, rateBuffer: Double = 0.4
    ) {
        self.width = width
        self.height = height
        self.frameRate = frameRate
        self.encoder = encoder
        self.preset = preset
        self.videoBitrate = videoBitrate
        self.audioBitrate = audioBitrate
        self.keyInterval = keyInterval
        self.rateBuffer = rateBuffer
    }

    /// The colours are those that GStreamer takes for untagged video of this size, so that an untagged feed of the
    /// program's size passes untouched.
    package var format: ProgramFormat {
        ProgramFormat(
            width: width, height: height, colour: ColourSpace(height > 576 ? .bt709 : .bt601, .limited))
    }
}

extension ProgramFormat {
    var colorimetry: String { colour.matrix == .bt709 ? "bt709" : "bt601" }

    var caps: String {
        """
        video/x-raw,format=I420,width=\(width),height=\(height),pixel-aspect-ratio=1/1,colorimetry=\(colorimetry)
        """
    }
}

/// The program's sound.
enum AudioFormat {
    static let rate = SampleClock.rate
    static let channels = SampleClock.channels
    static let bytesPerSample = channels * MemoryLayout<Float>.size
    static let caps = "audio/x-raw,format=F32LE,layout=interleaved,rate=\(rate),channels=\(channels)"
}
