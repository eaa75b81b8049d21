#pragma once

#include <pango/pangocairo.h>
#include <stdint.h>

// A macro with a cast, which Swift does not import.
static const int cpango_scale = PANGO_SCALE;
