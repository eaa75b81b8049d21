package import Basics
internal import CGLib
internal import CGStreamer

/// A failure of the live part: which element, what happened.
package struct LiveError: Error, Equatable, Sendable, CustomStringConvertible {
    package let element: String
    package let message: String

    package init(_ element: String, _ message: String) {
        self.element = element
        self.message = message
    }

    package var description: String { "\(element): \(message)" }
}

/// One strong reference to a GStreamer object (element, pad, bus, clock). Sendable: the count is atomic and the
/// objects lock themselves.
struct Reference<Object>: ~Copyable, @unchecked Sendable {
    let raw: UnsafeMutablePointer<Object>

    init(adopting raw: UnsafeMutablePointer<Object>) { self.raw = raw }

    deinit { gst_object_unref(UnsafeMutableRawPointer(raw)) }
}

package enum GStreamer {
    /// Starts the library and makes our own elements known. Once, before anything else of this module.
    package static func start() throws(LiveError) {
        var error: UnsafeMutablePointer<GError>?
        guard gst_init_check(nil, nil, &error) != 0 else {
            throw LiveError("GStreamer", "cannot start: \(takeMessage(error))")
        }
        OverlayElement.register()
        MixElement.register()
    }

    /// Whether an element of this name is installed.
    package static func has(_ element: String) -> Bool {
        guard let factory = gst_element_factory_find(element) else { return false }
        gst_object_unref(UnsafeMutableRawPointer(factory))
        return true
    }
}

/// Takes over a GError and reads its message.
func takeMessage(_ error: UnsafeMutablePointer<GError>?) -> String {
    guard let error else { return "unknown error" }
    defer { g_error_free(error) }
    return String(cString: error.pointee.message)
}

/// The clock of all pipelines and the moment that is running time 0. Only running times travel between pipelines.
package struct LiveClock: Sendable {
    /// Monotonic time of running time 0: ten seconds before the start, so that looking back never goes below zero.
    package let base: Nanoseconds

    package init(now: Nanoseconds = Monotonic.now()) { base = now - 10 * .second }

    /// The running time now. Any thread.
    package var now: Nanoseconds { Monotonic.now() - base }

    func apply(to pipeline: UnsafeMutablePointer<GstElement>) {
        guard let clock = gst_system_clock_obtain() else { return }
        defer { gst_object_unref(UnsafeMutableRawPointer(clock)) }
        gst_pipeline_use_clock(cgst_pipeline(pipeline), clock)
        gst_element_set_start_time(pipeline, GstClockTime.max)
        gst_element_set_base_time(pipeline, GstClockTime(base))
    }
}
