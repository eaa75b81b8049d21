import Basics
import CAllocations
import Foundation
import Pictures
import Testing

@testable import Decoding

@Suite("Sound mix", .enabled(if: FFmpeg.isInstalled, "ffmpeg makes the gifts"), .timeLimit(.minutes(1)))
struct SoundMixTests {
    private let directory: PackDirectory
    private let registry = MetricsRegistry()
    private let mix: SoundMix
    private let show = Show()
    private let canvas = Canvas(32, 32, (90, 90, 90))

    init() throws {
        directory = try PackDirectory()
        mix = SoundMix(registry)
    }

    /// A gift on screen from the next frame on, its first half second of sound decoded.
    private func send(_ id: UInt64 = 1, _ source: String = SoundGift.saw) throws -> Player {
        let path = try SoundGift.make("\(id).mp4", in: directory, source, SoundGift.exact)
        let player = Player(
            try Animation.open(path: path), place: PlacedRectangle(x: 0, y: 0, width: 32, height: 32),
            program: Canvas.program(32, 32), metrics: testMetrics())
        #expect(player.load() == .ready)
        player.settle(3)
        try player.waitForSound()
        mix.add(try #require(player.sound))
        show.add(id: id, player: player, z: 0)
        return player
    }

    /// What the program becomes from `place` on, buffer by buffer, with `host` in it.
    private func heard(_ count: Int, at place: Int64, host: Float = 0, buffer: Int = 480) -> [Float] {
        var samples: [Float] = []
        for begin in stride(from: 0, to: count, by: buffer) {
            let part = Buffer(min(buffer, count - begin), host)
            if mix.isSounding {
                part.mix { mix.mix(into: $0, at: (place + Int64(begin)) * .second / 48_000) }
            }
            samples += part.left
        }
        return samples
    }

    @Test("is heard from the first frame that shows the gift, to the sample, at the volume that was set")
    func start() throws {
        let player = try send()
        player.sound?.set(volume: 0.5)
        #expect(heard(960, at: 0, host: 0.25).allSatisfy { $0 == 0.25 }, "nothing before the first frame")
        show.paint(on: canvas.frame, at: 33_333_333)
        let samples = heard(20_000, at: 960, host: 0.25)
        #expect(samples[..<640].allSatisfy { $0 == 0.25 })
        #expect(samples[640...].enumerated().allSatisfy { $1 == 0.25 + 0.5 * SoundGift.saw($0) })
    }

    @Test("joins in step when the program's sound is past the first frame")
    func late() throws {
        _ = try send()
        #expect(heard(4800, at: 0).allSatisfy { $0 == 0 })
        show.paint(on: canvas.frame, at: 33_333_333)
        let samples = heard(9600, at: 4800)
        #expect(samples[480...].enumerated().allSatisfy { $1 == SoundGift.saw(4800 + 480 + $0 - 1600) })
        #expect(abs(samples[0]) < 0.01)
    }

    @Test("is heard to the gift's end also when the picture is there first, and is let go then")
    func end() throws {
        weak var gone: Sound?
        do {
            let player = try send()
            gone = player.sound
            show.paint(on: canvas.frame, at: 0)
            _ = heard(1000, at: 0)
            for picture in 1...10 {
                player.settle(min(picture, 9))
                show.paint(on: canvas.frame, at: Nanoseconds(picture) * .second / 10)
            }
            #expect(show.drain().last == .finished(id: 1))
        }
        let samples = heard(48_000, at: 1000, buffer: 1000)
        #expect(samples[..<46_000].enumerated().allSatisfy { $1 == SoundGift.saw(1000 + $0) })
        #expect(samples[47_001...].allSatisfy { $0 == 0 })
        mix.sweep()
        #expect(mix.count == 0 && gone == nil && !mix.isSounding)
        #expect(registry.exposition().contains("giftd_sounds_total{outcome=\"finished\"} 1\n"))
        #expect(registry.exposition().contains("giftd_sound_late_total 0\n"))
    }

    @Test("ends within 10 ms of the mix when its gift is taken off")
    func removed() throws {
        _ = try send(1, "aevalsrc='0.5':s=48000:d=1")
        show.paint(on: canvas.frame, at: 0)
        _ = heard(9600, at: 0)
        show.remove(id: 1)
        let samples = heard(960, at: 9600)
        #expect(samples[0] > 0.49 && samples[481...].allSatisfy { $0 == 0 })
        #expect(widestStep(samples) < 0.0021)
        mix.sweep()
        #expect(mix.count == 0)
        #expect(registry.exposition().contains("giftd_sounds_total{outcome=\"cut\"} 1\n"))
    }

    @Test("is silent while its gift is held, and goes on in step where the media time goes on")
    func held() throws {
        let player = try send()
        show.paint(on: canvas.frame, at: 0)
        _ = heard(4800, at: 0)
        player.sound?.hold()
        let pause = heard(9600, at: 4800)
        #expect(pause[481...].allSatisfy { $0 == 0 } && mix.count == 1)
        // Held at 0.1 s for 0.2 s.
        player.sound?.play(from: .second / 5)
        let samples = heard(9600, at: 14_400)
        #expect(samples[960...].enumerated().allSatisfy { $1 == SoundGift.saw(4800 + 960 + $0) })
        #expect(registry.exposition().contains("giftd_sound_late_total 0\n"))
    }

    @Test("of a gift that was never shown leaves without a trace")
    func neverShown() throws {
        _ = try send()
        show.remove(id: 1)
        mix.sweep()
        #expect(mix.count == 0 && !mix.isSounding)
        #expect(registry.exposition().contains("giftd_sounds_total{outcome=\"cut\"} 0\n"))
    }

    @Test("follows its volume while it plays")
    func volume() throws {
        let player = try send(1, "aevalsrc='0.5':s=48000:d=1")
        show.paint(on: canvas.frame, at: 0)
        _ = heard(4800, at: 0)
        player.sound?.set(volume: 0)
        let samples = heard(4800, at: 4800)
        #expect(samples[0] > 0.499 && samples[2400...].allSatisfy { $0 == 0 })
        #expect(widestStep(samples) < 0.0003)
    }

    @Test("makes the host quieter by so many decibels and gives it back to the last bit")
    func duck() throws {
        let player = try send(1, "anullsrc=sample_rate=48000:d=0.5")
        player.sound?.set(duck: 6)
        show.paint(on: canvas.frame, at: .second / 10)
        let samples = heard(96_000, at: 0, host: 0.5)
        #expect(samples[..<4320].allSatisfy { $0 == 0.5 })
        let quiet = 0.5 * Float(pow(10, -6.0 / 20))
        #expect(samples[7300..<28_000].allSatisfy { abs($0 - quiet) < 1e-5 })
        #expect(samples[50_000...].allSatisfy { $0 == 0.5 })
        #expect(widestStep(samples) < 0.0002, "\(widestStep(samples))")
        mix.sweep()
        #expect(!mix.isSounding)
    }

    @Test("stays within full scale with a host and gifts at full scale, and passes the host untouched after")
    func full() throws {
        let loud = "aevalsrc='0.99*sin(2*PI*500*t)':s=48000:d=0.5"
        let players = [try send(1, loud), try send(2, loud)]
        for player in players { player.sound?.set(volume: 2) }
        show.paint(on: canvas.frame, at: 0)
        let samples = heard(60_000, at: 0, host: 0.99)
        #expect(samples.allSatisfy { abs($0) <= 1 })
        #expect(samples[40_000...].allSatisfy { $0 == 0.99 })
        mix.sweep()
        #expect(!mix.isSounding)
    }

    @Test("neither takes nor frees memory while it mixes, sounds that start and end included")
    func allocations() throws {
        let first = try send(9)
        show.paint(on: canvas.frame, at: 0)
        _ = heard(48_960, at: 0)
        show.remove(id: 9)
        withExtendedLifetime(first) {}
        mix.sweep()
        let players = [try send(1), try send(2, "aevalsrc='0.9':s=48000:d=0.7")]
        players[1].sound?.set(duck: 12)
        let buffer = Buffer(480, 0.3)
        for step in 0..<120 {
            let time = Nanoseconds(step) * .second / 100
            if step == 5 { show.paint(on: canvas.frame, at: time) }
            if step == 50 { players[0].sound?.set(volume: 0.1) }
            if step == 60 { players[0].stop() }
            let (taken, freed) = (allocations_taken(), allocations_freed())
            if mix.isSounding { buffer.mix { mix.mix(into: $0, at: time) } }
            #expect(allocations_taken() == taken && allocations_freed() == freed, "buffer \(step)")
        }
    }

    @Test("stays whole while one thread mixes and another sends, cuts and sweeps")
    func threads() throws {
        let path = try SoundGift.make(in: directory, SoundGift.saw, SoundGift.exact)
        let animation = try Animation.open(path: path)
        let isOver = Locked(false)
        let mixer = Worker(name: "mixes")
        mixer.run { [mix] in
            let buffer = Buffer(480)
            var time: Nanoseconds = 0
            while !isOver.withLock({ $0 }) {
                if mix.isSounding { buffer.mix { mix.mix(into: $0, at: time) } }
                time += .second / 100
                usleep(50)
            }
        }
        for index in 0..<60 {
            let player = Player(
                animation, place: PlacedRectangle(x: 0, y: 0, width: 32, height: 32),
                program: Canvas.program(32, 32), metrics: testMetrics())
            #expect(player.load() == .ready)
            let sound = try #require(player.sound)
            mix.add(sound)
            if index % 3 > 0 { sound.play(from: 0) }
            if index % 3 == 2 { usleep(300) }
            player.stop()
            mix.sweep()
        }
        let deadline = Monotonic.now() + 10 * .second
        while mix.count > 0, Monotonic.now() < deadline {
            mix.sweep()
            usleep(500)
        }
        isOver.withLock { $0 = true }
        mixer.stop()
        #expect(mix.count == 0)
        let text = registry.exposition()
        let ends = text.split(separator: "\n").filter { $0.hasPrefix("giftd_sounds_total{") }
            .compactMap { Int($0.split(separator: " ")[1]) }.reduce(0, +)
        #expect(ends == 40, "\(text)")
    }
}

extension Player {
    /// Waits until the ring of its sound is full, or all is in it.
    func waitForSound() throws {
        let state = try #require(sound).state
        let deadline = Monotonic.now() + 5 * .second
        while state.ring.room >= SoundState.portion, state.length == nil,
            Monotonic.now() < deadline
        { usleep(500) }
    }
}
