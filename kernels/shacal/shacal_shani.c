/* SPDX-License-Identifier: Apache-2.0
 *
 * SHACAL-1 and SHACAL-2 (Handschuh and Naccache), and CMAC over them, with the SHA extensions
 * (Intel SDM vol. 2B). Technique: the rounds of sha1_shani_rounds.h and sha256_shani_rounds.h over
 * a schedule that set_key has made. The rounds' latency bounds the time of a block: 20 times that
 * of SHA1RNDS4, 32 times that of SHA256RNDS2. State layout: schedules are W and W + K, four words a
 * register; blocks are the chaining values of the hashes. CPU features: SHA-NI, SSE4.1, SSSE3.
 * Constant time: straight-line code, no table is indexed by data. Valgrind (3.19) does not run
 *   these instructions: tests/native/constant_time_sha.c checks this source with them emulated.
 * Best for: everything, on CPUs with SHA extensions. */
#if defined(__x86_64__)
#include "sha1/sha1_shani_rounds.h"
#include "sha256/sha256_shani_rounds.h"
#include "shacal/shacal.h"

enum { SET_STACK_BYTES = 448, STACK_BYTES = 448, CMAC_STACK_BYTES = 576 };
enum { SHACAL1_GROUPS = 20, SHACAL2_GROUPS = 16 }; /* groups of four rounds */

typedef struct {
    __m128i words[SHACAL1_GROUPS];
} shacal1_schedule;

typedef sha1_chaining shacal1_block;

JM_INLINE void shacal1_expand(shacal1_schedule *to, const uint8_t key[64]) {
    sha1_words words = sha1_load(key);
#pragma GCC unroll 20
    for (size_t group = 0; group < SHACAL1_GROUPS; group++) {
        to->words[group] = words.w[group % 4];
        sha1_schedule(words.w, group);
    }
}

JM_INLINE shacal1_block shacal1_load(const uint8_t *from) {
    return (shacal1_block){sha1_swap(_mm_loadu_si128((const __m128i *)from)),
                           _mm_set_epi32((int)load_be32(from + 16), 0, 0, 0)};
}

JM_INLINE void shacal1_store(uint8_t *to, const shacal1_block *block) {
    sha1_shani_output(block, to);
}

JM_INLINE void shacal1_add(shacal1_block *to, const shacal1_block *block) {
    to->abcd = _mm_xor_si128(to->abcd, block->abcd);
    to->e = _mm_xor_si128(to->e, block->e);
}

JM_INLINE void shacal1_encrypt(const shacal1_schedule *schedule, shacal1_block *block) {
    sha1_scheduled_rounds(block, schedule->words);
}

typedef struct {
    __m128i words_and_k[SHACAL2_GROUPS];
} shacal2_schedule;

typedef sha256_chaining shacal2_block;

JM_INLINE void shacal2_expand(shacal2_schedule *to, const uint8_t key[64]) {
    sha256_words words = sha256_load(key);
    const uint32_t *const k = sha256_constants();
#pragma GCC unroll 16
    for (size_t group = 0; group < SHACAL2_GROUPS; group++) {
        to->words_and_k[group] = sha256_words_and_k(words.w[group % 4], k, group);
        sha256_schedule(words.w, group);
    }
}

/* The inverse of sha256_shani_output: A B C D and E F G H become A B E F and C D G H. */
JM_INLINE shacal2_block shacal2_load(const uint8_t *from) {
    const __m128i reverse = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    const __m128i abcd = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)from), reverse);
    const __m128i efgh = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)from + 1), reverse);
    return (shacal2_block){_mm_unpackhi_epi64(efgh, abcd), _mm_unpacklo_epi64(efgh, abcd)};
}

JM_INLINE void shacal2_store(uint8_t *to, const shacal2_block *block) {
    sha256_shani_output(block, to);
}

JM_INLINE void shacal2_add(shacal2_block *to, const shacal2_block *block) {
    to->abef = _mm_xor_si128(to->abef, block->abef);
    to->cdgh = _mm_xor_si128(to->cdgh, block->cdgh);
}

JM_INLINE void shacal2_encrypt(const shacal2_schedule *schedule, shacal2_block *block) {
#pragma GCC unroll 16
    for (size_t group = 0; group < SHACAL2_GROUPS; group++)
        sha256_scheduled4(block, schedule->words_and_k[group]);
}

#define NOTE_1 "the rounds of SHA-1 in x86 SHA extensions"
#define NOTE_2 "the rounds of SHA-256 in x86 SHA extensions"
JM_SHACAL_CIPHER(shacal1, "shacal1", shani, SHA1_SHANI_FEATURES, JM_SHACAL1_BLOCK_BYTES,
                 SET_STACK_BYTES, STACK_BYTES, NOTE_1)
JM_SHACAL_CMAC(shacal1, "cmac-shacal1", shani, SHA1_SHANI_FEATURES, JM_SHACAL1_BLOCK_BYTES,
               JM_SHACAL1_POLYNOMIAL, CMAC_STACK_BYTES, NOTE_1)
JM_SHACAL_CIPHER(shacal2, "shacal2", shani, SHA256_SHANI_FEATURES, JM_SHACAL2_BLOCK_BYTES,
                 SET_STACK_BYTES, STACK_BYTES, NOTE_2)
JM_SHACAL_CMAC(shacal2, "cmac-shacal2", shani, SHA256_SHANI_FEATURES, JM_SHACAL2_BLOCK_BYTES,
               JM_SHACAL2_POLYNOMIAL, CMAC_STACK_BYTES, NOTE_2)
#else
typedef int jm_shacal_shani_needs_x86_64;
#endif
