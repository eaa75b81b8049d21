internal import Basics
internal import FoundationEssentials
internal import VAP

@testable internal import Control

// Each returns when the bytes were taken or refused as they should be, and traps otherwise.

/// The boxes that are found lie in the file one behind the other, and a layout can be played.
func fuzzBoxes(_ bytes: [UInt8]) {
    do {
        let file = try VAPFile.read(MemorySource(bytes))
        var end: Int64 = 0
        for box in file.boxes {
            precondition(box.offset == end && box.size >= Int64(box.headerSize), "boxes follow each other")
            end = box.offset + box.size
        }
        precondition(end <= Int64(bytes.count), "no box ends behind the file")
        if let manifest = file.manifest { check(manifest) }
    } catch {
        check(error)
    }
}

func fuzzManifest(_ bytes: [UInt8]) {
    do {
        check(try Manifest(json: bytes))
    } catch {
        check(error)
    }
}

private func check(_ manifest: Manifest) {
    let layout = manifest.layout
    for rectangle in [layout.colour, layout.alpha] { precondition(isInside(rectangle, layout.coded)) }
    precondition(layout.frameCount > 0 && layout.duration > 0)
    for time in [.min, -1, 0, layout.duration, .max] {
        precondition((0..<layout.frameCount).contains(layout.index(at: time)))
    }
    for element in manifest.elements.values.joined() {
        precondition(manifest.sources.indices.contains(element.source))
        precondition(isInside(element.mask, layout.coded))
    }
}

private func isInside(_ inner: Rectangle, _ outer: Size) -> Bool {
    inner.x >= 0 && inner.y >= 0 && inner.width > 0 && inner.height > 0
        && inner.x + inner.width <= Double(outer.width) && inner.y + inner.height <= Double(outer.height)
}

private func check(_ error: AnimationError) {
    precondition(!error.message.isEmpty && !error.message.contains("\n"), "one sentence")
}

/// Lines come out alike in whatever pieces the bytes arrive, and each is answered once, in JSON.
func fuzzRequest(_ bytes: [UInt8]) {
    let whole = lines(of: bytes, step: max(bytes.count, 1))
    precondition(whole == lines(of: bytes, step: 1) && whole == lines(of: bytes, step: 7))
    for case .line(let line) in whole {
        ControlPlane.task {
            if let answer = await Door.router.answer(line, RequestContext(receivedAt: 0, peer: Door.peer)) {
                let isJSON = (try? JSONDecoder().decode(Shape.self, from: Data(answer)))?.jsonrpc == "2.0"
                precondition(isJSON && !answer.contains(10), "an answer is one line of JSON")
            }
            MainLoop.quit()
        }
        MainLoop.run()
    }
}

private func lines(of bytes: [UInt8], step: Int) -> [LineBuffer.Piece] {
    var buffer = LineBuffer(limit: 4096)
    var pieces: [LineBuffer.Piece] = []
    for start in stride(from: 0, to: bytes.count, by: step) {
        pieces += buffer.take(bytes[start..<min(start + step, bytes.count)])
    }
    return pieces + [buffer.takeRest()].compactMap { $0 }
}

private struct Shape: Decodable { let jsonrpc: String }

/// A router whose methods take all kinds of parameters and do nothing.
@ControlPlane private enum Door {
    static let peer = Peer { _ in }
    static let router = {
        let router = Router()
        router.on("gift.send") { (params: GiftSend, _) in params }
        router.on("gift.cancel") { (params: GiftNamed, _) in params }
        router.on("gift.list") { (params: GiftListQuery, _) in params }
        router.on("events.subscribe") { (params: EventsSubscribe, _) in params }
        router.on("room.status") { (params: NoParams, _) in params }
        return router
    }()
}
