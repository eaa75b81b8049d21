// What Swift cannot see in GStreamer's headers: macros that cast, and macros that read a field
// through a cast. A function that Swift can already call has no wrapper here.
#pragma once

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/audio/audio.h>
#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/video/gstvideofilter.h>
#include <gst/video/video.h>
#include <stdint.h>

static inline GstBin *_Nonnull cgst_bin(void *_Nonnull p) { return GST_BIN(p); }
static inline GstPipeline *_Nonnull cgst_pipeline(void *_Nonnull p) { return GST_PIPELINE(p); }
static inline GObject *_Nonnull cgst_object(void *_Nonnull p) { return G_OBJECT(p); }
static inline GObjectClass *_Nonnull cgst_object_class(void *_Nonnull p) { return G_OBJECT_GET_CLASS(p); }
static inline GstAppSink *_Nonnull cgst_app_sink(void *_Nonnull p) { return GST_APP_SINK(p); }
static inline GstAppSrc *_Nonnull cgst_app_src(void *_Nonnull p) { return GST_APP_SRC(p); }

static inline GstBuffer *_Nullable cgst_probe_buffer(GstPadProbeInfo *_Nonnull info) {
  return GST_PAD_PROBE_INFO_BUFFER(info);
}
static inline GstBufferList *_Nullable cgst_probe_buffer_list(GstPadProbeInfo *_Nonnull info) {
  return GST_PAD_PROBE_INFO_BUFFER_LIST(info);
}
static inline void cgst_probe_set_data(GstPadProbeInfo *_Nonnull info, void *_Nonnull data) {
  GST_PAD_PROBE_INFO_DATA(info) = data;
}
static inline GstEvent *_Nullable cgst_probe_event(GstPadProbeInfo *_Nonnull info) {
  return GST_PAD_PROBE_INFO_EVENT(info);
}

// A macro: takes the buffer over and answers one that may be written to.
static inline GstBuffer *_Nullable cgst_make_writable(GstBuffer *_Nonnull buffer) {
  return gst_buffer_make_writable(buffer);
}

static inline uint8_t *_Nonnull cgst_plane(const GstVideoFrame *_Nonnull f, unsigned plane) {
  return (uint8_t *)GST_VIDEO_FRAME_PLANE_DATA(f, plane);
}
static inline int cgst_stride(const GstVideoFrame *_Nonnull f, unsigned plane) {
  return GST_VIDEO_FRAME_PLANE_STRIDE(f, plane);
}
