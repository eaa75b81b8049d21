/// Where on the program, as a client writes it: the JSON form of a placement, names not yet looked at.
package struct PlaceParams: Codable, Hashable, Sendable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case fit, anchor, offset, size }

    package struct Offset: Codable, Hashable, Sendable {
        package enum CodingKeys: String, CodingKey, CaseIterable { case x, y }

        package var x: LengthParam?
        package var y: LengthParam?

        package init(x: LengthParam? = nil, y: LengthParam? = nil) {
            self.x = x
            self.y = y
        }

        package init(from decoder: any Decoder) throws {
            try decoder.refuseUnknown(CodingKeys.self)
            let box = try decoder.container(keyedBy: CodingKeys.self)
            x = try box.decodeIfPresent(LengthParam.self, forKey: .x)
            y = try box.decodeIfPresent(LengthParam.self, forKey: .y)
        }
    }

    /// `contain`, `cover`, `stretch` or `none`.
    package var fit: String?
    /// `center`, `top`, `bottomLeft` and so on.
    package var anchor: String?
    /// Numbers are pixels.
    package var offset: Offset?
    /// A number is a share of the program: 1 is all of it.
    package var size: LengthParam?

    package init(
        fit: String? = nil, anchor: String? = nil, offset: Offset? = nil, size: LengthParam? = nil
    ) {
        self.fit = fit
        self.anchor = anchor
        self.offset = offset
        self.size = size
    }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseUnknown(CodingKeys.self)
        let box = try decoder.container(keyedBy: CodingKeys.self)
        fit = try box.decodeIfPresent(String.self, forKey: .fit)
        anchor = try box.decodeIfPresent(String.self, forKey: .anchor)
        offset = try box.decodeIfPresent(Offset.self, forKey: .offset)
        size = try box.decodeIfPresent(LengthParam.self, forKey: .size)
    }
}

/// A number, or text such as `"12%"` and `"300px"`.
package enum LengthParam: Codable, Hashable, Sendable {
    case number(Double)
    case text(String)

    package init(from decoder: any Decoder) throws {
        let box = try decoder.singleValueContainer()
        if let text = try? box.decode(String.self) {
            self = .text(text)
        } else if let number = try? box.decode(Double.self) {
            self = .number(number)
        } else {
            let field = decoder.codingPath.fieldPath ?? "it"
            throw RPCError(.invalidParams, "\(field) must be a number or text such as \"12%\" or \"300px\"")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.singleValueContainer()
        switch self {
        case .number(let number): try box.encode(number)
        case .text(let text): try box.encode(text)
        }
    }
}
