/* SPDX-License-Identifier: Apache-2.0
 *
 * SipHash-2-4 and SipHash-1-3 (Aumasson and Bernstein, 2012; the 128-bit tag of the authors'
 * reference implementation) for a batch of messages in LANES lanes.
 *
 * The includer defines: what siphash_vectors.h, which has the rounds, lists.
 *
 * siphash_equal.h tags messages of one length. For messages of several lengths lanes/scheduler.h
 * keeps the lanes busy: a lane that has absorbed its last word keeps its state until all words of
 * the chunk are absorbed, and the closing rounds are done for all lanes together.
 *
 * The key state is that of `portable`: v0 to v3 and JM_LIVE. */
#ifndef JM_SIPHASH_LANES_H
#define JM_SIPHASH_LANES_H

#include "common/batch_variant.h"
#include "common/secret.h"
#include "common/words.h"
#include "lanes/scheduler.h"
#include "siphash/siphash.h"
#include "siphash/siphash_equal.h"
#include "siphash/siphash_vectors.h"

_Static_assert(SIP_CHUNK_BYTES == JM_CHUNK_BYTES, "a chunk is what is transposed at once");

typedef struct {
    sip_lanes v[4][SIP_VECTORS];
    uint64_t live;  /* the mark of the keys */
    uint64_t ended; /* not 0: some key was not live */
} sip_code;

/* The memory of a batch of several lengths, in the frame of the outer half (common/secret.h). */
typedef struct {
    sip_code c;
    lanes_schedule lanes;
} sip_work;

/* States, words of a chunk and pointers of the lanes. */
#define SIP_MIXED_STACK_BYTES (LANES == 4 ? 1024 : LANES == 8 ? 1664 : 2432)
#if defined(__clang__)
#define SIP_EQUAL_STACK_BYTES (LANES == 4 ? 320 : LANES == 16 ? 1408 : SIP_WIDTH == 8 ? 256 : 896)
#else
#define SIP_EQUAL_STACK_BYTES (LANES == 4 ? 192 : LANES == 16 ? 1088 : SIP_WIDTH == 8 ? 192 : 640)
#endif

/* All ones in the lanes of vector i in a mask of lanes, zeros in the others. */
JM_INLINE sip_lanes sip_mask(uint32_t mask, unsigned i) {
#if SIP_WIDTH == 8
    const sip_lanes bit = {1, 2, 4, 8, 16, 32, 64, 128};
#else
    const sip_lanes bit = {1, 2, 4, 8};
#endif
    const uint64_t here = mask >> (i * SIP_WIDTH);
    return (sip_lanes)((here & bit) == bit);
}

JM_INLINE size_t sip_chunks_before_tail(size_t message_bytes) {
    return message_bytes / JM_CHUNK_BYTES;
}

/* The last 0 to 63 bytes, zeros, and the length modulo 256 as the last byte of the last word. */
JM_INLINE unsigned sip_build_tail(const jm_mac_message *message, const uint8_t *from, size_t bytes,
                                  uint8_t tail[JM_CHUNK_BYTES]) {
    const size_t words = bytes / 8;
    const uint64_t length = (uint64_t)message->message_bytes << 56;
#if defined(__AVX512BW__)
    const __mmask64 present = ((uint64_t)1 << bytes) - 1;
    const __mmask8 last = (__mmask8)(1u << words);
    /* A fully masked load from an unreadable address is correct, but takes long. */
    const __m512i x = _mm512_maskz_loadu_epi8(present, bytes ? from : tail);
    const __m512i added = _mm512_maskz_set1_epi64(last, (long long)length);
    _mm512_store_si512(tail, _mm512_or_si512(x, added));
#else
    for (size_t w = 0; w < words; w++) memcpy(tail + 8 * w, from + 8 * w, 8);
    const uint64_t rest = load_le64_partial(bytes % 8 ? from + 8 * words : from, bytes % 8);
    store_le64(tail + 8 * words, rest | length);
#endif
    return (unsigned)words + 1;
}

/* Loads keys lane by lane, but in registers: a vector load would wait for fresh stores of words. */
JM_INLINE void sip_start(void *code, const lanes_schedule *lanes, uint32_t started) {
    sip_code *c = code;
    if (started == LANES_ALL) {
        const void *key_state[LANES];
        for (unsigned l = 0; l < LANES; l++) {
            key_state[l] = lanes->message[l]->key_state;
            c->ended |= sip_not_live(key_state[l], c->live);
        }
        sip_load_keys(c->v, key_state);
        return;
    }
#pragma GCC unroll 16
    for (unsigned l = 0; l < LANES; l++) {
        if (!(started >> l & 1)) continue;
        const uint64_t *key = lanes->message[l]->key_state;
        c->ended |= sip_not_live(key, c->live);
        const sip_lanes lane = sip_mask(UINT32_C(1) << l, l / SIP_WIDTH);
        for (unsigned w = 0; w < 4; w++) {
            sip_lanes *v = &c->v[w][l / SIP_WIDTH];
            *v = (key[w] & lane) | (*v & ~lane);
        }
    }
}

JM_INLINE void sip_absorb(void *code, const lanes_schedule *lanes, size_t offset, size_t chunks,
                          unsigned rounds) {
    sip_code *c = code;
    sip_lanes v[4][SIP_VECTORS];
    memcpy(v, c->v, sizeof v);
    for (const size_t end = offset + chunks * JM_CHUNK_BYTES; offset != end;
         offset += JM_CHUNK_BYTES) {
        sip_lanes word[SIP_CHUNK_WORDS][SIP_VECTORS];
        sip_load_chunk(word, lanes->at, offset);
#pragma GCC unroll 8
        for (unsigned s = 0; s < SIP_CHUNK_WORDS; s++) sip_absorb_words(v, word[s], rounds);
    }
    memcpy(c->v, v, sizeof v);
}

JM_INLINE void sip_absorb_units(void *code, const lanes_schedule *lanes, size_t offset,
                                unsigned units, bool masked, unsigned rounds) {
    sip_code *c = code;
    sip_lanes v[4][SIP_VECTORS];
    memcpy(v, c->v, sizeof v);
    sip_lanes word[SIP_CHUNK_WORDS][SIP_VECTORS];
    sip_load_chunk(word, lanes->at, offset);
    if (!masked) {
        if (units == 1) /* apart, because only the first word of the chunk is needed */
            sip_absorb_words(v, word[0], rounds);
        else
            for (unsigned s = 0; s < units; s++) sip_absorb_words(v, word[s], rounds);
        memcpy(c->v, v, sizeof v);
        return;
    }
    for (unsigned s = 0; s < units; s++) {
        sip_lanes after[4][SIP_VECTORS];
        memcpy(after, v, sizeof after);
        sip_absorb_words(after, word[s], rounds);
        for (unsigned i = 0; i < SIP_VECTORS; i++) {
            const sip_lanes live = sip_mask(lanes->live[s], i);
            for (unsigned w = 0; w < 4; w++) v[w][i] = (after[w][i] & live) | (v[w][i] & ~live);
        }
    }
    memcpy(c->v, v, sizeof v);
}

/* Both functions exist once for each number of rounds. */
#define SIP_ROUNDS(n)                                                                              \
    JM_ONCE void sip_absorb_##n(void *code, const lanes_schedule *lanes, size_t offset,            \
                                size_t chunks) {                                                   \
        sip_absorb(code, lanes, offset, chunks, n);                                                \
    }                                                                                              \
    JM_ONCE void sip_absorb_units_##n(void *code, const lanes_schedule *lanes, size_t offset,      \
                                      unsigned units, bool masked) {                               \
        sip_absorb_units(code, lanes, offset, units, masked, n);                                   \
    }
SIP_ROUNDS(1)
SIP_ROUNDS(2)

/* Runs the closing rounds in all lanes, and stores the tags of the lanes in the mask `done`. */
JM_INLINE void sip_finish(sip_code *c, sip_kind kind, const lanes_schedule *lanes, uint32_t done) {
    sip_lanes v[4][SIP_VECTORS], tag[2][SIP_VECTORS];
    memcpy(v, c->v, sizeof v);
    sip_close(v, kind.closing_rounds, kind.tag_bytes, tag);
    uint64_t word[2][LANES];
    memcpy(word, tag, kind.tag_bytes / 8 * sizeof *tag);
    for (; done; done &= done - 1) {
        const unsigned l = (unsigned)__builtin_ctz(done);
        for (unsigned w = 0; w < kind.tag_bytes / 8; w++)
            store_le64(lanes->message[l]->tag + 8 * w, word[w][l]);
    }
}

/* The functions for these rounds and this tag, and the implementation jm_<name>_<variant>. */
#define JM_SIPHASH_LANES(id, name, variant_, rounds_, closing_rounds_, tag_bytes_, features_,      \
                         note_)                                                                    \
    static const sip_kind kind_##name = {rounds_, closing_rounds_, tag_bytes_};                    \
    static void finish_##name(void *c, const lanes_schedule *lanes, uint32_t done) {               \
        sip_finish(c, kind_##name, lanes, done);                                                   \
    }                                                                                              \
    JM_APART jm_status mixed_##name(sip_work *work, const jm_mac_message *messages,                \
                                    size_t count) {                                                \
        static const lanes_code code = {                                                           \
            .chunk_bytes = JM_CHUNK_BYTES,                                                         \
            .chunk_units = SIP_CHUNK_WORDS,                                                        \
            .chunks_before_tail = sip_chunks_before_tail,                                          \
            .start = sip_start,                                                                    \
            .absorb = sip_absorb_##rounds_,                                                        \
            .build_tail = sip_build_tail,                                                          \
            .absorb_units = sip_absorb_units_##rounds_,                                            \
            .finish = finish_##name,                                                               \
        };                                                                                         \
        work->c = (sip_code){.live = JM_LIVE(id, "")};                                             \
        lanes_run(&code, &work->c, &work->lanes, messages, count);                                 \
        return work->c.ended ? JM_ERR_ENDED : JM_OK;                                               \
    }                                                                                              \
    JM_APART jm_status equal_##name(const jm_mac_message *messages, size_t count,                  \
                                    jm_mac_message filled[LANES]) {                                \
        return sip_run_equal(messages, count, kind_##name, JM_LIVE(id, ""), filled);               \
    }                                                                                              \
    static jm_status tag_batch_##name(const jm_implementation *self,                               \
                                      const jm_mac_message *messages, size_t count) {              \
        sip_work work;                                                                             \
        jm_status status;                                                                          \
        (void)self;                                                                                \
        if (lanes_all_equal(messages, count)) {                                                    \
            jm_mac_message filled[LANES];                                                          \
            status = equal_##name(messages, count, filled);                                        \
            if (status != JM_OK) jm_take_back(messages, count, tag_bytes_);                        \
            return JM_FORGET_WITHOUT(status, SIP_EQUAL_STACK_BYTES, "mixed_" #name);               \
        }                                                                                          \
        status = mixed_##name(&work, messages, count);                                             \
        jm_wipe(work.c.v, sizeof work.c.v);                                                        \
        if (status != JM_OK) jm_take_back(messages, count, tag_bytes_);                            \
        return JM_FORGET(status, SIP_MIXED_STACK_BYTES);                                           \
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
                                                      .output_bytes = (tag_bytes_),                \
                                                      .key_bytes_min = JM_SIPHASH_KEY_BYTES,       \
                                                      .key_bytes_max = JM_SIPHASH_KEY_BYTES,       \
                                                      .key_bytes = JM_SIPHASH_KEY_BYTES,           \
                                                      .mac = &functions_##name,                    \
                                                      .over = &jm_##name##_portable,               \
                                                      .live = JM_LIVE(id, "")};

#endif
