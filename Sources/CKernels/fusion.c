#include "fusion.h"

#define BODY static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define WIDE __attribute__((target("avx2")))
static int has_wide(void) { return __builtin_cpu_supports("avx2"); }
#else
#define WIDE
static int has_wide(void) { return 1; }
#endif

// As in kernels.c: NAME_plain for every CPU, and NAME, which picks.
#define KERNEL(name, parameters, arguments)                          \
  void name##_plain parameters { name##_body arguments; }            \
  WIDE static void name##_wide parameters { name##_body arguments; } \
  void name parameters {                                             \
    if (has_wide()) name##_wide arguments;                           \
    else name##_plain arguments;                                     \
  }

BODY void ck_mask_body(uint16_t *restrict line, size_t count, int32_t black, int32_t gain, int32_t floor,
                       int32_t ceiling) {
  for (size_t i = 0; i < count; i++) {
    int32_t distance = line[i] - black;
    distance = distance < 0 ? 0 : distance;
    // A 15-bit value times a gain below 2^16 stays below 2^31.
    int32_t value = (distance * gain + (1 << 14)) >> 15;
    line[i] = value < floor ? 0 : value > ceiling ? CK_WEIGHT_ONE : (uint16_t)value;
  }
}
KERNEL(ck_mask, (uint16_t * line, size_t count, int32_t black, int32_t gain, int32_t floor, int32_t ceiling),
       (line, count, black, gain, floor, ceiling))

BODY void ck_weigh_body(uint16_t *restrict line, const uint16_t *restrict weights, size_t count,
                        uint16_t zero) {
  for (size_t i = 0; i < count; i++) {
    int32_t distance = line[i] - zero;
    line[i] = (uint16_t)(zero + ((distance * weights[i] + (1 << 14)) >> 15));
  }
}
KERNEL(ck_weigh, (uint16_t * line, const uint16_t *weights, size_t count, uint16_t zero),
       (line, weights, count, zero))

BODY void ck_halve_body(uint16_t *restrict out, const uint16_t *restrict upper,
                        const uint16_t *restrict lower, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t sum = (uint32_t)upper[2 * i] + upper[2 * i + 1] + lower[2 * i] + lower[2 * i + 1];
    out[i] = (uint16_t)((sum + 2) >> 2);
  }
}
KERNEL(ck_halve, (uint16_t * out, const uint16_t *upper, const uint16_t *lower, size_t count),
       (out, upper, lower, count))

BODY void ck_fuse_body(uint8_t *restrict below, const uint16_t *restrict colour,
                       const uint16_t *restrict alpha, size_t count, uint8_t zero) {
  // Everything in 1/32640 of a level; nothing leaves 2^25.
  int32_t base = zero * 32640 + 16320;
  for (size_t i = 0; i < count; i++) {
    int32_t over = (colour[i] - zero * 128) * 255;
    int32_t under = (below[i] - zero) * (32640 - alpha[i]);
    int32_t sum = base + over + under;
    uint32_t level = (uint32_t)(sum < 0 ? 0 : sum) / 32640;
    below[i] = level > 255 ? 255 : (uint8_t)level;
  }
}
KERNEL(ck_fuse, (uint8_t * below, const uint16_t *colour, const uint16_t *alpha, size_t count, uint8_t zero),
       (below, colour, alpha, count, zero))
