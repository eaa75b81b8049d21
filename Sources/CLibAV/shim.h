#pragma once

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/error.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
#include <stdint.h>

// AVERROR() and AV_NOPTS_VALUE are macros with casts, so Swift does not import them.
static const int cav_error_again = AVERROR(EAGAIN);
static const int cav_error_eof = AVERROR_EOF;
static const int64_t cav_no_pts = AV_NOPTS_VALUE;
