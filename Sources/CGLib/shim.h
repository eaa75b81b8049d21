#pragma once

#include <gio/gio.h>
#include <gio/gunixsocketaddress.h>
#include <glib-unix.h>
