import Foundation
import Testing

/// A temporary directory with the servers and files of one test.
final class Scene {
    let directory: String

    init() throws {
        directory = NSTemporaryDirectory() + "giftd-scene-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(
            atPath: directory + "/gifts", withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    func file(_ name: String) -> String { "\(directory)/\(name)" }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: file(name), atomically: true, encoding: .utf8)
        return file(name)
    }

    /// An RTMP server on 127.0.0.1, up when this returns.
    func nginx(port: Int) throws -> Spawned {
        let configuration = try write(
            """
            load_module \(Programs.nginxModule);
            daemon off; master_process off; pid nginx-\(port).pid; error_log stderr notice;
            events { worker_connections 64; }
            rtmp { server { listen 127.0.0.1:\(port); application live { live on; } } }
            """, to: "nginx-\(port).conf")
        let server = try Spawned(
            "nginx", ["-p", directory, "-e", "stderr", "-c", configuration], in: directory)
        try eventually(within: 5, "nginx listens; it said: \(server.output)") {
            Loopback.isListening(port) ? true : nil
        }
        return server
    }

    /// Sends the test clip again and again, at its own pace. `options` are ffmpeg's, the format included.
    func publisher(_ uri: String) throws -> Spawned {
        try Spawned(
            "ffmpeg",
            [
                "-v", "warning", "-re", "-stream_loop", "-1", "-i", try Clip.path(), "-c", "copy", "-f",
                Self.format(uri), uri,
            ],
            in: directory, named: "publisher")
    }

    /// Records what comes from `uri` as it is, in a file that can be read while it grows.
    func viewer(_ uri: String, to name: String) throws -> Spawned {
        try Spawned(
            "ffmpeg",
            [
                "-v", "warning", "-i", uri, "-c", "copy", "-flush_packets", "1", "-y",
                file(name),
            ],
            in: directory, named: "viewer")
    }

    /// Waits until a viewer has begun to write, which takes it some seconds of looking at the stream, and then on.
    func record(_ name: String, seconds: Double) throws {
        try eventually(within: 20, "a recording in \(name)") {
            let size = try? FileManager.default.attributesOfItem(atPath: file(name))[.size] as? Int
            return size ?? 0 > 20_000 ? true : nil
        }
        Thread.sleep(forTimeInterval: seconds)
    }

    private static func format(_ uri: String) -> String { uri.hasPrefix("rtmp") ? "flv" : "mpegts" }
}
