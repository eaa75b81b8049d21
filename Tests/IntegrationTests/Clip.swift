import Foundation
import Testing

/// The material of the tests, made once for all of them.
///
/// The clip is 360x640 at 30 fps for 16 s: grey above, ffmpeg's test picture below; at every full second a white
/// square at the top right and a beep, both 0.1 s long.
enum Clip {
    static let width = 360
    static let height = 640
    /// Where the square flashes, as ffmpeg's crop filter wants it.
    static let flash = "80:80:270:10"

    static func path() throws -> String { try made.get() }

    private static let made = Result { try make() }

    private static func make() throws -> String {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(atPath: Clip.directory) }
        let path = directory + "/clip.mp4"
        let video =
            "color=c=gray:s=360x320:r=30[a];testsrc2=s=360x320:r=30[b];[a][b]vstack,"
            + "drawbox=x=260:y=0:w=100:h=100:c=white:t=fill:enable='lt(mod(t,1),0.0999)'[v]"
        let sound =
            "aevalsrc='0.5*sin(2*PI*1000*t)*lt(mod(t,1),0.1)':s=48000:c=mono,aformat=channel_layouts=stereo[s]"
        let (status, output) = try Spawned.run(
            "ffmpeg",
            [
                "-v", "error", "-filter_complex", "\(video);\(sound)", "-map", "[v]", "-map", "[s]", "-t",
                "16",
                "-c:v", "libx264", "-preset", "veryfast", "-profile:v", "main", "-bf", "0", "-g", "30",
                "-b:v", "1500k",
                "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "128k", "-y", path,
            ], in: directory, within: 60)
        guard status == 0 else { throw Trouble("the clip cannot be made: \(output)") }
        return path
    }

    /// A gift file: a square of one colour, 96x96, opaque, at 30 fps. Packed by giftctl of PNG files.
    static func gift(_ frames: Int, in scene: Scene, named name: String) throws {
        let source = scene.file("source-\(name)")
        try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
        let (drawn, words) = try Spawned.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "color=c=magenta:s=96x96:r=30,format=rgba", "-frames:v",
                "\(frames)",
                "\(source)/%04d.png",
            ], in: scene.directory)
        guard drawn == 0 else { throw Trouble("no pictures: \(words)") }
        let (status, output) = try Spawned.run(
            "giftctl", ["pack", source, "--fps", "30", "-o", scene.file("gifts/\(name).mp4")],
            in: scene.directory)
        guard status == 0 else { throw Trouble("giftctl pack: \(output)") }
    }

    /// A gift file of 96x96 at 30 fps: white for three pictures at every full second, from the first on, else black.
    /// Its sound is made by ffmpeg's `aevalsrc` of `expression`.
    static func flashingGift(_ frames: Int, sound expression: String, in scene: Scene, named name: String)
        throws
    {
        let source = scene.file("source-\(name)")
        try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
        let made = try Spawned.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i",
                "color=c=black:s=96x96:r=30,drawbox=w=96:h=96:c=white:t=fill:enable='lt(mod(n,30),3)',"
                    + "format=rgba",
                "-f", "lavfi", "-i", "aevalsrc='\(expression)':s=48000", "-map", "0", "-frames:v",
                "\(frames)",
                "\(source)/%04d.png", "-map", "1", "-t", "\(Double(frames) / 30)", "\(source)/sound.wav",
            ], in: scene.directory)
        guard made.status == 0 else { throw Trouble("no pictures or sound: \(made.output)") }
        let (status, output) = try Spawned.run(
            "giftctl",
            [
                "pack", source, "--fps", "30", "--sound", "\(source)/sound.wav", "-o",
                scene.file("gifts/\(name).mp4"),
            ], in: scene.directory)
        guard status == 0 else { throw Trouble("giftctl pack: \(output)") }
    }

    /// A grey picture without a sound, 20 s: a feed for whoever listens to gifts.
    static func silent(in scene: Scene) throws -> String {
        let path = scene.file("silent.mp4")
        let (status, output) = try Spawned.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "color=c=gray:s=\(width)x\(height):r=30", "-f", "lavfi",
                "-i",
                "anullsrc=r=48000:cl=stereo", "-t", "20", "-c:v", "libx264", "-preset", "ultrafast", "-bf",
                "0",
                "-pix_fmt", "yuv420p", "-c:a", "aac", "-y", path,
            ], in: scene.directory, within: 60)
        guard status == 0 else { throw Trouble("no silent clip: \(output)") }
        return path
    }

    /// Gone with the process.
    private static let directory = NSTemporaryDirectory() + "giftd-clip-\(getpid())"
}
