import Testing

@testable import Basics

@Suite("Arguments")
struct ArgumentsTests {
    private static let syntax = CommandSyntax(
        "tool send", "Sends.",
        operands: [.init("GIFT", "its name"), .init("NOTE", isRequired: false, "a word")],
        options: [
            .init("--lane", short: "-l", value: "NAME", "the lane"),
            .init("--count", value: "N", "how many"),
            .init("--json", "as JSON"),
            .init("--tag", short: "-t", value: "TEXT", repeats: true, "a tag"),
        ],
        examples: [.init("tool send rabbit", "sends the rabbit")])

    private func read(_ line: String...) throws(UsageError) -> Arguments { try Arguments(line, Self.syntax) }

    private func complaint(_ line: String...) -> String? {
        do throws(UsageError) {
            let arguments = try Arguments(line, Self.syntax)
            _ = try arguments.integer("--count", in: 1...9)
            _ = try arguments.choice("--lane", of: ["main", "side"])
            return nil
        } catch {
            return error.message
        }
    }

    @Test("are read in any order and both spellings")
    func spellings() throws {
        let arguments = try read("--json", "rabbit", "-l", "main", "--count=3", "hello")
        #expect(arguments.operands == ["rabbit", "hello"])
        #expect(arguments.has("--json") && arguments.text("--lane") == "main")
        #expect(try arguments.integer("--count", in: 1...9) == 3)
        #expect(try arguments.number("--count", in: 0...3.5) == 3)
        #expect(try arguments.choice("--lane", of: ["main", "side"]) == "main")
        #expect(!arguments.has("--help") && arguments.text("--help") == nil)
        #expect(try read("rabbit").integer("--count", in: 1...9) == nil)
    }

    @Test("may begin with a dash where a value is wanted or behind --")
    func dashes() throws {
        #expect(try read("--lane", "-5,3", "--", "--json").text("--lane") == "-5,3")
        #expect(try read("--", "--json", "--").operands == ["--json", "--"])
        #expect(try read("-").operands == ["-"])
        #expect(try read("a", "--lane=").text("--lane") == "")
        #expect(try read("a", "--lane=b=c").text("--lane") == "b=c")
    }

    @Test("keep the order of options that may be given several times")
    func order() throws {
        let arguments = try read("--tag", "a=1", "rabbit", "--json", "-t", "b", "--tag=a=1")
        #expect(arguments.given.map(\.option) == ["--tag", "--json", "--tag", "--tag"])
        #expect(arguments.given.map(\.value) == ["a=1", "", "b", "a=1"])
        #expect(arguments.text("--tag") == "a=1")
    }

    @Test("are refused with what to do instead")
    func refusals() {
        #expect(complaint() == "GIFT is missing")
        #expect(complaint("a", "b", "c") == "\"c\" is one word too many")
        #expect(complaint("a", "--laen", "b") == "unknown option --laen, did you mean --lane?")
        #expect(complaint("a", "--zzzzzzzz") == "unknown option --zzzzzzzz")
        #expect(complaint("a", "-x=1") == "unknown option -x")
        #expect(complaint("a", "--lane") == "--lane wants NAME")
        #expect(complaint("a", "--json=yes") == "--json takes no value")
        #expect(complaint("a", "--json", "--json") == "--json is given twice")
        #expect(complaint("a", "--count", "ten") == "--count wants a whole number of 1 to 9")
        #expect(complaint("a", "--count", "99999999999999999999") == "--count wants a whole number of 1 to 9")
        #expect(complaint("a", "--lane", "mian") == "--lane wants one of main side, did you mean main?")
        #expect(throws: UsageError.self) { try read("a", "--count=nan").number("--count", in: 0...1) }
        #expect(UsageError("tool", "no").description == "tool: no; see tool --help")
    }

    @Test("ask for help whatever is missing")
    func help() throws {
        #expect(try read("--help").asksForHelp && read("-h").asksForHelp)
        let help = Self.syntax.help
        #expect(help.hasPrefix("Usage: tool send [OPTION…] GIFT [NOTE]\n\nSends.\n"))
        for word in ["GIFT", "-l, --lane NAME", "how many", "--json", "-h, --help", "tool send rabbit"] {
            #expect(help.contains(word))
        }
    }

    @Test("leave the rest to a subcommand")
    func rest() throws {
        let head = CommandSyntax(
            "tool", "Does.", operands: [.init("COMMAND", "what")],
            options: [.init("--socket", value: "PATH", "where")],
            leavesRest: true)
        let arguments = try Arguments(["--socket", "/s", "send", "--help", "--", "x"], head)
        #expect(arguments.operands == ["send"] && arguments.rest == ["--help", "--", "x"])
        #expect(!arguments.asksForHelp && arguments.text("--socket") == "/s")
        #expect(head.usage == "tool [OPTION…] COMMAND …")
    }

    @Test("are explained within a hundred columns")
    func wrapping() {
        let text = (1...60).map { "word\($0)" }.joined(separator: " ")
        let table = CommandHelp.table([("--option", text), (String(repeating: "x", count: 50), "y")])
        let lines = table.split(separator: "\n")
        #expect(lines.count > 4 && lines.dropLast().allSatisfy { $0.count <= 100 })
        #expect(lines.dropFirst().dropLast().allSatisfy { $0.hasPrefix(String(repeating: " ", count: 36)) })
        #expect(CommandHelp.wrapped("", indent: 4) == "")
    }
}
