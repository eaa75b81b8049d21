import Basics
import Decoding
import Foundation
import Testing
import VAP

@testable import Service

/// A directory with gifts in it, and its catalogue.
private final class GiftDirectory: Sendable {
    let path: String
    let catalogue: Catalogue

    /// A PNG of 64x64 pixels, half transparent.
    private static var picture: Data? {
        Data(
            base64Encoded: """
                iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAYAAACqaXHeAAAAZUlEQVR42u3QQREAAAQAMHHEEUlzcjh7rMBiKvuzEC
                BAgAABAgQIECBAgAABAgQIECBAgAABAgQIECBAgAABAgQIECBAgAABAgQIECBAgAABAgQIECBAgAABAgQIECBAgAAB
                Au5bmWpx0q5PSX0AAAAASUVORK5CYII=
                """, options: .ignoreUnknownCharacters)
    }

    private init(path: String, catalogue: Catalogue) {
        self.path = path
        self.catalogue = catalogue
    }

    /// Runs `body` with an empty directory, which is removed afterwards.
    static func with(_ body: (GiftDirectory) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "giftd-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let catalogue = await TestLoop.run { Catalogue(directory: path) }
        try await body(GiftDirectory(path: path, catalogue: catalogue))
    }

    /// Packs a gift of so many frames under this name.
    func add(_ name: String, frames: Int = 2) throws {
        let picture = try #require(Self.picture)
        let scratch = "\(path)/.\(name)"
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        for index in 0..<frames { try picture.write(to: URL(fileURLWithPath: "\(scratch)/\(index).png")) }
        _ = try Packer.pack(input: scratch, output: "\(path)/\(name).mp4")
    }

    func write(_ text: String, _ file: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(file)"))
    }

    func remove(_ file: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(file)") }

    /// The gift of a name, or the kind of error.
    func take(_ name: String) async -> Result<Animation, AnimationError> {
        let catalogue = catalogue
        return await TestLoop.run {
            do throws(AnimationError) {
                return .success(try await catalogue.animation(name))
            } catch {
                return .failure(error)
            }
        }
    }

    func kind(_ name: String) async -> AnimationError.Kind? {
        guard case .failure(let error) = await take(name) else { return nil }
        return error.kind
    }
}

/// The main loop of the tests: turned on a thread of its own from the first use on.
private enum TestLoop {
    static let worker: Worker = {
        let worker = Worker(name: "main loop")
        worker.run { if MainLoop.acquire() { MainLoop.run() } }
        return worker
    }()

    static func run<T: Sendable>(_ body: sending @escaping @ControlPlane () async -> T) async -> T {
        _ = worker
        return await ControlPlane.task(body).value
    }
}

@Suite("Catalogue", .timeLimit(.minutes(1)))
struct CatalogueTests {
    @Test("opens a gift once, for all who play it")
    func cache() async throws {
        try await GiftDirectory.with { gifts in
            try gifts.add("rabbit", frames: 3)
            let first = try await gifts.take("rabbit").get()
            #expect(first.layout.frameCount == 3)
            #expect(try await gifts.take("rabbit").get() === first)
        }
    }

    @Test("notices at a gift's turn that its file has changed, broken or vanished")
    func changes() async throws {
        try await GiftDirectory.with { gifts in
            #expect(await gifts.kind("rabbit") == .notFound)
            try gifts.add("rabbit", frames: 2)
            let first = try await gifts.take("rabbit").get()
            try gifts.add("rabbit", frames: 4)
            #expect(try await gifts.take("rabbit").get().layout.frameCount == 4)
            #expect(first.layout.frameCount == 2)
            try gifts.write("no movie", "rabbit.mp4")
            #expect(await gifts.kind("rabbit") == .notMP4)
            try gifts.remove("rabbit.mp4")
            #expect(await gifts.kind("rabbit") == .notFound)
            try gifts.add("rabbit", frames: 2)
            #expect(await gifts.kind("rabbit") == nil)
        }
    }

    @Test("takes the sidecar for the layout as long as it is there")
    func sidecar() async throws {
        try await GiftDirectory.with { gifts in
            try gifts.add("rabbit")
            #expect(try await gifts.take("rabbit").get().origin == .box)
            try gifts.write("{}", "rabbit.json")
            #expect(await gifts.kind("rabbit") == .fieldMissing)
            try gifts.remove("rabbit.json")
            #expect(try await gifts.take("rabbit").get().origin == .box)
        }
    }

    @Test(
        "leads nobody out of its directory",
        arguments: [
            "", ".", "..", "../rabbit", "a/b", "/etc/passwd", ".rabbit", "rab\nbit", "rab\0bit",
            "rab\u{85}bit",
            String(repeating: "x", count: 201),
        ])
    func names(name: String) async throws {
        #expect(!Catalogue.isGood(name))
        try await GiftDirectory.with { gifts in
            try gifts.add("rabbit")
            #expect(await gifts.kind(name) == .notFound)
        }
    }

    @Test("lists what can be sent and what is broken, by name")
    func list() async throws {
        try await GiftDirectory.with { gifts in
            try gifts.add("rocket")
            try gifts.write("", "empty.mp4")
            for file in ["notes.txt", ".hidden.mp4", ".mp4", "rocket.png"] { try gifts.write("x", file) }
            try FileManager.default.createDirectory(
                atPath: "\(gifts.path)/a.mp4", withIntermediateDirectories: true)
            let catalogue = gifts.catalogue
            let entries = await TestLoop.run { await catalogue.list() }
            #expect(entries.map(\.name) == ["a", "empty", "rocket"])
            let kinds = entries.map { entry -> AnimationError.Kind? in
                if case .failure(let error) = entry.animation { error.kind } else { nil }
            }
            #expect(kinds == [.notMP4, .emptyFile, nil])
        }
    }

    @Test("is empty when its directory is not there")
    func nowhere() async {
        let catalogue = await TestLoop.run { Catalogue(directory: "/tmp/no-gifts-here") }
        #expect(await TestLoop.run { await catalogue.list().isEmpty })
    }

    @Test("forgets the least recently used of too many")
    func bounded() async throws {
        try await GiftDirectory.with { gifts in
            try gifts.add("rabbit")
            weak let first = try await gifts.take("rabbit").get()
            for number in 0..<255 { try gifts.write("x", "broken\(number).mp4") }
            for number in 0..<255 { #expect(await gifts.kind("broken\(number)") == .notMP4) }
            #expect(first != nil)
            try gifts.write("x", "last.mp4")
            #expect(await gifts.kind("last") == .notMP4)
            #expect(first == nil)
        }
    }
}
