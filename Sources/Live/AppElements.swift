internal import Basics
internal import CGStreamer

/// Pushes buffers into an `appsrc`. It never blocks: whoever pushes looks at the level first and drops.
///
/// Any thread.
final class AppSource: Sendable {
    /// For every appsrc: bounded by the pusher, stamped by us, fed by time.
    static let settings =
        "is-live=true format=time do-timestamp=false block=false emit-signals=false max-bytes=0 max-buffers=0 max-time=0"

    private let element: Reference<GstElement>

    init(_ element: consuming Reference<GstElement>) { self.element = element }

    var queuedBytes: Int { Int(clamping: gst_app_src_get_current_level_bytes(cgst_app_src(element.raw))) }
    var queuedBuffers: Int { Int(clamping: gst_app_src_get_current_level_buffers(cgst_app_src(element.raw))) }

    /// Takes the buffer over.
    func push(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        gst_app_src_push_buffer(cgst_app_src(element.raw), buffer)
    }

    func end() { gst_app_src_end_of_stream(cgst_app_src(element.raw)) }
}

/// What a streaming thread finds in an appsink, lent for the time of the call.
struct Arrival {
    let buffer: UnsafeMutablePointer<GstBuffer>
    let caps: UnsafeMutablePointer<GstCaps>
    /// Running times by the sample's own segment: some encoders move their stamps by a thousand hours.
    let pts: Nanoseconds
    let dts: Nanoseconds
}

/// Receives what reaches an `appsink`, on its streaming thread, without signals.
final class AppSinkReceiver: Sendable {
    /// For every appsink but its name and its length.
    static let settings = "sync=false async=false drop=false enable-last-sample=false wait-on-eos=false"

    private let onArrival: @Sendable (Arrival) -> Void

    private init(_ onArrival: @escaping @Sendable (Arrival) -> Void) { self.onArrival = onArrival }

    /// The element keeps the receiver; nothing else needs to.
    static func attach(
        to element: borrowing Reference<GstElement>, _ onArrival: @escaping @Sendable (Arrival) -> Void
    ) {
        var callbacks = GstAppSinkCallbacks()
        callbacks.new_sample = { sink, context in
            guard let sink, let context else { return GST_FLOW_ERROR }
            return Unmanaged<AppSinkReceiver>.fromOpaque(context).takeUnretainedValue().pull(sink)
        }
        gst_app_sink_set_callbacks(
            cgst_app_sink(element.raw), &callbacks,
            Unmanaged.passRetained(AppSinkReceiver(onArrival)).toOpaque(),
            { context in if let context { Unmanaged<AppSinkReceiver>.fromOpaque(context).release() } })
    }

    private func pull(_ sink: UnsafeMutablePointer<GstAppSink>) -> GstFlowReturn {
        guard let sample = gst_app_sink_pull_sample(sink) else { return GST_FLOW_EOS }
        defer { gst_sample_unref(sample) }
        guard let buffer = gst_sample_get_buffer(sample), let caps = gst_sample_get_caps(sample),
            let segment = gst_sample_get_segment(sample),
            let pts = runningTime(buffer.pointee.pts, segment)
        else { return GST_FLOW_OK }
        let dts = runningTime(buffer.pointee.dts, segment) ?? pts
        onArrival(Arrival(buffer: buffer, caps: caps, pts: pts, dts: dts))
        return GST_FLOW_OK
    }

    private func runningTime(
        _ stamp: GstClockTime, _ segment: UnsafeMutablePointer<GstSegment>
    ) -> Nanoseconds? {
        guard stamp != .max else { return nil }
        var time: guint64 = 0
        let sign = gst_segment_to_running_time_full(segment, GST_FORMAT_TIME, stamp, &time)
        guard sign != 0 else { return nil }
        return sign > 0 ? Nanoseconds(clamping: time) : -Nanoseconds(clamping: time)
    }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// A buffer of its own over the same memory, with these stamps. The caller owns it.
    func stamped(pts: Nanoseconds, dts: Nanoseconds? = nil, duration: Nanoseconds? = nil) -> Self? {
        guard let copy = gst_buffer_copy(self) else { return nil }
        copy.pointee.pts = GstClockTime(clamping: pts)
        copy.pointee.dts = dts.map { GstClockTime(clamping: $0) } ?? .max
        if let duration { copy.pointee.duration = GstClockTime(clamping: duration) }
        return copy
    }
}
