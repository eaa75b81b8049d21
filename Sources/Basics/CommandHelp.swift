extension CommandSyntax {
    /// `giftctl send [OPTION…] GIFT`
    package var usage: String {
        let words = operands.map { $0.isRequired ? $0.name : "[\($0.name)]" }
        return ([name, "[OPTION…]"] + words + (leavesRest ? ["…"] : [])).joined(separator: " ")
    }

    /// What `--help` prints, within 100 columns.
    package var help: String {
        var text = "Usage: \(usage)\n\n\(CommandHelp.wrapped(summary, indent: 0))\n"
        if !operands.isEmpty {
            text += "\n" + CommandHelp.table(operands.map { ($0.name, $0.help) })
        }
        text += "\nOptions:\n" + CommandHelp.table(options.map { (CommandHelp.head($0), $0.help) })
        guard !examples.isEmpty else { return text }
        let lines = examples.map { "  \($0.line)\n      \($0.meaning)\n" }
        return text + "\nExamples:\n" + lines.joined()
    }
}

/// Lays out help texts.
package enum CommandHelp {
    private static let width = 100

    /// Two columns; the right one is wrapped and aligned.
    package static func table(_ rows: [(String, String)]) -> String {
        let left = min(rows.map(\.0.count).max() ?? 0, 32)
        return rows.map { head, text in
            let gap = String(repeating: " ", count: max(2, left + 2 - head.count))
            return "  \(head)\(gap)\(wrapped(text, indent: left + 4))\n"
        }.joined()
    }

    static func head(_ option: CommandSyntax.Option) -> String {
        let names = option.short.map { "\($0), \(option.name)" } ?? option.name
        return option.value.map { "\(names) \($0)" } ?? names
    }

    /// Breaks at spaces; all lines but the first are indented.
    static func wrapped(_ text: String, indent: Int) -> String {
        var (lines, line) = ([String](), "")
        for word in text.split(separator: " ") {
            if !line.isEmpty, indent + line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? "\(word)" : " \(word)"
        }
        return (lines + [line]).joined(separator: "\n" + String(repeating: " ", count: indent))
    }
}
