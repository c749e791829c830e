/* SPDX-License-Identifier: Apache-2.0
 *
 * SipHash-2-4 (Aumasson and Bernstein, 2012; the 128-bit tag of the authors' reference
 * implementation) for a batch of messages in LANES lanes.
 *
 * The file that includes this one has defined LANES and SIP_WIDTH, the lanes of one vector: 8 or 4.
 * Vectors are the compiler's own, so that the same source makes AVX-512, AVX2 and SSE2 code. The
 * words v0 to v3 of a lane are in four vectors; with more than one vector of lanes the rounds of
 * one fill the gaps that the latency of another leaves. Eight words of every lane are loaded at
 * once and transposed; a lane that has absorbed its last word keeps its state until all of the
 * group are absorbed, and the closing rounds are done for all lanes together.
 *
 * The key state is that of `portable`: v0 to v3. */
#ifndef JM_SIPHASH_LANES_H
#define JM_SIPHASH_LANES_H

#include "common/batch_over_single.h"
#include "common/group_lanes.h"
#include "common/load_partial.h"
#include "common/secret.h"
#include "siphash/siphash.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

typedef uint64_t sip_lanes __attribute__((vector_size(8 * SIP_WIDTH)));
/* As it lies in a message: at any address, and whatever the memory's type. */
typedef uint64_t sip_unaligned __attribute__((vector_size(8 * SIP_WIDTH), aligned(1), may_alias));

enum { SIP_VECTORS = LANES / SIP_WIDTH, SIP_STEPS = GROUP_BYTES / JM_SIPHASH_WORD_BYTES };

typedef struct {
    sip_lanes v[4][SIP_VECTORS];
} sip_code;

/* ---- vectors ---- */

/* A macro, because compilers remark on parameters of 64 bytes where there are no such registers. */
#define SIP_ROTL(x, count) ((x) << (count) | (x) >> (64 - (count)))

/* All ones in the lanes of vector i in a mask of lanes, zeros in the others. */
GROUP_INLINE sip_lanes sip_mask(uint32_t mask, unsigned i) {
#if SIP_WIDTH == 8
    const sip_lanes bit = {1, 2, 4, 8, 16, 32, 64, 128};
#else
    const sip_lanes bit = {1, 2, 4, 8};
#endif
    const uint64_t here = mask >> (i * SIP_WIDTH);
    return (sip_lanes)((here & bit) == bit);
}

#define SIP_SHUFFLE(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
/* Within each four words: words 0 and 2, or 1 and 3, of x and y; the first pairs, or the second. */
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

/* Reads a vector of words at the address from[lane] + offset of each lane: to[w] receives the words
 * w. */
GROUP_INLINE void sip_load_words(const uintptr_t *from, size_t offset, sip_lanes *to) {
    sip_lanes w[SIP_WIDTH], t[SIP_WIDTH];
    for (unsigned l = 0; l < SIP_WIDTH; l++) w[l] = *(const sip_unaligned *)(from[l] + offset);
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

/* ---- SipHash ---- */

/* Statement by statement in all vectors, so that neighbours do not wait for each other. */
#define SIP_ALL(statement)                                                                         \
    _Pragma("GCC unroll 8") for (unsigned i = 0; i < SIP_VECTORS; i++) statement

GROUP_INLINE void sip_rounds(sip_lanes v[4][SIP_VECTORS], unsigned rounds) {
#pragma GCC unroll 4
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

GROUP_INLINE void sip_absorb_words(sip_lanes v[4][SIP_VECTORS], const sip_lanes word[SIP_VECTORS]) {
    SIP_ALL(v[3][i] ^= word[i]);
    sip_rounds(v, 2);
    SIP_ALL(v[0][i] ^= word[i]);
}

GROUP_INLINE size_t sip_groups_before_tail(size_t message_bytes) {
    return message_bytes / GROUP_BYTES;
}

/* The last 0 to 63 bytes, zeros, and the length modulo 256 as the last byte of the last word. */
GROUP_INLINE unsigned sip_build_tail(const jm_mac_message *message, const uint8_t *from,
                                     size_t bytes, uint8_t tail[GROUP_BYTES]) {
    const size_t words = bytes / 8;
    const uint64_t length = (uint64_t)message->message_bytes << 56;
#if defined(__AVX512BW__)
    const __mmask64 present = ((uint64_t)1 << bytes) - 1;
    const __mmask8 last = (__mmask8)(1u << words);
    const __m512i x = _mm512_maskz_loadu_epi8(present, from);
    const __m512i added = _mm512_maskz_set1_epi64(last, (long long)length);
    _mm512_store_si512(tail, _mm512_or_si512(x, added));
#else
    for (size_t w = 0; w < words; w++) memcpy(tail + 8 * w, from + 8 * w, 8);
    const uint64_t rest = load_le64_partial(bytes % 8 ? from + 8 * words : from, bytes % 8);
    store_le64(tail + 8 * words, rest | length);
#endif
    return (unsigned)words + 1;
}

/* v0 to v3 of every lane from its key state. The transposition of words, in registers. */
GROUP_INLINE void sip_start_all(sip_code *c, const group_lanes *lanes) {
    typedef uint64_t sip_key __attribute__((vector_size(32), aligned(8), may_alias));
    for (unsigned i = 0; i < SIP_VECTORS; i++) {
        const jm_mac_message *const *message = lanes->message + i * SIP_WIDTH;
        sip_lanes key[4], even[2], odd[2];
        for (unsigned l = 0; l < 4; l++) {
            const sip_key low = *(const sip_key *)message[l]->key_state;
#if SIP_WIDTH == 8
            const sip_key high = *(const sip_key *)message[l + 4]->key_state;
            key[l] = SIP_SHUFFLE(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
            key[l] = low;
#endif
        }
        for (unsigned l = 0; l < 2; l++) {
            even[l] = SIP_PAIRS_EVEN(key[2 * l], key[2 * l + 1]);
            odd[l] = SIP_PAIRS_ODD(key[2 * l], key[2 * l + 1]);
        }
        c->v[0][i] = SIP_QUADS_LOW(even[0], even[1]);
        c->v[1][i] = SIP_QUADS_LOW(odd[0], odd[1]);
        c->v[2][i] = SIP_QUADS_HIGH(even[0], even[1]);
        c->v[3][i] = SIP_QUADS_HIGH(odd[0], odd[1]);
    }
}

/* Lane by lane, but in registers: a vector load would wait for fresh stores of single words. */
GROUP_INLINE void sip_start(void *code, const group_lanes *lanes, uint32_t started) {
    sip_code *c = code;
    if (started == GROUP_ALL_LANES) {
        sip_start_all(c, lanes);
        return;
    }
#pragma GCC unroll 16
    for (unsigned l = 0; l < LANES; l++) {
        if (!(started >> l & 1)) continue;
        const uint64_t *key = lanes->message[l]->key_state;
        const sip_lanes lane = sip_mask(UINT32_C(1) << l, l / SIP_WIDTH);
        for (unsigned w = 0; w < 4; w++) {
            sip_lanes *v = &c->v[w][l / SIP_WIDTH];
            *v = (key[w] & lane) | (*v & ~lane);
        }
    }
}

GROUP_INLINE void sip_load_group(sip_lanes word[SIP_STEPS][SIP_VECTORS], const group_lanes *lanes,
                                 size_t offset) {
    for (unsigned i = 0; i < SIP_VECTORS; i++)
        for (unsigned w = 0; w < SIP_STEPS; w += SIP_WIDTH)
            sip_load_words(lanes->at + i * SIP_WIDTH, offset + 8 * w, &word[w][i]);
}

GROUP_ONCE void sip_absorb(void *code, const group_lanes *lanes, size_t offset, size_t groups) {
    sip_code *c = code;
    sip_lanes v[4][SIP_VECTORS];
    memcpy(v, c->v, sizeof v);
    for (const size_t end = offset + groups * GROUP_BYTES; offset != end; offset += GROUP_BYTES) {
        sip_lanes word[SIP_STEPS][SIP_VECTORS];
        sip_load_group(word, lanes, offset);
#pragma GCC unroll 8
        for (unsigned s = 0; s < SIP_STEPS; s++) sip_absorb_words(v, word[s]);
    }
    memcpy(c->v, v, sizeof v);
}

GROUP_ONCE void sip_absorb_units(void *code, const group_lanes *lanes, size_t offset,
                                 unsigned units, bool masked) {
    sip_code *c = code;
    sip_lanes v[4][SIP_VECTORS];
    memcpy(v, c->v, sizeof v);
    sip_lanes word[SIP_STEPS][SIP_VECTORS];
    sip_load_group(word, lanes, offset);
    if (!masked) {
        if (units == 1) /* apart, because it needs the first word of the group only */
            sip_absorb_words(v, word[0]);
        else
            for (unsigned s = 0; s < units; s++) sip_absorb_words(v, word[s]);
        memcpy(c->v, v, sizeof v);
        return;
    }
    for (unsigned s = 0; s < units; s++) {
        sip_lanes after[4][SIP_VECTORS];
        memcpy(after, v, sizeof after);
        sip_absorb_words(after, word[s]);
        for (unsigned i = 0; i < SIP_VECTORS; i++) {
            const sip_lanes live = sip_mask(lanes->live[s], i);
            for (unsigned w = 0; w < 4; w++) v[w][i] = (after[w][i] & live) | (v[w][i] & ~live);
        }
    }
    memcpy(c->v, v, sizeof v);
}

/* The closing rounds in all lanes; the tags of those that are done. */
GROUP_INLINE void sip_finish(sip_code *c, size_t tag_bytes, const group_lanes *lanes,
                             uint32_t done) {
    sip_lanes v[4][SIP_VECTORS], tag[2][SIP_VECTORS];
    memcpy(v, c->v, sizeof v);
    SIP_ALL(v[2][i] ^= tag_bytes == 16 ? 0xee : 0xff);
    sip_rounds(v, 4);
    SIP_ALL(tag[0][i] = v[0][i] ^ v[1][i] ^ v[2][i] ^ v[3][i]);
    if (tag_bytes == 16) {
        SIP_ALL(v[1][i] ^= 0xdd);
        sip_rounds(v, 4);
        SIP_ALL(tag[1][i] = v[0][i] ^ v[1][i] ^ v[2][i] ^ v[3][i]);
    }
    uint64_t word[2][LANES];
    memcpy(word, tag, tag_bytes / 8 * sizeof *tag);
    for (; done; done &= done - 1) {
        const unsigned l = (unsigned)__builtin_ctz(done);
        for (unsigned w = 0; w < tag_bytes / 8; w++)
            store_le64(lanes->message[l]->tag + 8 * w, word[w][l]);
    }
}

/* The functions for one size of tag, and the implementation jm_<name>_<variant>. */
#define JM_SIPHASH_LANES(id, name, variant_, tag_bytes, features_, note_)                          \
    static void finish_##name(void *c, const group_lanes *lanes, uint32_t done) {                  \
        sip_finish(c, tag_bytes, lanes, done);                                                     \
    }                                                                                              \
    static jm_status tag_batch_##name(const jm_implementation *self,                               \
                                      const jm_mac_message *messages, size_t count) {              \
        static const group_code code = {                                                           \
            .group_units = SIP_STEPS,                                                              \
            .groups_before_tail = sip_groups_before_tail,                                          \
            .start = sip_start,                                                                    \
            .absorb = sip_absorb,                                                                  \
            .build_tail = sip_build_tail,                                                          \
            .absorb_units = sip_absorb_units,                                                      \
            .finish = finish_##name,                                                               \
        };                                                                                         \
        (void)self;                                                                                \
        sip_code c = {0};                                                                          \
        group_lanes lanes;                                                                         \
        group_run(&code, &c, &lanes, messages, count);                                             \
        jm_wipe(c.v, sizeof c.v);                                                                  \
        return JM_OK;                                                                              \
    }                                                                                              \
    static const jm_mac_functions functions_##name =                                               \
        JM_BATCH_FUNCTIONS(JM_SIPHASH_KEY_STATE_BYTES, JM_SIPHASH_STREAM_BYTES, tag_batch_##name); \
    const jm_implementation jm_##name##_##variant_ = {.algorithm = (id),                           \
                                                      .variant = #variant_,                        \
                                                      .note = (note_),                             \
                                                      .kind = JM_KIND_MAC,                         \
                                                      .cpu_features = (features_),                 \
                                                      .lanes = LANES,                              \
                                                      .constant_time = true,                       \
                                                      .block_bytes = JM_SIPHASH_WORD_BYTES,        \
                                                      .output_bytes = (tag_bytes),                 \
                                                      .key_bytes_min = JM_SIPHASH_KEY_BYTES,       \
                                                      .key_bytes_max = JM_SIPHASH_KEY_BYTES,       \
                                                      .key_bytes = JM_SIPHASH_KEY_BYTES,           \
                                                      .mac = &functions_##name,                    \
                                                      .over = &jm_##name##_portable};

#endif
