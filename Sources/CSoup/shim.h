#pragma once

#include <libsoup/soup.h>

// soup_server_new() takes a varargs property list.
static inline SoupServer *_Nullable csoup_server_new(void) {
  return soup_server_new("server-header", "giftd", NULL);
}
