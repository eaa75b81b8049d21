#pragma once

#include <netdb.h>
#include <srt/srt.h>

// Macros that Swift does not import.
static const int csrt_error = SRT_ERROR;
static const SRTSOCKET csrt_invalid = SRT_INVALID_SOCK;
