/* SPDX-License-Identifier: Apache-2.0
 *
 * SIMD-256 and SIMD-512 ("SIMD is a Message Digest", version 1.1) in portable C.
 *
 * Technique: the number-theoretic transform modulo 257 by repeated halving, on words of 32 bits;
 *   then a lane at a time. One message.
 * State: the specification's A, B, C and D, each of four or eight lanes.
 * CPU: any.
 * Constant time: sums, products, rotations and logic; residues modulo a constant are products.
 *   Checked by tests/native/constant_time.c.
 * Best for: CPUs without a variant, and as the reference for other variants.
 */
#include "simd/simd.h"

enum { MODULUS = 257, SIZE_MAX_ = 256, ROOT = 41 };

/* Powers of the root of unity of order `size`, 41 or its square. */
static void powers_of_root(uint32_t power[SIZE_MAX_], size_t size) {
    const uint32_t root = size == SIZE_MAX_ ? ROOT : ROOT * ROOT % MODULUS;
    power[0] = 1;
    for (size_t i = 1; i < size; i++) power[i] = power[i - 1] * root % MODULUS;
}

/* Replaces y[k] by the sum over j of y[j] root^(jk), in the order of reversed bits of k. */
static void transform(uint32_t y[SIZE_MAX_], const uint32_t power[SIZE_MAX_], size_t size) {
    for (size_t half = size / 2; half; half /= 2)
        for (size_t at = 0; at < size; at += 2 * half)
            for (size_t j = at; j < at + half; j++) {
                const uint32_t sum = y[j] + y[j + half], difference = y[j] + MODULUS - y[j + half];
                y[j] = sum % MODULUS;
                y[j + half] = difference * power[(j - at) * (size / 2 / half)] % MODULUS;
            }
}

static size_t reversed(size_t number, size_t size) {
    size_t found = 0;
    for (size_t bit = 1; bit < size; bit *= 2) found = 2 * found | (number & bit ? 1 : 0);
    return found;
}

/* The residue as a number from -128 to 128, times a factor, modulo 2^16. A compiler may make a
 * branch of a comparison. */
static uint32_t lifted(uint32_t residue, uint32_t factor) {
    const uint32_t above = 0 - ((MODULUS / 2 - residue) >> 31);
    return (residue - (above & MODULUS)) * factor & 0xffff;
}

/* Section 1.2: transforms the block's bytes, zeros, and 1 as the last input (in the last block also
 * as the third last), and makes pairs of the outputs. */
static void expand(uint32_t w[SIMD_EXPANDED][SIMD_LANES_MAX], const uint8_t *block, size_t lanes,
                   bool last) {
    const size_t size = 32 * lanes;
    uint32_t power[SIZE_MAX_], y[SIZE_MAX_] = {0};
    for (size_t i = 0; i < size / 2; i++) y[i] = block[i];
    y[size - 1] = 1;
    if (last) y[size - 3] = 1;
    powers_of_root(power, size);
    transform(y, power, size);
    for (size_t i = 0; i < SIMD_EXPANDED; i++)
        for (size_t j = 0; j < lanes; j++) {
            const size_t at = 2 * lanes * simd_order[i] + 2 * j;
            size_t low = at, high = at + 1;
            if (i >= 16) {
                low = at - size - (i >= 24 ? size / 2 - 1 : 0);
                high = low + size / 2;
            }
            const uint32_t factor = i < 16 ? SIMD_FACTOR_1 : SIMD_FACTOR_2;
            w[i][j] = lifted(y[reversed(low, size)], factor) |
                      lifted(y[reversed(high, size)], factor) << 16;
        }
}

/* Section 1.1.4: one step of all lanes; `h` is A, B, C and D. */
static void step(uint32_t *h, const uint32_t *w, size_t lanes, size_t number) {
    const uint8_t *rotations = simd_rotations[number < 32 ? number / 8 : 3];
    const size_t exchange = lanes == 4 ? simd_exchange_4[number % 3] : simd_exchange_8[number % 7];
    const bool majority = number < 32 && number % 8 >= 4;
    uint32_t *a = h, *b = h + lanes, *c = h + 2 * lanes, *d = h + 3 * lanes;
    uint32_t turned[SIMD_LANES_MAX];
    for (size_t j = 0; j < lanes; j++) turned[j] = rotl32(a[j], rotations[number % 4]);
    for (size_t j = 0; j < lanes; j++) {
        const uint32_t chosen =
            majority ? (a[j] & b[j]) | ((a[j] | b[j]) & c[j]) : (a[j] & b[j]) | (~a[j] & c[j]);
        const uint32_t sum = rotl32(d[j] + w[j] + chosen, rotations[(number + 1) % 4]);
        a[j] = sum + turned[j ^ exchange];
        d[j] = c[j];
        c[j] = b[j];
        b[j] = turned[j];
    }
}

static void compress(uint32_t *h, const uint8_t *block, size_t lanes, bool last) {
    uint32_t w[SIMD_EXPANDED][SIMD_LANES_MAX], before[SIMD_ROWS * SIMD_LANES_MAX];
    expand(w, block, lanes, last);
    for (size_t i = 0; i < SIMD_ROWS * lanes; i++) {
        before[i] = h[i];
        h[i] ^= load_le32(block + 4 * i);
    }
    for (size_t i = 0; i < SIMD_EXPANDED; i++) step(h, w[i], lanes, i);
    for (size_t i = 0; i < SIMD_ROWS; i++) step(h, before + i * lanes, lanes, SIMD_EXPANDED + i);
}

static void compress_4(uint32_t *h, const uint8_t *blocks, size_t count, bool last) {
    for (size_t i = 0; i < count; i++) compress(h, blocks + 64 * i, 4, last);
}
static void compress_8(uint32_t *h, const uint8_t *blocks, size_t count, bool last) {
    for (size_t i = 0; i < count; i++) compress(h, blocks + 128 * i, 8, last);
}

JM_SIMD_VARIANT(portable, 0, true, "portable C")
