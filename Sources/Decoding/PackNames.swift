internal import Glibc

/// The PNG files of a directory, in the order in which a person would count them.
enum PackNames {
    static func pictures(in directory: String) throws(PackError) -> [String] {
        guard let stream = opendir(directory) else {
            throw PackError(.inputMissing, "\(directory): \(String(cString: strerror(errno)))")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.lowercased().hasSuffix(".png"), !name.hasPrefix(".") { names.append(name) }
        }
        guard !names.isEmpty else {
            throw PackError(.inputMissing, "\(directory): no PNG files in it")
        }
        return names.sorted(by: isBefore).map { "\(directory)/\($0)" }
    }

    /// Natural order: runs of digits compare as numbers of any length, the rest byte by byte. Names that are equal so
    /// far (`7.png`, `07.png`) compare as text, so the order is total.
    static func isBefore(_ left: String, _ right: String) -> Bool {
        var (a, b) = (Substring(left), Substring(right))
        while let x = a.first, let y = b.first {
            if x.isASCIIDigit, y.isASCIIDigit {
                let (m, n) = (a.takeNumber(), b.takeNumber())
                if m.count != n.count { return m.count < n.count }
                if m != n { return m < n }
            } else {
                if x != y { return x < y }
                a.removeFirst()
                b.removeFirst()
            }
        }
        return a.isEmpty == b.isEmpty ? left < right : a.isEmpty
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

extension Substring {
    /// Takes the digits at the front, without leading zeros.
    fileprivate mutating func takeNumber() -> Substring {
        let digits = prefix { $0.isASCIIDigit }
        self = self[digits.endIndex...]
        return digits.drop { $0 == "0" }
    }
}
