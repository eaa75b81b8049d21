package import Basics
internal import Glibc
internal import Synchronization

/// The sounds of the gifts on screen, added to the program's: ducks the host where a lane wants that, adds every
/// sound where its gift's first frame says, and keeps the sum within full scale. While nothing sounds the program's
/// sound passes bit for bit.
package final class SoundMix: Mixer {
    /// The streaming thread's alone.
    private struct State {
        var limiter = Limiter()
        var host = Ramp(1)
    }

    /// Samples in which the host gets quieter, 50 ms, and in which it comes back, 0.4 s.
    private static let duckAttack = SampleClock.rate / 20
    private static let duckRelease = 2 * SampleClock.rate / 5

    /// Samples that are mixed at once.
    private static let portion = 1024

    private let sounds = LentList<Sound>()
    private let state = Locked(State())
    /// Whether the limiter and the host's gain are on their way back to 1.
    private let isSettling = Atomic<Bool>(false)
    /// The sum of all gifts. The streaming thread's alone.
    private nonisolated(unsafe) let sum: UnsafeMutablePointer<Float>
    private let metrics: SoundMetrics
    private let bell = Doorbell()

    package init(_ registry: MetricsRegistry) {
        metrics = SoundMetrics(registry)
        sum = .allocate(capacity: Self.portion * SampleClock.channels)
        sum.initialize(repeating: 0, count: Self.portion * SampleClock.channels)
    }

    deinit { sum.deallocate() }

    // MARK: Control plane

    /// Takes a sound in. It is heard from its gift's first frame on, and leaves by itself.
    package func add(_ sound: Sound) { sounds.append(sound) }

    /// Lets go of sounds that are over. Any thread but the streaming one.
    package func sweep() {
        for sound in sounds.remove({ $0.isDone }) {
            if let outcome = sound.outcome { metrics.ended[outcome]?.add() }
            sound.stop()
        }
        sounds.collect()
    }

    /// How many sounds are heard or about to be.
    package var count: Int { sounds.count }

    /// Sweeps on the control plane when it is time to. Keep the source; one listener.
    @ControlPlane package func listen() -> LoopSource { bell.listen { [self] in sweep() } }

    static func factor(decibels: Double) -> Float { decibels == 0 ? 1 : Float(pow(10, decibels / 20)) }

    // MARK: Streaming thread

    package var isSounding: Bool { sounds.count > 0 || isSettling.load(ordering: .relaxed) }

    package func mix(into sound: LiveSound, at time: Nanoseconds) {
        let place = SampleClock.place(of: time)
        state.withLock { state in
            var (done, hasEnded) = (0, false)
            while done < sound.count {
                let part = LiveSound(
                    samples: sound.samples + done * SampleClock.channels,
                    count: min(Self.portion, sound.count - done))
                if mix(sounds.lend(), into: part, at: place + Int64(done), &state) { hasEnded = true }
                sounds.giveBack()
                done += part.count
            }
            isSettling.store(!state.limiter.isAtRest || !state.host.isAtRest, ordering: .relaxed)
            if hasEnded || sounds.hasRetired { bell.ring() }
        }
    }

    /// True when one of the sounds is over. By index: without optimization an array's iterator takes memory.
    private func mix(
        _ sounds: [Sound], into out: LiveSound, at place: Int64, _ state: inout State
    ) -> Bool {
        duck(sounds, out, at: place, &state.host)
        sum.update(repeating: 0, count: out.count * SampleClock.channels)
        let gifts = LiveSound(samples: sum, count: out.count)
        var (hasSounded, hasEnded) = (false, false)
        for index in sounds.indices {
            let report = sounds[index].mix(into: gifts, at: place)
            if report.hasSounded { hasSounded = true }
            if report.isOver { hasEnded = true }
            if report.ranOut { metrics.late.add() }
        }
        if hasSounded || !state.limiter.isAtRest {
            metrics.limiterGain.set(Double(state.limiter.add(sum, to: out.samples, count: out.count)))
        }
        return hasEnded
    }

    private func duck(_ sounds: [Sound], _ out: LiveSound, at place: Int64, _ host: inout Ramp) {
        var factor: Float = 1
        for index in sounds.indices {
            factor = min(factor, sounds[index].duckFactor(at: place, count: out.count))
        }
        host.aim(at: factor, within: factor < host.target ? Self.duckAttack : Self.duckRelease)
        guard !host.isAtRest || factor != 1 else { return }
        for index in 0..<out.count {
            let gain = host.next()
            out.samples[2 * index] *= gain
            out.samples[2 * index + 1] *= gain
        }
    }
}
