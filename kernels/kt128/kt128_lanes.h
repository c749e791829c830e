/* SPDX-License-Identifier: Apache-2.0
 *
 * Chunks of KT128 (RFC 9861, section 3) in the lanes of vectors of 64-bit words, word i of all
 * lanes in one vector.
 *
 * The includer defines, above: a vector, by the header of lanes/ that it includes (v64_*.h).
 *
 * If there are fewer chunks than lanes, the last lanes repeat the first chunk. */
#ifndef JM_KT128_LANES_H
#define JM_KT128_LANES_H

#include "common/secret.h"
#include "keccak/keccak_lanes_rounds.h"
#include "kt128/kt128.h"

enum { ROW_WORDS = 8 /* words of a lane that are transposed at once */ };

/* Adds the next 16 words of each lane. */
JM_INLINE void add_two_rows(vec a[KECCAK_WORDS], const uint8_t *const *from, size_t offset) {
    vec words[ROW_WORDS];
#pragma GCC unroll 2
    for (size_t first = 0; first < 2 * ROW_WORDS; first += ROW_WORDS) {
        vec_load_chunk(from, offset + 8 * first, words);
#pragma GCC unroll 8
        for (size_t i = 0; i < ROW_WORDS; i++) a[first + i] = vec_xor(a[first + i], words[i]);
    }
}

/* Adds a block of each lane: the last row overlaps the row before. */
JM_INLINE void add_block(vec a[KECCAK_WORDS], const uint8_t *const *from, size_t offset) {
    enum { LAST = KT128_RATE_WORDS - ROW_WORDS, NEW = KT128_RATE_WORDS - 2 * ROW_WORDS };
    vec words[ROW_WORDS];
    add_two_rows(a, from, offset);
    vec_load_chunk(from, offset + 8 * LAST, words);
#pragma GCC unroll 8
    for (size_t i = ROW_WORDS - NEW; i < ROW_WORDS; i++)
        a[LAST + i] = vec_xor(a[LAST + i], words[i]);
}

/* The variant's function of type kt128_chunks. */
static void lanes_chunks(uint64_t (*values)[KT128_VALUE_WORDS], const uint8_t *message,
                         size_t count, uint64_t *first) {
    _Static_assert(KT128_CHUNK_REST == 2 * ROW_WORDS * 8, "what add_two_rows adds");
    const uint8_t *from[VEC_LANES];
    _Alignas(64) vec_word rows[ROW_WORDS * VEC_LANES];
    vec a[KECCAK_WORDS];
    for (size_t lane = 0; lane < VEC_LANES; lane++)
        from[lane] = message + (lane < count ? lane : 0) * KT128_CHUNK_BYTES;
    for (size_t i = 0; i < KECCAK_WORDS; i++) a[i] = vec_set1(0);
    for (size_t block = 0; block < KT128_CHUNK_BLOCKS; block++) {
        add_block(a, from, block * KT128_RATE_BYTES);
        permute_lanes(a, KT128_FIRST_ROUND);
    }
    for (size_t i = 0; first && i < KECCAK_WORDS; i++) {
        vec_store(rows, a[i]);
        first[i] = rows[0];
    }
    add_two_rows(a, from, KT128_CHUNK_BLOCKS * KT128_RATE_BYTES);
    a[KT128_CHUNK_REST / 8] = vec_xor(a[KT128_CHUNK_REST / 8], vec_set1(KT128_LEAF));
    a[KT128_RATE_WORDS - 1] = vec_xor(a[KT128_RATE_WORDS - 1], vec_set1(UINT64_C(0x80) << 56));
    permute_lanes(a, KT128_FIRST_ROUND);
    vec_store_rows(rows, a);
    for (size_t lane = 0; lane < count; lane++)
        memcpy(values[lane], rows + ROW_WORDS * lane, sizeof *values);
    jm_wipe(rows, sizeof rows);
    jm_wipe(a, sizeof a);
}

#endif
