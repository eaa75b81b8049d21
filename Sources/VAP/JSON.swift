/// A JSON value as it stands in the file.
enum JSON: Equatable {
    struct Member: Equatable {
        let name: String
        let value: JSON
    }

    case null
    case bool(Bool)
    /// May be infinite: the grammar knows no largest number.
    case number(Double)
    case string(String)
    case array([JSON])
    /// In the order of the file. Of several members of one name the last counts.
    case object([Member])

    /// The member of an object; nil for null, for a missing one, and where this is no object.
    subscript(name: String) -> JSON? {
        guard case .object(let members) = self,
            let member = members.last(where: { $0.name == name }), member.value != .null
        else { return nil }
        return member.value
    }

    var elements: [JSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// A finite number, also from a string that holds exactly a number.
    var finite: Double? {
        switch self {
        case .number(let number): number.isFinite ? number : nil
        case .string(let text): JSONReader.number(text)
        default: nil
        }
    }

    var isString: Bool {
        guard case .string = self else { return false }
        return true
    }

    /// A whole number of modest size.
    var whole: Int? {
        guard let finite, finite.magnitude < 1e15 else { return nil }
        return Int(exactly: finite)
    }

    /// `[x, y, w, h]`.
    var rectangle: Rectangle? {
        guard let elements, elements.count == 4,
            let x = elements[0].finite, let y = elements[1].finite,
            let width = elements[2].finite, let height = elements[3].finite
        else { return nil }
        return Rectangle(x: x, y: y, width: width, height: height)
    }

    /// A file does not get to break lines or turn the direction of text in a log.
    private static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { (" "..."~").contains($0) ? $0 : "?" }))
    }

    /// For messages: what kind of value this is, not what it holds.
    var what: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .number(let number): "\(number)"
        case .string(let text) where text.utf8.count <= 32: "the text '\(Self.printable(text))'"
        case .string(let text): "a text of \(text.utf8.count) bytes"
        case .array(let elements): "an array of \(elements.count)"
        case .object: "an object"
        }
    }
}
