#pragma once

// Kernels for what is drawn into a prepared picture. Rules as in kernels.h. Values are 15-bit as there (an
// 8-bit 255 is 32640); colours are multiplied by their alpha about `zero`, the value that stands for nothing.

#include <stddef.h>
#include <stdint.h>

// A weight that leaves everything as it is.
enum { CK_WEIGHT_ONE = 32768 };

// 15-bit luma of a mask to weights, in place: (luma - black) * gain / 2^15 rounded, clamped to
// 0...CK_WEIGHT_ONE; below `floor` it is 0, above `ceiling` CK_WEIGHT_ONE. `gain` is CK_WEIGHT_ONE * 2^15
// over the 15-bit distance from black to white, below 2^16; `black` is a 15-bit value.
void ck_mask(uint16_t *_Nonnull line, size_t count, int32_t black, int32_t gain, int32_t floor,
             int32_t ceiling);
void ck_mask_plain(uint16_t *_Nonnull line, size_t count, int32_t black, int32_t gain, int32_t floor,
                   int32_t ceiling);

// line = zero + (line - zero) * weight, rounded, in place.
void ck_weigh(uint16_t *_Nonnull line, const uint16_t *_Nonnull weights, size_t count, uint16_t zero);
void ck_weigh_plain(uint16_t *_Nonnull line, const uint16_t *_Nonnull weights, size_t count, uint16_t zero);

// The rounded mean of four samples each. `upper` and `lower` have 2 * count values.
void ck_halve(uint16_t *_Nonnull out, const uint16_t *_Nonnull upper, const uint16_t *_Nonnull lower,
              size_t count);
void ck_halve_plain(uint16_t *_Nonnull out, const uint16_t *_Nonnull upper, const uint16_t *_Nonnull lower,
                    size_t count);

// Lays 15-bit colour over bytes, in place: below = clamp(zero + (colour - zero) + (below - zero) * (1 -
// alpha)), rounded once. With alpha for colour and a zero of 0 it is the alpha of both together.
void ck_fuse(uint8_t *_Nonnull below, const uint16_t *_Nonnull colour, const uint16_t *_Nonnull alpha,
             size_t count, uint8_t zero);
void ck_fuse_plain(uint8_t *_Nonnull below, const uint16_t *_Nonnull colour, const uint16_t *_Nonnull alpha,
                   size_t count, uint8_t zero);
