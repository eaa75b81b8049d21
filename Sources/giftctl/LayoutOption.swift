internal import Basics
internal import VAP

/// `--layout`: how a file without a layout is cut.
enum LayoutOption {
    static let name = "--layout"
    static let help =
        "how a bare split file is cut: alphaLeft, alphaRight, alphaTop or alphaBottom, or an object such as "
        + "{\"rgbFrame\": [0,0,720,1280], \"aFrame\": [720,0,360,640], \"fps\": 30}"

    /// The value as a layout. A fault in it is one of the line.
    static func bare(_ text: String, _ arguments: Arguments) throws(UsageError) -> BareLayout {
        if let halves = Halves(rawValue: text) { return BareLayout(.halves(halves)) }
        let names = Halves.allCases.map(\.rawValue)
        guard text.hasPrefix("{") else {
            let near = Spelling.suggestion(for: text, among: names).map { ", did you mean \($0)?" } ?? ""
            throw arguments.wrong("\(name) wants one of \(names.joined(separator: " ")) or an object" + near)
        }
        do throws(AnimationError) {
            if let bare = try BareLayout(json: Array(text.utf8)) { return bare }
        } catch {
            throw arguments.wrong("\(name): \(error.message)")
        }
        throw arguments.wrong("\(name) wants halves, or rgbFrame and aFrame")
    }
}
