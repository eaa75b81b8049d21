internal import Basics
internal import Pictures
internal import VAP

/// The gifts of a job on screen: the show of a room, whose pictures are waited for. One thread.
final class RenderStage {
    private let show = Show()
    private let program: ProgramFormat
    /// The feed's own size, which placements go by.
    private let size: Size
    private let gifts: [RenderJob.Gift]
    private let metrics = DecodingMetrics(MetricsRegistry())
    let fusion = RenderFusion()
    /// Hears of every sound that is about to be shown.
    var onSound: (Sound) -> Void = { _ in }
    /// Gifts that have not begun, by their place in the job; the next one last.
    private var waiting: [Int]
    private var playing: [Int: (player: Player, start: Nanoseconds)] = [:]
    private(set) var failures: [(gift: Int, error: AnimationError)] = []
    /// Pictures that were due and not there.
    private(set) var picturesLate = 0

    init(_ gifts: [RenderJob.Gift], on canvas: RenderCanvas) {
        self.gifts = gifts
        program = canvas.program
        size = canvas.size
        waiting = gifts.indices.sorted { (gifts[$0].start, $0) > (gifts[$1].start, $1) }
    }

    /// Draws what is due at `time`. Gifts whose time has come begin with this frame.
    func paint(on frame: LiveFrame, at time: Nanoseconds) {
        while let next = waiting.last, Nanoseconds(seconds: gifts[next].start) <= time + 1000 {
            waiting.removeLast()
            begin(next, at: time)
        }
        for (player, start) in playing.values { player.awaitPicture(at: time - start) }
        show.paint(on: frame, at: time)
        for event in show.drain() {
            switch event {
            case .started: break
            case .finished(let id): end(Int(id))
            case .failed(let id, let error):
                failures.append((Int(id), error))
                end(Int(id))
            }
        }
    }

    /// Takes everything off. What has failed by now is told.
    func finish() {
        for (index, (player, _)) in playing.sorted(by: { $0.key < $1.key }) {
            if let error = player.failure { failures.append((index, error)) }
            show.remove(id: UInt64(index))
            end(index)
        }
    }

    /// Loads a gift and puts it on screen, above those before it in the job.
    private func begin(_ index: Int, at time: Nanoseconds) {
        let gift = gifts[index]
        let place = gift.placement.rectangle(canvas: gift.animation.layout.canvas, program: size)
        let player = Player(
            gift.animation, place: place, program: program, blend: gift.blend,
            art: fusion.art(of: gift, number: index, place: place, program: program), metrics: metrics)
        if let error = load(player) {
            failures.append((index, error))
        } else {
            if let sound = player.sound {
                sound.set(volume: gift.volume)
                onSound(sound)
            }
            show.add(id: UInt64(index), player: player, z: index)
            playing[index] = (player, time)
        }
    }

    /// Waits for the first picture, and answers why there will be none.
    private func load(_ player: Player) -> AnimationError? {
        let answer = Locked<AnimationError??>(nil)
        player.start(
            onReady: { answer.change { $0 = .some(nil) } },
            onFailed: { error in answer.change { $0 = error } })
        return answer.wait { $0 }
    }

    private func end(_ index: Int) {
        picturesLate += playing.removeValue(forKey: index)?.player.picturesLate ?? 0
    }
}
