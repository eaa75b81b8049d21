internal import Basics
internal import CLibAV
internal import Pictures
internal import VAP

/// Plays gifts over a feed without a clock: every picture is waited for, none is left out, and the same job makes the
/// same bytes every time. Pictures are chosen, prepared and blended by what a room does it with.
package enum Renderer {
    /// Runs on the calling thread for as long as it takes; `progress` is called after every frame. The output appears
    /// whole, or not at all when it throws. A gift that cannot be played to its end is told in the result.
    package static func render(
        _ job: RenderJob, progress: (RenderProgress) -> Void = { _ in }
    ) throws(RenderError) -> RenderResult {
        let feed = try open(job)
        var format = feed.format
        format.colour.matrix = job.matrix ?? format.colour.matrix
        format.colour.range = job.range ?? format.colour.range
        let canvas = RenderCanvas(format)
        let stage = RenderStage(job.gifts, on: canvas)
        let feedSound = job.isMuted ? nil : feed.sound()
        let hasGiftSound = !job.isMuted && job.gifts.contains { $0.animation.hasSound }
        let output = try output(job, format, hasSound: feedSound != nil || hasGiftSound)
        let sound = output.sound.map { RenderSound($0, feed: feedSound) }
        if let sound { stage.onSound = { sound.add($0) } }
        let limit = limit(job, format.rate)
        let expected = feed.count.map { min($0, limit ?? $0) } ?? limit
        var index = 0
        while index < limit ?? .max, try feed.next(onto: canvas) {
            let time = time(of: index, format.rate)
            canvas.paint { stage.paint(on: $0, at: time) }
            try output.write(canvas)
            index += 1
            try sound?.advance(to: Self.time(of: index, format.rate))
            progress(RenderProgress(frames: index, expected: expected))
        }
        try sound?.finish(at: time(of: index, format.rate))
        stage.finish()
        try output.finish()
        return RenderResult(
            size: output.size, rate: format.rate, frames: index, failures: stage.failures,
            warnings: stage.fusion.warnings, damagedFeedPictures: feed.damaged,
            picturesLate: stage.picturesLate, hasSound: sound != nil)
    }

    private static func open(_ job: RenderJob) throws(RenderError) -> any RenderFeed {
        switch job.feed {
        case .file(let path): return try MovieFeed(path)
        case .colour(let rgb, let size, let rate):
            let colour = ColourSpace(job.matrix ?? .bt601, job.range ?? .limited)
            return ColourFeed(rgb, size, rate, colour)
        }
    }

    private static func output(_ job: RenderJob, _ format: RenderFormat, hasSound: Bool) throws(RenderError)
        -> any RenderOutput
    {
        switch job.output {
        case .raw(let path): try RenderMovie.raw(path, format)
        case .movie(let path): try RenderMovie.movie(path, format, hasSound: hasSound)
        case .still(let path, let seconds):
            RenderStill(path, format.size, frame: frame(shownAt: seconds, format.rate))
        }
    }

    /// How many frames there are at most; nil: as many as the feed has.
    private static func limit(_ job: RenderJob, _ rate: RenderRate) -> Int? {
        var limits: [Int] = []
        if let seconds = job.seconds { limits.append(rate.frame(at: seconds)) }
        if case .colour = job.feed, job.seconds == nil {
            limits.append(job.gifts.map { end(of: $0, rate) }.max() ?? 0)
        }
        if case .still(_, let seconds) = job.output { limits.append(frame(shownAt: seconds, rate) + 1) }
        return limits.min()
    }

    /// The first frame that no longer shows the gift.
    private static func end(of gift: RenderJob.Gift, _ rate: RenderRate) -> Int {
        let start = rate.frame(at: gift.start)
        return start + rate.frame(at: gift.animation.layout.duration.seconds)
    }

    private static func frame(shownAt seconds: Double, _ rate: RenderRate) -> Int {
        Int(min(max((seconds + 1e-6) * rate.value, 0), 1e15))
    }

    private static func time(of index: Int, _ rate: RenderRate) -> Nanoseconds {
        av_rescale(Int64(index) * Int64(rate.denominator), .second, Int64(rate.numerator))
    }
}
