internal import Basics
internal import CGStreamer
internal import Synchronization

/// One GStreamer pipeline on the common clock, with its bus turned into events.
///
/// Owned by whoever runs it. `onEvent` is called on streaming threads and must not block; it hears of the first
/// failure only (errors come in cascades) and of nothing after `stop` began. `stop` blocks until every thread of the
/// pipeline is gone (an SRT listener needs up to two seconds): call it from a worker, never from a streaming thread
/// or the main loop.
final class Pipeline: Sendable {
    enum Event: Sendable {
        case failed(LiveError)
        case warned(LiveError)
        case ended
    }

    let name: String
    private let pipeline: Reference<GstElement>
    private let onEvent: @Sendable (Event) -> Void
    private let isOver = Atomic<Bool>(false)

    /// Parses a gst-launch description. The pipeline is left in NULL; `play` starts it.
    init(
        name: String, description: String, clock: LiveClock, onEvent: @escaping @Sendable (Event) -> Void
    ) throws(LiveError) {
        self.name = name
        self.onEvent = onEvent
        pipeline = Reference(adopting: try parse(description, name: name))
        clock.apply(to: pipeline.raw)
        guard let bus = gst_element_get_bus(pipeline.raw) else { throw LiveError(name, "has no bus") }
        defer { gst_object_unref(UnsafeMutableRawPointer(bus)) }
        gst_bus_set_sync_handler(
            bus,
            { _, message, context in
                guard let message, let context else { return GST_BUS_DROP }
                Unmanaged<Pipeline>.fromOpaque(context).takeUnretainedValue().handle(message)
                return GST_BUS_DROP
            }, Unmanaged.passUnretained(self).toOpaque(), nil)
    }

    deinit {
        stop()
        // Nobody may call in once this object is gone.
        guard let bus = gst_element_get_bus(pipeline.raw) else { return }
        gst_bus_set_sync_handler(bus, nil, nil, nil)
        gst_object_unref(UnsafeMutableRawPointer(bus))
    }

    var raw: UnsafeMutablePointer<GstElement> { pipeline.raw }

    func element(_ name: String) throws(LiveError) -> Reference<GstElement> {
        guard let element = gst_bin_get_by_name(cgst_bin(pipeline.raw), name) else {
            throw LiveError(self.name, "has no element \(name)")
        }
        return Reference(adopting: element)
    }

    /// Sets a property from its text form; names that do not exist are an error, not a GLib warning.
    func set(_ property: String, of name: String, to value: String) throws(LiveError) {
        let element = try element(name)
        guard g_object_class_find_property(cgst_object_class(element.raw), property) != nil else {
            throw LiveError(name, "has no property \(property)")
        }
        gst_util_set_object_arg(cgst_object(element.raw), property, value)
    }

    func play() throws(LiveError) {
        guard gst_element_set_state(pipeline.raw, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE else {
            throw LiveError(name, "does not start")
        }
    }

    /// Takes the pipeline to NULL. Any number of times.
    func stop() {
        isOver.store(true, ordering: .releasing)
        gst_element_set_state(pipeline.raw, GST_STATE_NULL)
    }

    /// Reports a failure that was found outside the bus (a missing codec, a changed track). Any thread.
    func fail(_ error: LiveError) { finish(.failed(error)) }

    private func handle(_ message: UnsafeMutablePointer<GstMessage>) {
        switch message.pointee.type {
        case GST_MESSAGE_ERROR: finish(.failed(read(message, gst_message_parse_error)))
        case GST_MESSAGE_EOS: finish(.ended)
        case GST_MESSAGE_WARNING where !isOver.load(ordering: .acquiring):
            onEvent(.warned(read(message, gst_message_parse_warning)))
        default: break
        }
    }

    private func finish(_ event: Event) {
        guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
        onEvent(event)
    }

    private typealias Parser = (
        UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?,
        UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Void

    private func read(_ message: UnsafeMutablePointer<GstMessage>, _ parser: Parser) -> LiveError {
        var error: UnsafeMutablePointer<GError>?
        var detail: UnsafeMutablePointer<CChar>?
        parser(message, &error, &detail)
        defer { g_free(detail) }
        let source = message.pointee.src.flatMap { gst_object_get_name($0) }
        defer { g_free(source) }
        var text = takeMessage(error)
        // The first line is where in GStreamer's source it happened; what follows is for people.
        if let detail {
            let lines = String(cString: detail).split(separator: "\n").dropFirst()
            if let reason = lines.first(where: { !$0.isEmpty }), !text.contains(reason) {
                text += " (\(reason))"
            }
        }
        return LiveError(source.map { String(cString: $0) } ?? name, text)
    }
}

/// Parses a description into an element that the caller owns.
private func parse(_ description: String, name: String) throws(LiveError) -> UnsafeMutablePointer<GstElement>
{
    var error: UnsafeMutablePointer<GError>?
    guard let raw = gst_parse_launch(description, &error) else {
        throw LiveError(name, takeMessage(error))
    }
    gst_object_ref_sink(UnsafeMutableRawPointer(raw))
    if let error {
        gst_object_unref(UnsafeMutableRawPointer(raw))
        throw LiveError(name, takeMessage(error))
    }
    return raw
}
