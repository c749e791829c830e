/* SPDX-License-Identifier: Apache-2.0
 *
 * SipHash's rounds in LANES lanes, and the loads of keys and messages into the lanes.
 *
 * The includer defines, above:
 *     LANES       messages at once
 *     SIP_WIDTH   lanes of one vector: 8 or 4
 *
 * Vectors are the compiler's own, so that the same source makes AVX-512, AVX2 and SSE2 code. The
 * words v0 to v3 of a lane are in four vectors; with more than one vector of lanes the rounds of
 * one vector fill the gaps that the latency of another leaves. Eight words of every lane are loaded
 * at once and transposed. */
#ifndef JM_SIPHASH_VECTORS_H
#define JM_SIPHASH_VECTORS_H

#if !defined(LANES) || !defined(SIP_WIDTH)
#error "a parameter of siphash/siphash_vectors.h is missing"
#endif
_Static_assert(SIP_WIDTH == 4 || SIP_WIDTH == 8, "a vector has four words or eight");
_Static_assert(LANES % SIP_WIDTH == 0, "whole vectors");

#include "common/secret.h"
#include "common/words.h"
#include "siphash/siphash.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

typedef uint64_t sip_lanes __attribute__((vector_size(8 * SIP_WIDTH)));
/* A vector as it lies in a message: at any address, and whatever the memory's type. */
typedef uint64_t sip_unaligned __attribute__((vector_size(8 * SIP_WIDTH), aligned(1), may_alias));

enum {
    SIP_VECTORS = LANES / SIP_WIDTH,
    SIP_CHUNK_WORDS = 8,
    SIP_CHUNK_BYTES = SIP_CHUNK_WORDS * JM_SIPHASH_WORD_BYTES,
};

/* ---- loads ---- */

#define SIP_SHUFFLE(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
/* In each group of four words: PAIRS takes words 0 and 2, or 1 and 3, of x and of y; QUADS takes
 * the first pairs of both, or the second. */
#if SIP_WIDTH == 8
#define SIP_PAIRS_EVEN(x, y) SIP_SHUFFLE(x, y, 0, 8, 2, 10, 4, 12, 6, 14)
#define SIP_PAIRS_ODD(x, y) SIP_SHUFFLE(x, y, 1, 9, 3, 11, 5, 13, 7, 15)
#define SIP_QUADS_LOW(x, y) SIP_SHUFFLE(x, y, 0, 1, 8, 9, 4, 5, 12, 13)
#define SIP_QUADS_HIGH(x, y) SIP_SHUFFLE(x, y, 2, 3, 10, 11, 6, 7, 14, 15)
#else
#define SIP_PAIRS_EVEN(x, y) SIP_SHUFFLE(x, y, 0, 4, 2, 6)
#define SIP_PAIRS_ODD(x, y) SIP_SHUFFLE(x, y, 1, 5, 3, 7)
#define SIP_QUADS_LOW(x, y) SIP_SHUFFLE(x, y, 0, 1, 4, 5)
#define SIP_QUADS_HIGH(x, y) SIP_SHUFFLE(x, y, 2, 3, 6, 7)
#endif

/* w[lane] is SIP_WIDTH words as they lie in the lane's message: to[s * SIP_VECTORS] receives the
 * words s of all lanes. `w` is overwritten. */
JM_INLINE void sip_transpose(sip_lanes *w, sip_lanes *to) {
    sip_lanes t[SIP_WIDTH];
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (unsigned l = 0; l < SIP_WIDTH; l++)
        for (unsigned i = 0; i < SIP_WIDTH; i++) w[l][i] = JM_LE64(w[l][i]);
#endif
    for (unsigned l = 0; l < SIP_WIDTH; l += 2) {
        t[l] = SIP_PAIRS_EVEN(w[l], w[l + 1]);
        t[l + 1] = SIP_PAIRS_ODD(w[l], w[l + 1]);
    }
    for (unsigned l = 0; l < SIP_WIDTH; l += 4)
        for (unsigned i = 0; i < 2; i++) {
            w[l + i] = SIP_QUADS_LOW(t[l + i], t[l + 2 + i]);
            w[l + 2 + i] = SIP_QUADS_HIGH(t[l + i], t[l + 2 + i]);
        }
#if SIP_WIDTH == 8
    for (unsigned i = 0; i < 4; i++) {
        to[i * SIP_VECTORS] = SIP_SHUFFLE(w[i], w[4 + i], 0, 1, 2, 3, 8, 9, 10, 11);
        to[(4 + i) * SIP_VECTORS] = SIP_SHUFFLE(w[i], w[4 + i], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#else
    for (unsigned i = 0; i < 4; i++) to[i * SIP_VECTORS] = w[i];
#endif
}

/* Loads the chunk of every lane at from[lane] + offset: word[s] receives the words s of the
 * chunks. */
JM_INLINE void sip_load_chunk(sip_lanes word[SIP_CHUNK_WORDS][SIP_VECTORS], const uintptr_t *from,
                              size_t offset) {
    for (unsigned i = 0; i < SIP_VECTORS; i++)
        for (unsigned s = 0; s < SIP_CHUNK_WORDS; s += SIP_WIDTH) {
            sip_lanes w[SIP_WIDTH];
            for (unsigned l = 0; l < SIP_WIDTH; l++)
                w[l] = *(const sip_unaligned *)(from[i * SIP_WIDTH + l] + offset + 8 * s);
            sip_transpose(w, &word[s][i]);
        }
}

/* v0 to v3 of every lane from its key state, in registers. */
JM_INLINE void sip_load_keys(sip_lanes v[4][SIP_VECTORS], const void *const *key_state) {
    typedef uint64_t sip_key __attribute__((vector_size(32), aligned(8), may_alias));
    for (unsigned i = 0; i < SIP_VECTORS; i++) {
        const void *const *here = key_state + i * SIP_WIDTH;
        sip_lanes key[4], even[2], odd[2];
        for (unsigned l = 0; l < 4; l++) {
            const sip_key low = *(const sip_key *)here[l];
#if SIP_WIDTH == 8
            const sip_key high = *(const sip_key *)here[l + 4];
            key[l] = SIP_SHUFFLE(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
            key[l] = low;
#endif
        }
        for (unsigned l = 0; l < 2; l++) {
            even[l] = SIP_PAIRS_EVEN(key[2 * l], key[2 * l + 1]);
            odd[l] = SIP_PAIRS_ODD(key[2 * l], key[2 * l + 1]);
        }
        v[0][i] = SIP_QUADS_LOW(even[0], even[1]);
        v[1][i] = SIP_QUADS_LOW(odd[0], odd[1]);
        v[2][i] = SIP_QUADS_HIGH(even[0], even[1]);
        v[3][i] = SIP_QUADS_HIGH(odd[0], odd[1]);
    }
}

/* ---- rounds ---- */

/* A function of the family: rounds after each word, rounds after the message, and length of the
 * tag. */
typedef struct {
    unsigned rounds, closing_rounds;
    size_t tag_bytes; /* 8 or 16 */
} sip_kind;

/* A macro, because compilers warn of parameters of 64 bytes on CPUs without registers of that
 * size. */
#define SIP_ROTL(x, count) ((x) << (count) | (x) >> (64 - (count)))

/* Repeats each statement for all vectors in turn, so that neighbouring instructions do not wait for
 * each other. */
#define SIP_ALL(statement)                                                                         \
    _Pragma("GCC unroll 8") for (unsigned i = 0; i < SIP_VECTORS; i++) statement

JM_INLINE void sip_rounds(sip_lanes v[4][SIP_VECTORS], unsigned rounds) {
#if defined(__clang__) /* else it leaves two rounds as a loop */
#pragma clang loop unroll(full)
#else
#pragma GCC unroll 4
#endif
    for (unsigned round = 0; round < rounds; round++) {
        SIP_ALL(v[0][i] += v[1][i]);
        SIP_ALL(v[2][i] += v[3][i]);
        SIP_ALL(v[1][i] = SIP_ROTL(v[1][i], 13) ^ v[0][i]);
        SIP_ALL(v[3][i] = SIP_ROTL(v[3][i], 16) ^ v[2][i]);
        SIP_ALL(v[0][i] = SIP_ROTL(v[0][i], 32));
        SIP_ALL(v[2][i] += v[1][i]);
        SIP_ALL(v[0][i] += v[3][i]);
        SIP_ALL(v[1][i] = SIP_ROTL(v[1][i], 17) ^ v[2][i]);
        SIP_ALL(v[3][i] = SIP_ROTL(v[3][i], 21) ^ v[0][i]);
        SIP_ALL(v[2][i] = SIP_ROTL(v[2][i], 32));
    }
}

JM_INLINE void sip_absorb_words(sip_lanes v[4][SIP_VECTORS], const sip_lanes word[SIP_VECTORS],
                                unsigned rounds) {
    SIP_ALL(v[3][i] ^= word[i]);
    sip_rounds(v, rounds);
    SIP_ALL(v[0][i] ^= word[i]);
}

/* The closing rounds: word[w] receives word w of the tags. */
JM_INLINE void sip_close(sip_lanes v[4][SIP_VECTORS], unsigned rounds, size_t tag_bytes,
                         sip_lanes word[2][SIP_VECTORS]) {
    SIP_ALL(v[2][i] ^= tag_bytes == 16 ? 0xee : 0xff);
    sip_rounds(v, rounds);
    SIP_ALL(word[0][i] = v[0][i] ^ v[1][i] ^ v[2][i] ^ v[3][i]);
    if (tag_bytes == 16) {
        SIP_ALL(v[1][i] ^= 0xdd);
        sip_rounds(v, rounds);
        SIP_ALL(word[1][i] = v[0][i] ^ v[1][i] ^ v[2][i] ^ v[3][i]);
    }
}

#endif
