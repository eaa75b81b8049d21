/// What a command takes on its line. Declared once; reading, errors and help follow from it.
package struct CommandSyntax: Sendable {
    package struct Option: Sendable {
        /// With its dashes: `--socket`.
        package let name: String
        /// One more spelling: `-o`.
        package let short: String?
        /// What the help calls its value; nil for an option that takes none.
        package let value: String?
        package let help: String
        /// Whether it asks something instead of having the command done: what else is missing is no error then.
        package let isQuestion: Bool
        /// Whether it may be given several times; see `Arguments.given`.
        package let repeats: Bool

        package init(
            _ name: String, short: String? = nil, value: String? = nil, isQuestion: Bool = false,
            repeats: Bool = false, _ help: String
        ) {
            self.name = name
            self.short = short
            self.value = value
            self.help = help
            self.isQuestion = isQuestion
            self.repeats = repeats
        }
    }

    package struct Operand: Sendable {
        package let name: String
        package let isRequired: Bool
        package let help: String

        package init(_ name: String, isRequired: Bool = true, _ help: String) {
            self.name = name
            self.isRequired = isRequired
            self.help = help
        }
    }

    package struct Example: Sendable {
        package let line: String
        package let meaning: String

        package init(_ line: String, _ meaning: String) {
            self.line = line
            self.meaning = meaning
        }
    }

    /// As it is typed: `giftctl send`.
    package var name: String
    /// One sentence.
    package var summary: String
    package var operands: [Operand]
    package var options: [Option]
    package var examples: [Example]
    /// Whether everything behind the last operand belongs to somebody else, as a subcommand's words do.
    package var leavesRest: Bool

    package init(
        _ name: String, _ summary: String, operands: [Operand] = [], options: [Option] = [],
        examples: [Example] = [], leavesRest: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.options = options + [Option("--help", short: "-h", isQuestion: true, "show this help")]
        self.examples = examples
        self.leavesRest = leavesRest
    }
}

/// A command line that cannot be meant. The program says this in one line and ends with status 2.
package struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
    package let command: String
    package let message: String

    package init(_ command: String, _ message: String) {
        self.command = command
        self.message = message
    }

    package var description: String { "\(command): \(message); see \(command) --help" }
}

/// A command's line as it was read.
package struct Arguments: Sendable {
    package let syntax: CommandSyntax
    /// In the order of the line; as many as the syntax asks for.
    package private(set) var operands: [String] = []
    /// What `leavesRest` left.
    package private(set) var rest: [String] = []
    /// Every option with its value, empty where it takes none, in the order of the line.
    package private(set) var given: [(option: String, value: String)] = []
    private var values: [String: String] = [:]

    /// Whether help was asked for.
    package var asksForHelp: Bool { has("--help") }

    /// Reads a line without the command's name. `--name=value` and `--name value` are the same; what follows
    /// `--` is no option.
    package init(_ line: [String], _ syntax: CommandSyntax) throws(UsageError) {
        self.syntax = syntax
        var (words, isLiteral) = (line[...], false)
        while let word = words.popFirst() {
            if word == "--", !isLiteral {
                isLiteral = true
            } else if word.hasPrefix("-"), word != "-", !isLiteral {
                try take(option: word, from: &words)
            } else {
                try take(operand: word)
                if syntax.leavesRest, operands.count == syntax.operands.count {
                    rest = Array(words)
                    break
                }
            }
        }
        let isQuestion = syntax.options.contains { $0.isQuestion && has($0.name) }
        let missing = syntax.operands.dropFirst(operands.count).first { $0.isRequired }
        if let missing, !isQuestion { throw wrong("\(missing.name) is missing") }
    }

    package func has(_ option: String) -> Bool { values[option] != nil }

    /// The value of an option; of one that repeats, the last.
    package func text(_ option: String) -> String? { values[option] }

    package func integer(_ option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = values[option] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw wrong("\(option) wants a whole number of \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    package func number(_ option: String, in range: ClosedRange<Double>) throws(UsageError) -> Double? {
        guard let text = values[option] else { return nil }
        guard let number = Double(text), range.contains(number) else {
            throw wrong("\(option) wants a number of \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    package func choice(_ option: String, of names: [String]) throws(UsageError) -> String? {
        guard let text = values[option] else { return nil }
        if names.contains(text) { return text }
        throw wrong("\(option) wants one of \(names.joined(separator: " "))" + meant(text, among: names))
    }

    /// An error of this command, for what only the caller can judge.
    package func wrong(_ message: String) -> UsageError { UsageError(syntax.name, message) }

    private mutating func take(option word: String, from words: inout ArraySlice<String>) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard let option = syntax.options.first(where: { $0.name == parts[0] || $0.short == parts[0] }) else {
            let names = syntax.options.map(\.name)
            throw wrong("unknown option \(parts[0])" + meant(parts[0], among: names))
        }
        guard option.repeats || values[option.name] == nil else {
            throw wrong("\(option.name) is given twice")
        }
        guard let value = option.value else {
            guard parts.count == 1 else { throw wrong("\(option.name) takes no value") }
            set(option.name, "")
            return
        }
        guard let text = parts.count == 2 ? parts[1] : words.popFirst() else {
            throw wrong("\(option.name) wants \(value)")
        }
        set(option.name, text)
    }

    private mutating func set(_ option: String, _ value: String) {
        values[option] = value
        given.append((option, value))
    }

    private mutating func take(operand word: String) throws(UsageError) {
        guard operands.count < syntax.operands.count else { throw wrong("\"\(word)\" is one word too many") }
        operands.append(word)
    }

    private func meant(_ word: String, among names: [String]) -> String {
        Spelling.suggestion(for: word, among: names).map { ", did you mean \($0)?" } ?? ""
    }
}
