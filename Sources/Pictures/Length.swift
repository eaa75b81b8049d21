/// A length on the program: pixels, or a share of its width or height.
///
/// In JSON a text, `"12%"` or `"300px"`, or a bare number, whose meaning the key defines: pixels for offsets, a share
/// for sizes (1.0 is all of the program).
package enum Length: Hashable, Sendable {
    case pixels(Double)
    case share(Double)

    package func pixels(of whole: Int) -> Double {
        switch self {
        case .pixels(let pixels): pixels
        case .share(let share): share * Double(whole)
        }
    }

    /// From its text form; nil when it is none.
    package init?(_ text: String) {
        if text.hasSuffix("%"), let number = Double(text.dropLast()), number.isFinite {
            self = .share(number / 100)
        } else if text.hasSuffix("px"), let number = Double(text.dropLast(2)), number.isFinite {
            self = .pixels(number)
        } else {
            return nil
        }
    }
}

extension Length {
    /// Decodes either form; `bare` makes a length of a bare number.
    fileprivate init(from decoder: any Decoder, bare: (Double) -> Length) throws {
        let box = try decoder.singleValueContainer()
        if let number = try? box.decode(Double.self) {
            self = bare(number)
        } else if let text = try? box.decode(String.self), let length = Length(text) {
            self = length
        } else {
            throw DecodingError.dataCorruptedError(
                in: box, debugDescription: "wants a number, or text such as \"12%\" or \"300px\"")
        }
    }

    fileprivate func encode(to encoder: any Encoder) throws {
        var box = encoder.singleValueContainer()
        switch self {
        case .pixels(let pixels): try box.encode("\(pixels)px")
        case .share(let share): try box.encode("\(share * 100)%")
        }
    }
}

/// A bare number is pixels.
private struct OffsetLength: Codable {
    let length: Length

    init(_ length: Length) { self.length = length }
    init(from decoder: any Decoder) throws { length = try Length(from: decoder) { .pixels($0) } }
    func encode(to encoder: any Encoder) throws { try length.encode(to: encoder) }
}

/// A bare number is a share; a size is above 0 and at most ten times the program.
private struct SizeLength: Codable {
    let length: Length

    init(_ length: Length) { self.length = length }

    init(from decoder: any Decoder) throws {
        length = try Length(from: decoder) { .share($0) }
        let isGood =
            switch length {
            case .pixels(let pixels): pixels >= 2 && pixels <= 40_960
            case .share(let share): share > 0 && share <= 10
            }
        guard !isGood else { return }
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: decoder.codingPath,
                debugDescription: "a size is a share above 0 and at most 10, or 2 to 40960 pixels"))
    }

    func encode(to encoder: any Encoder) throws { try length.encode(to: encoder) }
}

extension Placement.Offset: Codable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case x, y }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        x = try box.decodeIfPresent(OffsetLength.self, forKey: .x)?.length ?? .pixels(0)
        y = try box.decodeIfPresent(OffsetLength.self, forKey: .y)?.length ?? .pixels(0)
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encode(OffsetLength(x), forKey: .x)
        try box.encode(OffsetLength(y), forKey: .y)
    }
}

extension Placement: Codable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case fit, anchor, offset, size }

    /// Absent keys keep their defaults.
    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        fit = try Self.name(box, .fit) ?? fit
        anchor = try Self.name(box, .anchor) ?? anchor
        offset = try box.decodeIfPresent(Offset.self, forKey: .offset) ?? offset
        size = try box.decodeIfPresent(SizeLength.self, forKey: .size)?.length ?? size
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encode(fit, forKey: .fit)
        try box.encode(anchor, forKey: .anchor)
        try box.encode(offset, forKey: .offset)
        try box.encode(SizeLength(size), forKey: .size)
    }

    private static func name<Name: RawRepresentable & CaseIterable>(
        _ box: KeyedDecodingContainer<CodingKeys>, _ key: CodingKeys
    ) throws -> Name? where Name.RawValue == String {
        guard let text = try box.decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let name = Name(rawValue: text) else {
            let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                forKey: key, in: box, debugDescription: "\"\(text)\" is none of \(names)")
        }
        return name
    }
}
