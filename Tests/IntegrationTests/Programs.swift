import Foundation
import Testing

/// All tests with processes: one after the other, since they share the machine.
@Suite("Integration", .serialized)
enum Integration {}

/// Where programs are. Ours lie beside the test bundle.
enum Programs {
    static let built = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent()
    static let root = built.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func path(_ name: String) -> String {
        let ours = built.appendingPathComponent(name).path
        if ["giftd", "giftctl", "giftdraw"].contains(name) { return ours }
        let places = ["/usr/bin/", "/usr/sbin/", "/bin/"].map { $0 + name }
        return places.first { FileManager.default.isExecutableFile(atPath: $0) } ?? name
    }

    static func are(_ names: String...) -> Bool {
        names.allSatisfy { FileManager.default.isExecutableFile(atPath: path($0)) }
    }

    static let nginxModule = "/usr/lib/nginx/modules/ngx_rtmp_module.so"
    static let hasNginx = are("nginx") && FileManager.default.fileExists(atPath: nginxModule)
    static let hasFFmpeg = are("ffmpeg", "ffprobe")
}

extension Trait where Self == ConditionTrait {
    static var nginx: Self { .enabled(if: Programs.hasNginx, "needs nginx with libnginx-mod-rtmp") }
    static var ffmpeg: Self { .enabled(if: Programs.hasFFmpeg, "needs ffmpeg") }
    static var promtool: Self { .enabled(if: Programs.are("promtool"), "needs promtool from prometheus") }
}

/// Something did not happen, or went wrong, outside.
struct Trouble: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Asks again and again until `body` answers something.
@discardableResult
func eventually<R>(
    within seconds: Double, every pause: Double = 0.02, _ what: @autoclosure () -> String,
    _ body: () throws -> R?
) throws -> R {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while true {
        if let answer = try body() { return answer }
        guard Date() < deadline else { throw Trouble("not within \(seconds) s: \(what())") }
        Thread.sleep(forTimeInterval: pause)
    }
}
