#pragma once

// Pixel kernels. Each has a plain form, which says what it computes, serves every CPU and is what the fast
// form is checked against, and a fast form that is compiled for wide vectors and chosen at run time. None
// reads or writes outside the counts given; buffers may have any alignment and must not overlap unless said
// otherwise.

#include <stddef.h>
#include <stdint.h>

// Lays a prepared row over a live row, in place: live = clamp(colour - zero + round((live*(255-alpha) +
// zero*alpha)/255)). `zero` is the value that stands for no light (luma) or no colour (chroma). alpha 0 with
// colour == zero leaves live as it is, bit for bit; colour beyond alpha adds light.
void ck_blend(uint8_t *_Nonnull live, const uint8_t *_Nonnull colour, const uint8_t *_Nonnull alpha,
              size_t count, uint8_t zero);
void ck_blend_plain(uint8_t *_Nonnull live, const uint8_t *_Nonnull colour, const uint8_t *_Nonnull alpha,
                    size_t count, uint8_t zero);

// Resamples a row: out[i] = sum over taps t of source[first[i] + t] * weights[i * taps + t], as 15-bit values
// (an 8-bit 255 is 32640). Weights of one output sum to 16384, `first` never falls. `shift` is 7 plus the
// bits beyond 8 of a sample; nothing at or behind source[limit] is read.
void ck_scale_row8(uint16_t *_Nonnull out, const uint8_t *_Nonnull source, const int32_t *_Nonnull first,
                   const int16_t *_Nonnull weights, size_t taps, size_t count, unsigned shift, int32_t limit);
void ck_scale_row8_plain(uint16_t *_Nonnull out, const uint8_t *_Nonnull source,
                         const int32_t *_Nonnull first, const int16_t *_Nonnull weights, size_t taps,
                         size_t count, unsigned shift, int32_t limit);
void ck_scale_row16(uint16_t *_Nonnull out, const uint16_t *_Nonnull source, const int32_t *_Nonnull first,
                    const int16_t *_Nonnull weights, size_t taps, size_t count, unsigned shift);

// Weighs `taps` rows of 15-bit values into one. Weights sum to 16384.
void ck_scale_column(uint16_t *_Nonnull out, const uint16_t *_Nonnull const *_Nonnull rows,
                     const int16_t *_Nonnull weights, size_t taps, size_t count);
void ck_scale_column_plain(uint16_t *_Nonnull out, const uint16_t *_Nonnull const *_Nonnull rows,
                           const int16_t *_Nonnull weights, size_t taps, size_t count);

// 15-bit values to bytes, rounded.
void ck_narrow(uint8_t *_Nonnull out, const uint16_t *_Nonnull in, size_t count);
void ck_narrow_plain(uint8_t *_Nonnull out, const uint16_t *_Nonnull in, size_t count);

// 15-bit luma to alpha: (in - black) * gain / 2^21 rounded, clamped to 0...255; below `floor` it is 0, above
// `ceiling` 255. `gain` is 255 * 2^21 over the 15-bit distance from black to white, below 2^15; `black` is a
// 15-bit value.
void ck_alpha(uint8_t *_Nonnull out, const uint16_t *_Nonnull in, size_t count, int32_t black, int32_t gain,
              uint8_t floor, uint8_t ceiling);
void ck_alpha_plain(uint8_t *_Nonnull out, const uint16_t *_Nonnull in, size_t count, int32_t black,
                    int32_t gain, uint8_t floor, uint8_t ceiling);

// Alpha of chroma samples: the rounded mean of the four luma samples that each covers. `upper` and `lower`
// have 2 * count bytes.
void ck_halve_alpha(uint8_t *_Nonnull out, const uint8_t *_Nonnull upper, const uint8_t *_Nonnull lower,
                    size_t count);
void ck_halve_alpha_plain(uint8_t *_Nonnull out, const uint8_t *_Nonnull upper, const uint8_t *_Nonnull lower,
                          size_t count);

// Where alpha is 0 the colour becomes `zero`, in place.
void ck_clear(uint8_t *_Nonnull colour, const uint8_t *_Nonnull alpha, size_t count, uint8_t zero);
void ck_clear_plain(uint8_t *_Nonnull colour, const uint8_t *_Nonnull alpha, size_t count, uint8_t zero);

// colour = zero + (colour - zero) * alpha / 255, rounded, in place.
void ck_premultiply(uint8_t *_Nonnull colour, const uint8_t *_Nonnull alpha, size_t count, uint8_t zero);
void ck_premultiply_plain(uint8_t *_Nonnull colour, const uint8_t *_Nonnull alpha, size_t count,
                          uint8_t zero);

// One row of a linear colour map: out = clamp(round(a*luma + b*u + c*v + offset)), all inputs 15-bit values,
// coefficients below 2 and the offset (of an 8-bit value) in 1/2^13. luma may be u.
void ck_map(uint8_t *_Nonnull out, const uint16_t *_Nonnull luma, const uint16_t *_Nonnull u,
            const uint16_t *_Nonnull v, size_t count, int32_t a, int32_t b, int32_t c, int32_t offset);
void ck_map_plain(uint8_t *_Nonnull out, const uint16_t *_Nonnull luma, const uint16_t *_Nonnull u,
                  const uint16_t *_Nonnull v, size_t count, int32_t a, int32_t b, int32_t c, int32_t offset);

// Finds the next run of samples with alpha, at or behind `from` (0, or where the last run ended), and returns
// 0 when nothing is left. Runs begin and end at whole blocks or at `count`; between two runs lie at least
// CK_RUN_GAP samples without alpha.
enum { CK_RUN_BLOCK = 16, CK_RUN_GAP = 64 };
int ck_next_run(const uint8_t *_Nonnull alpha, size_t count, size_t from, size_t *_Nonnull begin,
                size_t *_Nonnull end);

// The length of the first span of `count` samples: a solid one, all 255, or one with anything else in it.
// Solid ones that are shorter than CK_SOLID_LEAST and not the whole rest are not told apart from their
// neighbours.
enum { CK_SOLID_LEAST = 32 };
size_t ck_span(const uint8_t *_Nonnull alpha, size_t count, int *_Nonnull is_solid);

// The vectors that kernels use: those that every machine of the architecture has, AVX2, AVX-512.
enum ck_width { CK_PLAIN, CK_WIDE, CK_WIDEST };
enum ck_width ck_vectors(void);

// Keeps the kernels that this thread calls from using wider vectors: for tests and measurements.
void ck_limit_vectors(enum ck_width width);
