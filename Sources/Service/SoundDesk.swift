internal import Basics
internal import Decoding
internal import Gifts
internal import VAP

/// How loud everything is: keeps what was set for lanes and gifts, and hands it to the sounds. A gift is heard with
/// its own volume times its lane's. On the control plane.
@ControlPlane final class SoundDesk {
    /// What is set for a lane.
    struct Lane: Equatable {
        /// 0 ... 2.
        var volume: Double
        /// Decibels by which the host is quieter while the lane's gifts sound, 0 ... 60.
        var duck: Double
    }

    private struct Entry {
        let lane: String
        var volume: Double
        var sound: Sound?
    }

    let mix: SoundMix
    private(set) var lanes: [String: Lane]
    private var entries: [GiftNumber: Entry] = [:]
    private var sweeping: LoopSource?

    init(lanes: [String: Lane], mix: SoundMix) {
        self.lanes = lanes
        self.mix = mix
        sweeping = mix.listen()
    }

    /// A gift is accepted.
    func accepted(_ number: GiftNumber, lane: String, volume: Double) {
        entries[number] = Entry(lane: lane, volume: volume)
    }

    /// Its sound, if it has one, is about to be decoded.
    func loading(_ number: GiftNumber, _ sound: Sound?) {
        entries[number]?.sound = sound
        apply(number)
    }

    /// It is about to be shown.
    func show(_ number: GiftNumber) {
        if let sound = entries[number]?.sound { mix.add(sound) }
    }

    /// It has ended. Answers what was wrong with its sound.
    func ended(_ number: GiftNumber) -> String? {
        entries.removeValue(forKey: number)?.sound?.failure?.description
    }

    /// Nil keeps what is.
    func set(lane name: String, volume: Double?, duck: Double?) {
        guard let old = lanes[name] else { return }
        lanes[name] = Lane(volume: volume ?? old.volume, duck: duck ?? old.duck)
        for (number, entry) in entries where entry.lane == name { apply(number) }
    }

    func set(gift number: GiftNumber, volume: Double) {
        entries[number]?.volume = volume
        apply(number)
    }

    private func apply(_ number: GiftNumber) {
        guard let entry = entries[number], let sound = entry.sound, let lane = lanes[entry.lane] else {
            return
        }
        sound.set(volume: entry.volume * lane.volume)
        sound.set(duck: lane.duck)
    }
}
