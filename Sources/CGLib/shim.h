#pragma once

#include <gio/gio.h>
#include <gio/gunixsocketaddress.h>
#include <glib-unix.h>
#include <malloc.h> // mallopt, which the Glibc module leaves out
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>

// <sys/socket.h> declares it for _GNU_SOURCE only.
int accept4(int socket, struct sockaddr *_Nullable address, socklen_t *_Nullable size, int flags);

// prctl() takes varargs. The kernel keeps the first 15 bytes of the name.
static inline void cglib_name_thread(const char *_Nonnull name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
