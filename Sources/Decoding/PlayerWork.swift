internal import Basics
internal import Pictures
internal import Synchronization
internal import VAP

/// What a player's worker does. Runs once, on one thread.
struct PlayerWork: Sendable {
    /// What is played, and where.
    let key: ReelKey
    let art: FusionArt?
    let metrics: DecodingMetrics
    let state: PlayerState

    private var animation: Animation { key.animation }

    /// What the window says about a decoded picture.
    private enum Verdict {
        case prepare(slot: Int, Picture?)
        case skip, stop
    }

    /// With a cache, the pictures are recorded for the next play as they are made.
    func run(recordingIn cache: ReelCache?, onReady: () -> Void, onFailed: (AnimationError) -> Void) {
        let began = Monotonic.now()
        let count = min(animation.codedFrameCount, animation.layout.frameCount)
        let recorder = cache.map { ReelRecorder(key, in: $0, count: count) }
        do {
            try play(recorder) {
                metrics.loadTime.observe(seconds: (Monotonic.now() - began).seconds)
                state.isReady.store(true, ordering: .releasing)
                onReady()
            }
        } catch {
            note(error)
            if !state.isReady.load(ordering: .relaxed) { onFailed(error) }
        }
    }

    private func play(_ recorder: ReelRecorder?, onReady: () -> Void) throws(AnimationError) {
        var decoder = try AnimationDecoder(animation)
        let preparer = PicturePreparer(
            layout: animation.layout, place: key.place, program: key.program, blend: key.blend, art: art)
        var next = 0
        do {
            while let index = try decoder.next() {
                note(decoder.damage)
                switch verdict(on: index) {
                case .stop: return
                case .skip: metrics.picturesSkipped.add()
                case .prepare(let slot, let old):
                    let picture = try prepare(decoder, preparer, index: index, in: slot, old)
                    if !state.isReady.load(ordering: .relaxed) { onReady() }
                    if decoder.damage != nil { recorder?.abandon() }
                    recorder?.append(picture, index: index)
                }
                next = index + 1
            }
            note(decoder.damage)
            state.guarded.change { $0.window.end() }
        } catch {
            end(before: next, error)
            throw error
        }
        guard state.isReady.load(ordering: .relaxed) else {
            throw AnimationError(.mediaCorrupt, "No picture can be decoded.")
        }
    }

    /// Waits for a free slot, unless the picture is too late to be of use.
    private func verdict(on index: Int) -> Verdict {
        state.guarded.wait { guarded in
            if guarded.isStopped { return .stop }
            guard guarded.window.wants(index) else { return .skip }
            return guarded.window.begin().map { .prepare(slot: $0, guarded.pictures[$0]) }
        }
    }

    private func prepare(
        _ decoder: borrowing AnimationDecoder, _ preparer: PicturePreparer, index: Int, in slot: Int,
        _ old: Picture?
    ) throws(AnimationError) -> Picture {
        let began = Monotonic.now()
        let picture = old ?? Picture(place: key.place, program: key.program)
        if old == nil { metrics.picturesHeld.add(1) }
        try decoder.withFrame { frame throws(AnimationError) in
            try preparer.prepare(frame, index: index, into: picture)
        }
        metrics.picturesPrepared.add()
        metrics.prepareTime.observe(seconds: (Monotonic.now() - began).seconds)
        state.guarded.change { guarded in
            guarded.pictures[slot] = picture
            guarded.window.fill(slot, with: index)
        }
        return picture
    }

    /// Keeps the first thing that went wrong.
    private func note(_ error: AnimationError?) {
        guard let error else { return }
        let isFirst = state.guarded.change { $0.fail(error) }
        if isFirst { metrics.decodeErrors.add() }
    }

    /// There will be no picture with this index and none behind it: the play ends where it would be due.
    private func end(before index: Int, _ error: AnimationError) {
        let time = Nanoseconds(seconds: Double(index) / animation.layout.framesPerSecond)
        state.end.store(min(time, animation.layout.duration), ordering: .releasing)
        let isFirst = state.guarded.change { guarded in
            guarded.window.end()
            return guarded.fail(error)
        }
        if isFirst { metrics.decodeErrors.add() }
    }
}
