internal import Control

/// A gift's event in words.
struct GiftEvent {
    let id: String
    let line: String
    /// Of its end.
    var outcome: String?
    var reason: String?

    /// Nil for events that are no gift's.
    init?(_ message: ControlClient.Message) throws {
        switch message.name {
        case GiftAccepted.name:
            let event = try message.event(GiftAccepted.self)
            id = event.id
            let place = event.position > 0 ? " behind \(event.position)" : ""
            line = "\(id): \(event.gift) accepted in \(event.lane)\(place)"
        case GiftStarted.name:
            let event = try message.event(GiftStarted.self)
            id = event.id
            line = "\(id): \(event.gift) on screen after \(Text.number(event.latency, digits: 3)) s"
        case GiftEnded.name:
            let event = try message.event(GiftEnded.self)
            id = event.id
            outcome = event.outcome
            reason = event.reason
            line = "\(id): \(event.gift) \(Self.end(event))"
        default: return nil
        }
    }

    private static func end(_ event: GiftEnded) -> String {
        var text = event.outcome
        if let seconds = event.shownSeconds {
            text += " after \(Text.number(seconds, digits: 2)) s on screen"
        }
        if event.picturesLate > 0 { text += ", \(event.picturesLate) pictures late" }
        return text + (event.reason.map { ": \($0)" } ?? "")
    }
}

extension ControlClient.Message {
    /// The line as it came.
    var text: String { String(decoding: line, as: UTF8.self) }
}
