internal import Basics
internal import FoundationEssentials
internal import Glibc
internal import Pictures

// How each section is decoded: every key by name, with its limits. A section's `Key` is the list of all keys that
// it may hold. What is wrong is noted in the reading, and the default stands in, so that all sections are read.

/// The whole file. Comparisons between sections are made here.
extension Configuration: DecodableWithConfiguration {
    enum Key: String, CodingKey, CaseIterable {
        case room, feed, program, destinations, gifts, lanes, control, http, log
    }

    package init(from decoder: any Decoder, configuration reading: ConfigurationReading) throws {
        let section = try ConfigurationSection<Key>(decoder, reading)
        room = section.identifier(.room)
        control = Control(socket: reading.environment.socket(room: room))
        feed = section.value(.feed, Feed.self, wanted: "an object") ?? feed
        program = section.value(.program, Program.self, wanted: "an object") ?? program
        destinations = section.value(.destinations, [Destination].self, wanted: "a list") ?? destinations
        gifts = section.value(.gifts, Gifts.self, wanted: "an object") ?? gifts
        lanes = section.value(.lanes, [Lane].self, wanted: "a list") ?? lanes
        if let socket = section.value(.control, Socket.self, wanted: "an object")?.path {
            control.socket = socket
        }
        http = section.value(.http, HTTP.self, wanted: "an object") ?? http
        log = section.value(.log, Log.self, wanted: "an object") ?? log
        checkSocket(section)
        if section.has(.lanes), lanes.isEmpty { section.note(.lanes, "wants at least one lane") }
        section.noteRepeats(.lanes, ".name", lanes.map(\.name))
        section.noteRepeats(.destinations, ".name", destinations.map(\.name))
        section.noteRepeats(.destinations, ".uri", destinations.map(\.uri))
    }

    /// A unix socket's address holds 107 bytes.
    private func checkSocket(_ section: ConfigurationSection<Key>) {
        guard !(1...107).contains(control.socket.utf8.count) else { return }
        section.reading.note("control.socket", "wants a path of 1 to 107 bytes")
    }
}

/// `latency` is a number or the text "auto".
extension Configuration.Feed: DecodableWithConfiguration {
    enum Key: String, CodingKey, CaseIterable { case uri, latency }

    package init(from decoder: any Decoder, configuration reading: ConfigurationReading) throws {
        let section = try ConfigurationSection<Key>(decoder, reading)
        uri = section.address(.uri) ?? uri
        if section.isText(.latency) {
            let automatic = section.text(.latency) == "auto"
            if !automatic { section.note(.latency, "wants seconds or \"auto\"") }
        } else {
            latency = section.number(.latency, in: 0.1...10, unit: "seconds").map { .seconds($0) } ?? latency
        }
    }
}

/// Sizes are even because chroma has half of them.
extension Configuration.Program: DecodableWithConfiguration {
    enum Key: String, CodingKey, CaseIterable { case width, height, fps, video, audio }

    package init(from decoder: any Decoder, configuration reading: ConfigurationReading) throws {
        let section = try ConfigurationSection<Key>(decoder, reading)
        width = section.integer(.width, in: 16...4096, unit: "pixels") ?? width
        height = section.integer(.height, in: 16...4096, unit: "pixels") ?? height
        if width % 2 != 0 { section.note(.width, "wants an even number of pixels") }
        if height % 2 != 0 { section.note(.height, "wants an even number of pixels") }
        fps = section.integer(.fps, in: 1...120, unit: "frames per second") ?? fps
        video = section.value(.video, Configuration.Video.self, wanted: "an object") ?? video
        audio = section.value(.audio, Configuration.Audio.self, wanted: "an object") ?? audio
    }
}

/// Whether an encoder of this name is installed turns out when the program starts.
extension Configuration.Video: DecodableWithConfiguration {
    enum Key: String, CodingKey, CaseIterable { case encoder, preset, bitrate, keyInterval, vbv }

    package init(from decoder: any Decoder, configuration reading: ConfigurationReading) throws {
        let section = try ConfigurationSection<Key>(decoder, reading)
        encoder = section.text(.encoder) ?? encoder
        if !ConfigurationName.isValid(encoder) {
            section.note(.encoder, "wants \"x264\" or the name of a GStreamer element")
        }
        preset = section.choice(.preset, Configuration.Preset.self) ?? preset
        bitrate = section.integer(.bitrate, in: 50_000...200_000_000, unit: "bit/s") ?? bitrate
        keyInterval = section.number(.keyInterval, in: 0.1...60, unit: "seconds") ?? keyInterval
        vbv = section.number(.vbv, in: 0.05...10, unit: "seconds") ?? vbv
    }
}

extension Configuration.Audio: DecodableWithConfiguration {
    enum Key: String, CodingKey, CaseIterable { case bitrate }

    package init(from decoder: any Decoder, configuration reading: ConfigurationReading) throws {
        let section = try ConfigurationSection<Key>(decoder, reading)
        bitrate = section.integer(.bitrate, in: 16_000...512_000, unit: "bit/s") ?? bitrate
    }
}

/// Both keys have to be there. The address is kept as a whole; only its scheme and a file's extension are looked at.
extension Configuration.Destination: DecodableWithConfiguration {
    enum Key: String, CodingKey, CaseIterable { case name, uri }

    package init(from decoder: any Decoder, configuration reading: ConfigurationReading) throws {
        let section = try ConfigurationSection<Key>(decoder, reading)
        name = section.identifier(.name)
        if !section.has(.uri) { section.note(.uri, "is missing") }
        let address = section.address(.uri)
        uri = address ?? .test
        switch address?.scheme {
        case .test: section.note(.uri, "\"test:\" is a feed; a destination is rtmp:// srt:// or file:")
        case .file:
            container = Configuration.Container(fileName: uri.path)
            if container == nil { section.note(.uri, "a file's name ends in .mp4, .mkv or .flv") }
        default: break
        }
    }
}

extension Configuration.Container {
    /// By the extension, in any case of letters.
    init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        self.init(rawValue: fileName[fileName.index(after: dot)...].lowercased())
    }
}

/// The directory need not be there: its gifts are looked for when they are sent.
extension Configuration.Gifts: DecodableWithConfiguration {
    enum Key: String, CodingKey, CaseIterable { case directory, blend, cache }

    package init(from decoder: any Decoder, configuration reading: ConfigurationReading) throws {
        let section = try ConfigurationSection<Key>(decoder, reading)
        directory = section.text(.directory) ?? directory
        if directory.isEmpty { section.note(.directory, "wants the path of a directory") }
        blend = section.choice(.blend, Blend.self) ?? blend
        cache = section.integer(.cache, in: 0...64_000_000_000, unit: "bytes") ?? cache
    }
}

extension Configuration.Lane: DecodableWithConfiguration {
    enum Key: String, CodingKey, CaseIterable {
        case name, concurrency, capacity, place, z, blend, volume, duck
    }

    package init(from decoder: any Decoder, configuration reading: ConfigurationReading) throws {
        let section = try ConfigurationSection<Key>(decoder, reading)
        name = section.identifier(.name)
        concurrency = section.integer(.concurrency, in: 1...16, unit: "gifts") ?? concurrency
        capacity = section.integer(.capacity, in: 1...10_000, unit: "gifts") ?? capacity
        place = section.value(.place, Place.self, wanted: "an object")?.placement ?? place
        z = section.integer(.z, in: -1000...1000, unit: "") ?? z
        blend = section.choice(.blend, Blend.self)
        volume = section.number(.volume, in: 0...2, unit: "") ?? volume
        duck = section.number(.duck, in: 0...60, unit: "decibels") ?? duck
    }
}

/// A placement, with its names and keys checked.
private struct Place: DecodableWithConfiguration {
    var placement = Placement()

    init(from decoder: any Decoder, configuration reading: ConfigurationReading) throws {
        let section = try ConfigurationSection<Placement.CodingKeys>(decoder, reading)
        let before = reading.issues.count
        _ = section.choice(.fit, Placement.Fit.self)
        _ = section.choice(.anchor, Placement.Anchor.self)
        _ = section.value(.offset, Offset.self, wanted: "an object")
        section.refuseNull(.size)
        guard reading.issues.count == before else { return }
        do {
            placement = try Placement(from: decoder)
        } catch DecodingError.dataCorrupted(let context) {
            reading.note(ConfigurationReading.path(context.codingPath), context.debugDescription)
        }
    }

    /// Checks the keys; the values are read with the placement.
    private struct Offset: DecodableWithConfiguration {
        init(from decoder: any Decoder, configuration reading: ConfigurationReading) throws {
            let section = try ConfigurationSection<Placement.Offset.CodingKeys>(decoder, reading)
            section.refuseNull(.x)
            section.refuseNull(.y)
        }
    }
}

/// The section `control`, whose default needs the room's name.
private struct Socket: DecodableWithConfiguration {
    enum Key: String, CodingKey, CaseIterable { case socket }

    let path: String?

    init(from decoder: any Decoder, configuration reading: ConfigurationReading) throws {
        path = try ConfigurationSection<Key>(decoder, reading).text(.socket)
    }
}

/// The text "off" closes the door.
extension Configuration.HTTP: DecodableWithConfiguration {
    enum Key: String, CodingKey, CaseIterable { case listen }

    package init(from decoder: any Decoder, configuration reading: ConfigurationReading) throws {
        let section = try ConfigurationSection<Key>(decoder, reading)
        guard let text = section.text(.listen) else { return }
        listen = nil
        guard text != "off" else { return }
        listen = Listen(text)
        if listen == nil { section.note(.listen, "wants \"address:port\" (an IP address) or \"off\"") }
    }
}

extension Configuration.HTTP.Listen {
    /// Nil when the text is no IP address and port. Names are not looked up.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last, let port = UInt16(last) else { return nil }
        let name = text.dropLast(last.utf8.count + 1)
        host = name == "localhost" ? "127.0.0.1" : name.filter { !"[]".contains($0) }
        self.port = Int(port)
        var (v4, v6) = (in_addr(), in6_addr())
        let isV6 = name == "[\(host)]" && inet_pton(AF_INET6, host, &v6) == 1
        guard isV6 || inet_pton(AF_INET, host, &v4) == 1 else { return nil }
    }
}

extension Configuration.Log: DecodableWithConfiguration {
    enum Key: String, CodingKey, CaseIterable { case level }

    package init(from decoder: any Decoder, configuration reading: ConfigurationReading) throws {
        let section = try ConfigurationSection<Key>(decoder, reading)
        guard let name = section.text(.level) else { return }
        guard let level = Basics.Log.Level(name: name) else {
            let names = Basics.Log.Level.allCases.map { "\"\($0)\"" }
            section.note(.level, "wants one of \(names.joined(separator: " "))")
            return
        }
        self.level = level
    }
}
