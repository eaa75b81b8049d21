#include "kernels.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// A kernel is written once, as a body that the compiler inlines into a form for the vectors that every
// machine of the architecture has (SSE2, NEON) and into forms for wider ones.
#define BODY static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define WIDE __attribute__((target("avx2")))
#define WIDEST __attribute__((target("avx512f,avx512bw,avx512vl")))

static _Thread_local enum ck_width most_wide = CK_WIDEST;

void ck_limit_vectors(enum ck_width width) { most_wide = width; }

enum ck_width ck_vectors(void) {
  enum ck_width width = CK_PLAIN;
  if (__builtin_cpu_supports("avx2")) width = CK_WIDE;
  if (width == CK_WIDE && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    width = CK_WIDEST;
  }
  return width < most_wide ? width : most_wide;
}
#else
#define WIDE
#define WIDEST
void ck_limit_vectors(enum ck_width width) { (void)width; }
enum ck_width ck_vectors(void) { return CK_PLAIN; }
#endif

static int has_wide(void) { return ck_vectors() >= CK_WIDE; }

// Defines NAME_plain and NAME, which picks a form.
#define KERNEL(name, parameters, arguments)                              \
  void name##_plain parameters { name##_body arguments; }                \
  WIDE static void name##_wide parameters { name##_body arguments; }     \
  WIDEST static void name##_widest parameters { name##_body arguments; } \
  void name parameters {                                                 \
    enum ck_width width = ck_vectors();                                  \
    if (width == CK_WIDEST) name##_widest arguments;                     \
    else if (width == CK_WIDE) name##_wide arguments;                    \
    else name##_plain arguments;                                         \
  }

// Exact for 0...65025: x / 255 rounded.
BODY uint16_t divide255(uint16_t x) {
  uint16_t biased = (uint16_t)(x + 128);
  return (uint16_t)((uint16_t)(biased + (biased >> 8)) >> 8);
}

BODY uint8_t clamp(int32_t x) { return x < 0 ? 0 : x > 255 ? 255 : (uint8_t)x; }

BODY void blend_sample(uint8_t *live, uint8_t colour, uint8_t alpha, uint8_t zero) {
  uint16_t a = alpha;
  uint16_t under = divide255((uint16_t)(*live * (uint16_t)(255 - a) + zero * a));
  *live = clamp(under + colour - zero);
}

// For vectors of BYTES samples: live*(255-alpha) + zero*alpha is live*255 + alpha*(zero-live), which wraps
// back into 16 bits. Left to itself, the compiler widens to 32 bits on the way and takes three times as long.
#define BLEND(form, target, BYTES)                                                                  \
  typedef uint8_t bytes##BYTES __attribute__((vector_size(BYTES)));                                 \
  typedef uint16_t words##BYTES __attribute__((vector_size(2 * BYTES)));                            \
  typedef int16_t signed##BYTES __attribute__((vector_size(2 * BYTES)));                            \
  target static void form(uint8_t *live, const uint8_t *colour, const uint8_t *alpha, size_t count, \
                          uint8_t zero) {                                                           \
    const uint16_t z = zero;                                                                        \
    size_t i = 0;                                                                                   \
    for (; i + BYTES <= count; i += BYTES) {                                                        \
      bytes##BYTES l8, c8, a8;                                                                      \
      memcpy(&l8, live + i, BYTES);                                                                 \
      memcpy(&c8, colour + i, BYTES);                                                               \
      memcpy(&a8, alpha + i, BYTES);                                                                \
      words##BYTES l = __builtin_convertvector(l8, words##BYTES);                                   \
      words##BYTES a = __builtin_convertvector(a8, words##BYTES);                                   \
      words##BYTES sum = (l << 8) - l + a * (z - l) + 128;                                          \
      sum = (sum + (sum >> 8)) >> 8;                                                                \
      signed##BYTES out = (signed##BYTES)(sum + __builtin_convertvector(c8, words##BYTES) - z);     \
      out = __builtin_elementwise_min(__builtin_elementwise_max(out, (signed##BYTES){0}),           \
                                      (signed##BYTES){0} + 255);                                    \
      l8 = __builtin_convertvector(out, bytes##BYTES);                                              \
      memcpy(live + i, &l8, BYTES);                                                                 \
    }                                                                                               \
    for (; i < count; i++) blend_sample(live + i, colour[i], alpha[i], zero);                       \
  }

BLEND(blend_baseline, , 16)

void ck_blend_plain(uint8_t *live, const uint8_t *colour, const uint8_t *alpha, size_t count, uint8_t zero) {
  for (size_t i = 0; i < count; i++) blend_sample(live + i, colour[i], alpha[i], zero);
}

#if defined(__x86_64__)
BLEND(blend_wide, WIDE, 32)
BLEND(blend_widest, WIDEST, 64)
#endif

void ck_blend(uint8_t *live, const uint8_t *colour, const uint8_t *alpha, size_t count, uint8_t zero) {
#if defined(__x86_64__)
  enum ck_width width = ck_vectors();
  if (width == CK_WIDEST) return blend_widest(live, colour, alpha, count, zero);
  if (width == CK_WIDE) return blend_wide(live, colour, alpha, count, zero);
#endif
  blend_baseline(live, colour, alpha, count, zero);
}

BODY void ck_scale_row8_body(uint16_t *restrict out, const uint8_t *restrict source, const int32_t *first,
                             const int16_t *weights, size_t taps, size_t count, unsigned shift) {
  int32_t half = 1 << (shift - 1);
  for (size_t i = 0; i < count; i++) {
    int32_t sum = half;
    for (size_t t = 0; t < taps; t++) sum += source[first[i] + (int32_t)t] * weights[i * taps + t];
    out[i] = (uint16_t)(sum >> shift);
  }
}

void ck_scale_row8_plain(uint16_t *out, const uint8_t *source, const int32_t *first, const int16_t *weights,
                         size_t taps, size_t count, unsigned shift, int32_t limit) {
  (void)limit;
  ck_scale_row8_body(out, source, first, weights, taps, count, shift);
}

#if defined(__x86_64__)
// Two taps: eight pairs of neighbours are gathered as words and weighed at once. A gather reads four bytes,
// so the outputs near the end of the source are left to the plain form.
WIDE static void ck_scale_pairs(uint16_t *out, const uint8_t *source, const int32_t *first,
                                const int16_t *weights, size_t count, unsigned shift, int32_t limit) {
  const __m256i half = _mm256_set1_epi32(1 << (shift - 1)), byte = _mm256_set1_epi32(0xFF);
  const __m128i bits = _mm_cvtsi32_si128((int)shift);
  size_t i = 0;
  for (; i + 8 <= count && first[i + 7] + 4 <= limit; i += 8) {
    __m256i index = _mm256_loadu_si256((const __m256i *)(first + i));
    __m256i pairs = _mm256_i32gather_epi32((const int *)source, index, 1);
    __m256i left = _mm256_and_si256(pairs, byte);
    __m256i right = _mm256_and_si256(_mm256_srli_epi32(pairs, 8), byte);
    __m256i words = _mm256_or_si256(left, _mm256_slli_epi32(right, 16));
    __m256i sum = _mm256_madd_epi16(words, _mm256_loadu_si256((const __m256i *)(weights + 2 * i)));
    sum = _mm256_srl_epi32(_mm256_add_epi32(sum, half), bits);
    __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(sum, sum), 0x08);
    _mm_storeu_si128((__m128i *)(out + i), _mm256_castsi256_si128(packed));
  }
  ck_scale_row8_body(out + i, source, first + i, weights + 2 * i, 2, count - i, shift);
}

// Four outputs, taps four by four: their samples and their weights are gathered, each output's sum lies in
// two neighbouring lanes.
WIDE static inline __m256i quad_sums(const uint8_t *source, __m128i first, const int16_t *weights,
                                     size_t taps, __m128i steps) {
  __m256i sum = _mm256_setzero_si256();
  for (size_t t = 0; t < taps; t += 4) {
    __m128i bytes = _mm_i32gather_epi32((const int *)(source + t), first, 1);
    __m256i weighed = _mm256_i32gather_epi64((const long long *)(weights + t), steps, 2);
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_cvtepu8_epi16(bytes), weighed));
  }
  return sum;
}

WIDE static void ck_scale_quads(uint16_t *out, const uint8_t *source, const int32_t *first,
                                const int16_t *weights, size_t taps, size_t count, unsigned shift) {
  const __m256i half = _mm256_set1_epi32(1 << (shift - 1));
  const __m128i bits = _mm_cvtsi32_si128((int)shift);
  const int step = (int)taps;
  const __m128i steps = _mm_setr_epi32(0, step, 2 * step, 3 * step);
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m128i left = _mm_loadu_si128((const __m128i *)(first + i));
    __m128i right = _mm_loadu_si128((const __m128i *)(first + i + 4));
    __m256i sum = _mm256_hadd_epi32(quad_sums(source, left, weights + i * taps, taps, steps),
                                    quad_sums(source, right, weights + (i + 4) * taps, taps, steps));
    sum = _mm256_srl_epi32(_mm256_add_epi32(_mm256_permute4x64_epi64(sum, 0xD8), half), bits);
    __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(sum, sum), 0x08);
    _mm_storeu_si128((__m128i *)(out + i), _mm256_castsi256_si128(packed));
  }
  ck_scale_row8_body(out + i, source, first + i, weights + i * taps, taps, count - i, shift);
}
#endif

void ck_scale_row8(uint16_t *out, const uint8_t *source, const int32_t *first, const int16_t *weights,
                   size_t taps, size_t count, unsigned shift, int32_t limit) {
#if defined(__x86_64__)
  if (taps == 2 && has_wide()) {
    ck_scale_pairs(out, source, first, weights, count, shift, limit);
    return;
  }
  if (taps % 4 == 0 && has_wide()) {
    ck_scale_quads(out, source, first, weights, taps, count, shift);
    return;
  }
#endif
  ck_scale_row8_plain(out, source, first, weights, taps, count, shift, limit);
}

void ck_scale_row16(uint16_t *out, const uint16_t *source, const int32_t *first, const int16_t *weights,
                    size_t taps, size_t count, unsigned shift) {
  int32_t half = 1 << (shift - 1);
  for (size_t i = 0; i < count; i++) {
    int32_t sum = half;
    for (size_t t = 0; t < taps; t++) sum += source[first[i] + (int32_t)t] * weights[i * taps + t];
    out[i] = (uint16_t)(sum >> shift);
  }
}

// Outputs from `i` on.
BODY void ck_scale_column_body(uint16_t *restrict out, const uint16_t *const *rows, const int16_t *weights,
                               size_t taps, size_t i, size_t count) {
  for (; i < count; i++) {
    int32_t sum = 1 << 13;
    for (size_t t = 0; t < taps; t++) sum += rows[t][i] * weights[t];
    out[i] = (uint16_t)(sum >> 14);
  }
}

void ck_scale_column_plain(uint16_t *out, const uint16_t *const *rows, const int16_t *weights, size_t taps,
                           size_t count) {
  ck_scale_column_body(out, rows, weights, taps, 0, count);
}

#if defined(__x86_64__)
// Sixteen outputs, two rows at a time: 15-bit values are words that need no sign.
WIDE static void ck_scale_column_wide(uint16_t *out, const uint16_t *const *rows, const int16_t *weights,
                                      size_t taps, size_t count) {
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    __m256i low = _mm256_set1_epi32(1 << 13), high = low;
    for (size_t t = 0; t < taps; t += 2) {
      int is_pair = t + 1 < taps;
      __m256i upper = _mm256_loadu_si256((const __m256i *)(rows[t] + i));
      __m256i lower = is_pair ? _mm256_loadu_si256((const __m256i *)(rows[t + 1] + i)) : upper;
      uint32_t pair = (uint16_t)weights[t] | (is_pair ? (uint32_t)(uint16_t)weights[t + 1] << 16 : 0);
      __m256i weighed = _mm256_set1_epi32((int)pair);
      low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(upper, lower), weighed));
      high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(upper, lower), weighed));
    }
    __m256i packed = _mm256_packus_epi32(_mm256_srli_epi32(low, 14), _mm256_srli_epi32(high, 14));
    _mm256_storeu_si256((__m256i *)(out + i), packed);
  }
  ck_scale_column_body(out, rows, weights, taps, i, count);
}
#endif

void ck_scale_column(uint16_t *out, const uint16_t *const *rows, const int16_t *weights, size_t taps,
                     size_t count) {
  if (taps == 1) {
    memcpy(out, rows[0], count * sizeof *out);
    return;
  }
#if defined(__x86_64__)
  if (has_wide()) {
    ck_scale_column_wide(out, rows, weights, taps, count);
    return;
  }
#endif
  ck_scale_column_plain(out, rows, weights, taps, count);
}

BODY void ck_narrow_body(uint8_t *restrict out, const uint16_t *restrict in, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint16_t rounded = (uint16_t)((uint16_t)(in[i] + 64) >> 7);
    out[i] = rounded > 255 ? 255 : (uint8_t)rounded;
  }
}
KERNEL(ck_narrow, (uint8_t * out, const uint16_t *in, size_t count), (out, in, count))

BODY void ck_alpha_body(uint8_t *restrict out, const uint16_t *restrict in, size_t count, int32_t black,
                        int32_t gain, uint8_t floor, uint8_t ceiling) {
  for (size_t i = 0; i < count; i++) {
    int32_t distance = in[i] - black;
    distance = distance < 0 ? 0 : distance;
    // A 15-bit value times a gain below 2^15 stays below 2^31.
    int32_t value = (distance * gain + (1 << 20)) >> 21;
    out[i] = value < floor ? 0 : value > ceiling ? 255 : (uint8_t)value;
  }
}
KERNEL(ck_alpha,
       (uint8_t * out, const uint16_t *in, size_t count, int32_t black, int32_t gain, uint8_t floor,
        uint8_t ceiling),
       (out, in, count, black, gain, floor, ceiling))

BODY void ck_halve_alpha_body(uint8_t *restrict out, const uint8_t *restrict upper,
                              const uint8_t *restrict lower, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint16_t sum = (uint16_t)(upper[2 * i] + upper[2 * i + 1] + lower[2 * i] + lower[2 * i + 1]);
    out[i] = (uint8_t)((sum + 2) >> 2);
  }
}
KERNEL(ck_halve_alpha, (uint8_t * out, const uint8_t *upper, const uint8_t *lower, size_t count),
       (out, upper, lower, count))

BODY void ck_clear_body(uint8_t *restrict colour, const uint8_t *restrict alpha, size_t count, uint8_t zero) {
  for (size_t i = 0; i < count; i++) {
    uint8_t keep = (uint8_t) - (alpha[i] != 0);
    colour[i] = (uint8_t)((colour[i] & keep) | (zero & (uint8_t)~keep));
  }
}
KERNEL(ck_clear, (uint8_t * colour, const uint8_t *alpha, size_t count, uint8_t zero),
       (colour, alpha, count, zero))

BODY void ck_premultiply_body(uint8_t *restrict colour, const uint8_t *restrict alpha, size_t count,
                              uint8_t zero) {
  for (size_t i = 0; i < count; i++) {
    uint16_t a = alpha[i];
    colour[i] = (uint8_t)divide255((uint16_t)(colour[i] * a + zero * (uint16_t)(255 - a)));
  }
}
KERNEL(ck_premultiply, (uint8_t * colour, const uint8_t *alpha, size_t count, uint8_t zero),
       (colour, alpha, count, zero))

BODY void ck_map_body(uint8_t *restrict out, const uint16_t *restrict luma, const uint16_t *restrict u,
                      const uint16_t *restrict v, size_t count, int32_t a, int32_t b, int32_t c,
                      int32_t offset) {
  // Coefficients below 2^14 times values below 2^15: three of them and the offset stay below 2^31.
  int32_t base = offset * 128 + (1 << 19);
  for (size_t i = 0; i < count; i++) out[i] = clamp((a * luma[i] + b * u[i] + c * v[i] + base) >> 20);
}
KERNEL(ck_map,
       (uint8_t * out, const uint16_t *luma, const uint16_t *u, const uint16_t *v, size_t count, int32_t a,
        int32_t b, int32_t c, int32_t offset),
       (out, luma, u, v, count, a, b, c, offset))

// Whether the block at `i`, which `count` may cut, has a sample that is not 0.
BODY int block_has_alpha(const uint8_t *alpha, size_t count, size_t i) {
  if (count - i >= CK_RUN_BLOCK) {
    uint64_t halves[2];
    memcpy(halves, alpha + i, sizeof halves);
    return (halves[0] | halves[1]) != 0;
  }
  uint8_t all = 0;
  for (; i < count; i++) all |= alpha[i];
  return all != 0;
}

int ck_next_run(const uint8_t *alpha, size_t count, size_t from, size_t *begin, size_t *end) {
  size_t i = from;
  while (i < count && !block_has_alpha(alpha, count, i)) i += CK_RUN_BLOCK;
  if (i >= count) return 0;
  *begin = i;
  size_t last = i;
  for (i += CK_RUN_BLOCK; i < count && i - last <= CK_RUN_GAP; i += CK_RUN_BLOCK) {
    if (block_has_alpha(alpha, count, i)) last = i;
  }
  *end = last + CK_RUN_BLOCK < count ? last + CK_RUN_BLOCK : count;
  return 1;
}

size_t ck_span(const uint8_t *alpha, size_t count, int *is_solid) {
  size_t solid = 0;
  while (solid < count && alpha[solid] == 255) solid++;
  *is_solid = solid == count || solid >= CK_SOLID_LEAST;
  if (*is_solid) return solid;
  size_t run = 0;
  for (size_t i = solid; i < count; i++) {
    run = alpha[i] == 255 ? run + 1 : 0;
    if (run == CK_SOLID_LEAST) return i + 1 - run;
  }
  return count;
}
