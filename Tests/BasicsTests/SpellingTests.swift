import Testing

@testable import Basics

@Suite("Spelling")
struct SpellingTests {
    @Test(
        "suggests what is near",
        arguments: [
            ("bitrte", "bitrate"), ("Bitrate", "bitrate"), ("wdith", "width"), ("fsp", "fps"), ("z", "z"),
        ])
    func near(word: String, meant: String) {
        #expect(Spelling.suggestion(for: word, among: ["width", "bitrate", "fps", "z"]) == meant)
    }

    @Test("suggests nothing for what is far from all", arguments: ["volume", "", "abc", "xxxxxxxxxxxxxxxx"])
    func far(word: String) {
        #expect(Spelling.suggestion(for: word, among: ["width", "bitrate"]) == nil)
        #expect(Spelling.suggestion(for: word, among: []) == nil)
    }

    @Test(
        "counts edits",
        arguments: [
            ("", "", 0), ("", "abc", 3), ("abc", "abc", 0), ("abcd", "abdc", 1), ("kitten", "sitting", 3),
        ])
    func distance(first: String, second: String, edits: Int) {
        #expect(Spelling.distance(first, second) == edits)
        #expect(Spelling.distance(second, first) == edits)
    }
}
