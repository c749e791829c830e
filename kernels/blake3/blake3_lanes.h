/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE3 of many chunks, or many parents, at once: one in each lane of vectors of 32-bit words.
 *
 * The includer defines, above: a vector, by the header of lanes/ that it includes (v32_*.h).
 *
 * If there are fewer chunks or parents than lanes, the remaining lanes repeat the first, and are
 * not stored. */
#ifndef JM_BLAKE3_LANES_H
#define JM_BLAKE3_LANES_H

#include "blake3/blake3.h"
#include "common/secret.h"

JM_INLINE void lanes_mix(vec *a, vec *b, vec *c, vec *d, vec x, vec y) {
    *a = vec_add(vec_add(*a, x), *b);
    *d = vec_rotr(vec_xor(*d, *a), 16);
    *c = vec_add(*c, *d);
    *b = vec_rotr(vec_xor(*b, *c), 12);
    *a = vec_add(vec_add(*a, y), *b);
    *d = vec_rotr(vec_xor(*d, *a), 8);
    *c = vec_add(*c, *d);
    *b = vec_rotr(vec_xor(*b, *c), 7);
}

/* The compression function (section 2.2) of the blocks at from[lane] + offset. */
JM_ONCE void lanes_compress(vec chain[8], const uint8_t *const *from, size_t offset,
                            const vec counter[2], uint32_t flags) {
    vec w[16], v[16];
    for (size_t at = 0; at < 16; at += VEC_CHUNK_WORDS)
        vec_load_chunk(from, offset + 4 * at, w + at);
    for (size_t i = 0; i < 8; i++) v[i] = chain[i];
    for (size_t i = 0; i < 4; i++) v[8 + i] = vec_set1(blake3_initial[i]);
    v[12] = counter[0], v[13] = counter[1];
    v[14] = vec_set1(BLAKE3_BLOCK_BYTES), v[15] = vec_set1(flags);
#pragma GCC unroll 7
    for (size_t r = 0; r < BLAKE3_ROUNDS; r++) {
        const uint8_t *const s = blake3_order[r];
#pragma GCC unroll 8
        for (size_t i = 0; i < 8; i++) {
            const size_t column = i % 4, shift = i / 4;
            lanes_mix(&v[column], &v[4 + (column + shift) % 4], &v[8 + (column + 2 * shift) % 4],
                      &v[12 + (column + 3 * shift) % 4], w[s[2 * i]], w[s[2 * i + 1]]);
        }
    }
    for (size_t i = 0; i < 8; i++) chain[i] = vec_xor(v[i], v[8 + i]);
}

static void lanes_store(uint32_t (*chains)[8], const vec chain[8], size_t count) {
    _Alignas(64) uint32_t rows[8 * VEC_LANES];
    vec_store_rows(rows, chain);
    jm_copy_secret(chains, rows, count * sizeof *chains); /* with a key the values are secrets */
    jm_wipe(rows, sizeof rows);
}

/* 0 < count <= VEC_LANES */
static void lanes_chunks(const blake3_mode *mode, uint32_t (*chains)[8], const uint8_t *message,
                         size_t count, uint64_t first) {
    const uint8_t *from[VEC_LANES];
    _Alignas(64) uint32_t numbers[2][VEC_LANES];
    vec chain[8];
    for (size_t lane = 0; lane < VEC_LANES; lane++) {
        const size_t chunk = lane < count ? lane : 0;
        from[lane] = message + chunk * BLAKE3_CHUNK_BYTES;
        numbers[0][lane] = (uint32_t)(first + chunk);
        numbers[1][lane] = (uint32_t)((first + chunk) >> 32);
    }
    const vec counter[2] = {vec_load(numbers[0]), vec_load(numbers[1])};
    for (size_t i = 0; i < 8; i++) chain[i] = vec_set1(mode->start[i]);
    for (size_t block = 0; block < BLAKE3_CHUNK_BLOCKS; block++) {
        const uint32_t start = block == 0 ? BLAKE3_CHUNK_START : 0;
        const uint32_t end = block == BLAKE3_CHUNK_BLOCKS - 1 ? BLAKE3_CHUNK_END : 0;
        lanes_compress(chain, from, block * BLAKE3_BLOCK_BYTES, counter, mode->flags | start | end);
    }
    lanes_store(chains, chain, count);
    jm_wipe(chain, sizeof chain);
}

/* 0 < count <= VEC_LANES. Values are read as blocks: x86 stores words lowest byte first, as a block
 * does. */
static void lanes_parents(const blake3_mode *mode, uint32_t (*parents)[8], uint32_t (*values)[8],
                          size_t count) {
    const uint8_t *from[VEC_LANES];
    vec chain[8];
    for (size_t lane = 0; lane < VEC_LANES; lane++)
        from[lane] = (const uint8_t *)values[lane < count ? 2 * lane : 0];
    const vec counter[2] = {vec_set1(0), vec_set1(0)};
    for (size_t i = 0; i < 8; i++) chain[i] = vec_set1(mode->start[i]);
    lanes_compress(chain, from, 0, counter, mode->flags | BLAKE3_PARENT);
    lanes_store(parents, chain, count);
    jm_wipe(chain, sizeof chain);
}

#endif
