internal import Basics
internal import Decoding
internal import FoundationEssentials
internal import Pictures
internal import VAP

/// The gifts of a `render` line, each with what belongs to it.
struct RenderGifts {
    /// One of them, as the line says it.
    struct Gift {
        var path: String
        var start: Double
        var placement = Placement()
        /// Nil: as the gift's sidecar says, or premultiplied.
        var blend: Blend?
        var volume = 1.0
        var bare: BareLayout?
        /// By tag.
        var texts: [String: String] = [:]
        var images: [String: String] = [:]

        /// Opens the file.
        func opened() throws(Refusal) -> RenderJob.Gift {
            do throws(AnimationError) {
                let sidecar = InspectCommand.sidecar(beside: path)
                let animation = try Animation.open(path: path, sidecar: sidecar, bare: bare)
                return RenderJob.Gift(
                    animation, start: start, placement: placement,
                    blend: blend ?? animation.blend ?? .premultiplied,
                    volume: volume, texts: texts, images: images)
            } catch {
                throw Refusal("\(path): \(error)")
            }
        }
    }

    private(set) var gifts: [Gift] = []
    /// What was said before the first gift: what all begin with.
    private var common = Gift(path: "", start: 0)

    init(_ arguments: Arguments) throws(UsageError) {
        for (option, value) in arguments.given {
            switch option {
            case "--gift": add(value)
            case "--place": set(\.placement, try RenderPlace.placement(value, arguments))
            case "--blend": set(\.blend, try Self.blend(value, arguments))
            case "--volume": set(\.volume, try Self.volume(value, arguments))
            case "--text":
                let (tag, words) = try Self.filling(option, value, arguments)
                set(\.texts[tag], words)
            case "--image":
                let (tag, path) = try Self.filling(option, value, arguments)
                set(\.images[tag], path)
            case LayoutOption.name: set(\.bare, try LayoutOption.bare(value, arguments))
            default: break
            }
        }
    }

    private mutating func add(_ text: String) {
        let (path, start) = Self.split(text)
        var gift = common
        (gift.path, gift.start) = (path, start)
        gifts.append(gift)
    }

    /// Sets something of the last gift, or for all while there is none.
    private mutating func set<Value>(_ what: WritableKeyPath<Gift, Value>, _ value: Value) {
        if let last = gifts.indices.last {
            gifts[last][keyPath: what] = value
        } else {
            common[keyPath: what] = value
        }
    }

    /// `FILE@SECONDS`; an `@` that no number follows belongs to the name, as does one of a file that is there.
    static func split(_ text: String) -> (path: String, start: Double) {
        guard let at = text.lastIndex(of: "@"), let start = Double(text[text.index(after: at)...]),
            start.isFinite, start >= 0, !FileManager.default.fileExists(atPath: text)
        else { return (text, 0) }
        return (String(text[..<at]), start)
    }

    /// `TAG=VALUE`; the value may hold more of them.
    private static func filling(
        _ option: String, _ text: String, _ arguments: Arguments
    ) throws(UsageError) -> (tag: String, value: String) {
        guard let equal = text.firstIndex(of: "="), equal != text.startIndex else {
            throw arguments.wrong("\(option) wants TAG=\(option == "--text" ? "WORDS" : "FILE")")
        }
        return (String(text[..<equal]), String(text[text.index(after: equal)...]))
    }

    private static func volume(_ text: String, _ arguments: Arguments) throws(UsageError) -> Double {
        guard let volume = Double(text), (0...4).contains(volume) else {
            throw arguments.wrong("--volume wants a number of 0 to 4")
        }
        return volume
    }

    private static func blend(_ name: String, _ arguments: Arguments) throws(UsageError) -> Blend {
        guard let blend = Blend(rawValue: name) else {
            let names = Blend.allCases.map(\.rawValue)
            let near = Spelling.suggestion(for: name, among: names)
            throw arguments.wrong(
                "--blend wants one of \(names.joined(separator: " "))"
                    + (near.map { ", did you mean \($0)?" } ?? ""))
        }
        return blend
    }
}

/// A placement on a line: `contain,anchor=top,size=50%,x=10` or the object that a configuration holds.
enum RenderPlace {
    static func placement(_ text: String, _ arguments: Arguments) throws(UsageError) -> Placement {
        let json = text.hasPrefix("{") ? text : object(text)
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        do {
            return try decoder.decode(Checked.self, from: Data(json.utf8)).placement
        } catch let DecodingError.dataCorrupted(context) where !context.codingPath.isEmpty {
            let key = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw arguments.wrong("--place: \(key): \(context.debugDescription)")
        } catch let error as Unknown {
            throw arguments.wrong(
                "--place: unknown key \(error.key); known: fit, anchor, size, offset.x, offset.y")
        } catch {
            throw arguments.wrong(
                "--place wants contain,anchor=top,size=50%,x=10,y=5% or an object as in the configuration")
        }
    }

    /// The short form as JSON; what it says is judged like the long one.
    private static func object(_ text: String) -> String {
        var (members, offsets) = ([String](), [String]())
        for word in text.split(separator: ",") {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            let (key, value) = parts.count == 2 ? (parts[0], parts[1]) : ("fit", parts[0])
            let member = Double(value) == nil ? quoted(value) : value
            switch key {
            case "x", "y": offsets.append("\(quoted(key)): \(member)")
            default: members.append("\(quoted(key)): \(member)")
            }
        }
        if !offsets.isEmpty { members.append("\"offset\": {\(offsets.joined(separator: ", "))}") }
        return "{\(members.joined(separator: ", "))}"
    }

    private static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars.filter { $0 != "\"" && $0 != "\\" && $0.value >= 32 }
        return "\"\(String(String.UnicodeScalarView(scalars)))\""
    }

    private struct Unknown: Error { let key: String }

    /// A placement that holds nothing else.
    private struct Checked: Decodable {
        let placement: Placement

        init(from decoder: any Decoder) throws {
            let box = try decoder.container(keyedBy: Name.self)
            let names = Placement.CodingKeys.allCases.map(\.stringValue)
            if let key = box.allKeys.first(where: { !names.contains($0.stringValue) }) {
                throw Unknown(key: key.stringValue)
            }
            if box.contains(Name(stringValue: "offset")) {
                let inner = try box.nestedContainer(keyedBy: Name.self, forKey: Name(stringValue: "offset"))
                let names = Placement.Offset.CodingKeys.allCases.map(\.stringValue)
                if let key = inner.allKeys.first(where: { !names.contains($0.stringValue) }) {
                    throw Unknown(key: "offset.\(key.stringValue)")
                }
            }
            placement = try Placement(from: decoder)
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
