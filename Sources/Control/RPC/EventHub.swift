package import Basics

/// A client behind a door, as the hub sees it. The door drops a client that does not read its events.
@ControlPlane package final class Peer {
    private let deliver: @ControlPlane ([UInt8]) -> Void

    package init(deliver: @escaping @ControlPlane ([UInt8]) -> Void) { self.deliver = deliver }

    package func notify(_ line: [UInt8]) { deliver(line) }
}

/// Hands events to the clients that subscribed. Holds no client: one that is gone is forgotten.
@ControlPlane package final class EventHub {
    private struct Subscription {
        weak var peer: Peer?
        /// nil: all.
        let names: Set<String>?
    }

    private let router: Router
    private var subscriptions: [ObjectIdentifier: Subscription] = [:]

    /// Adds `events.subscribe` to the router's methods.
    package init(router: Router) {
        self.router = router
        router.on("events.subscribe") { [weak self] (params: EventsSubscribe, context) in
            let names = try Self.names(matching: params.events)
            self?.subscriptions[ObjectIdentifier(context.peer)] = Subscription(
                peer: context.peer, names: names)
            return Subscribed(events: (names ?? Set(Events.names)).sorted())
        }
    }

    package var subscriberCount: Int { subscriptions.values.count { $0.peer != nil } }

    /// Tells everybody who wants to know, in the order of the calls. Encodes once, and not at all for nobody.
    package func publish<E: Event>(_ event: E) {
        subscriptions = subscriptions.filter { $0.value.peer != nil }
        let wanted = subscriptions.values.filter { $0.names?.contains(E.name) ?? true }
        guard !wanted.isEmpty, let line = router.notification(event) else { return }
        for subscription in wanted { subscription.peer?.notify(line) }
    }

    /// The events that the patterns name; nil when there are none, which means all.
    nonisolated static func names(matching patterns: [String]?) throws(RPCError) -> Set<String>? {
        guard let patterns else { return nil }
        var names: Set<String> = []
        for pattern in patterns {
            let found = Events.names.filter { name in
                name == pattern || (pattern.hasSuffix(".*") && name.hasPrefix(pattern.dropLast()))
            }
            guard !found.isEmpty else {
                let known = Events.names.joined(separator: ", ")
                throw RPCError(.invalidParams, "there is no event \"\(pattern)\": there are \(known)")
            }
            names.formUnion(found)
        }
        return names
    }
}

/// The answer to `events.subscribe`: what will come.
package struct Subscribed: Codable, Hashable, Sendable {
    package var events: [String]
}
