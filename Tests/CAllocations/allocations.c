#include "allocations.h"

#include <errno.h>
#include <stddef.h>

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)

long allocations_taken(void) { return -1; }
long allocations_freed(void) { return -1; }

#else

// The executable's functions come before those of the C library, for all libraries in the process.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static _Thread_local long taken, freed;

long allocations_taken(void) { return taken; }
long allocations_freed(void) { return freed; }

void *malloc(size_t size) {
  taken++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  taken++;
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  taken++;
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  taken++;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *memory = memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}

void free(void *memory) {
  if (memory != NULL) freed++;
  __libc_free(memory);
}

#endif
