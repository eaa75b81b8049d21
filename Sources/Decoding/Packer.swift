internal import CLibAV
internal import Glibc
internal import VAP

/// Makes a gift file: pictures with alpha, and sound if there is any, into an MP4 with a `vapc` box.
package enum Packer {
    /// Packs `input`, a directory of PNG files in natural order or a video with alpha, with the sound of `sound` (or
    /// else the video's own), into `output`. The sound is cut where the pictures end.
    ///
    /// Runs on the calling thread for as long as it takes; `progress` is called after every encoded frame. The output
    /// appears whole, or not at all when it throws.
    package static func pack(
        input: String, sound: String? = nil, output: String, options: PackOptions = PackOptions(),
        progress: (PackProgress) -> Void = { _ in }
    ) throws(PackError) -> PackResult {
        try options.validate()
        av_log_set_level(AV_LOG_FATAL)
        let source = try open(input, options)
        let rate = options.framesPerSecond ?? source.rate.map(nearestWhole) ?? 25
        let plan = try PackLayout.plan(
            canvas: source.size, alphaScale: options.alphaScale, frameCount: 1, framesPerSecond: rate)
        let muxer = try PackMuxer()
        let pictures = try PackPictures(plan, options, muxer)
        let track = try soundTrack(input: input, sound: sound, options)
        let tones = try track.map { (track) throws(PackError) in try PackSound(track, muxer) }
        try encode(source, pictures, tones, progress)

        var layout = plan
        layout.frameCount = pictures.count
        guard let file = PackBoxes.insert(json: PackLayout.json(layout), into: try muxer.finish()) else {
            throw PackError(.encoderFailed, "the muxer wrote a file of an unexpected shape")
        }
        try PackFile.write(file, to: output)
        return PackResult(
            layout: layout, byteCount: file.count, hasSound: tones != nil,
            warnings: PackLayout.warnings(layout))
    }

    private static func encode(
        _ source: any PackSource, _ pictures: PackPictures, _ tones: PackSound?,
        _ progress: (PackProgress) -> Void
    ) throws(PackError) {
        let rate = pictures.framesPerSecond
        var cadence = PackCadence(framesPerSecond: rate, sourceRate: source.rate)
        let frame = Owner<AVFrame>.picture(AV_PIX_FMT_RGBA, source.size.width, source.size.height)
        var isHeld = false
        func show(until time: Double) throws(PackError) {
            for _ in 0..<(try cadence.frames(until: time)) {
                try pictures.encode()
                try tones?.encode(until: Double(pictures.count) / Double(rate))
                progress(PackProgress(frames: pictures.count, expected: source.count))
            }
        }
        while let time = try source.next(into: frame.raw) {
            if isHeld { try show(until: time) }
            try pictures.draw(frame.raw)
            isHeld = true
        }
        try show(until: source.end)
        if isHeld, pictures.count == 0 { try pictures.encode() }
        try pictures.finish()
        try tones?.finish(at: Double(pictures.count) / Double(rate))
    }

    private static func open(_ input: String, _ options: PackOptions) throws(PackError) -> any PackSource {
        var status = stat()
        guard stat(input, &status) == 0 else {
            throw PackError(.inputMissing, "\(input): \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return try PackMovie(path: input) }
        return try PackStills(directory: input, framesPerSecond: options.framesPerSecond ?? 25)
    }

    private static func soundTrack(
        input: String, sound: String?, _ options: PackOptions
    ) throws(PackError) -> PackTrack? {
        if let sound {
            let track = try PackTrack(AVMEDIA_TYPE_AUDIO, of: sound, errors: .soundUnreadable)
            guard let track else { throw PackError(.soundUnreadable, "\(sound): no sound in it") }
            return track
        }
        var status = stat()
        let isDirectory = stat(input, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        guard !options.isMuted, !isDirectory else { return nil }
        return try PackTrack(AVMEDIA_TYPE_AUDIO, of: input, errors: .soundUnreadable)
    }

    private static func nearestWhole(_ rate: Double) -> Int { Int(min(max(rate.rounded(), 1), 60)) }
}
