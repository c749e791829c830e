/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC over the Keccak family for a batch of messages in LANES lanes.
 *
 * The includer defines, above:
 *     a vector        the header of lanes/ that it includes (v64_*.h)
 *     LANES           messages at once: VEC_LANES
 * and, before JM_KECCAK_LANES:
 *     VARIANT, FEATURES, NOTE
 *     KECCAK_SINGLE   the implementations that do all but batches
 *
 * lanes/scheduler.h keeps the lanes busy; a chunk is a block, and the tail chunk the padded one.
 * States are word-sliced: word i of all lanes lies in one vector. Ended inner hashes wait in
 * `closing` until there are as many as lanes; then their outer hashes, one block each, are computed
 * together. Lanes that end together are closed in place.
 *
 * The key state is that of `portable`. */
#ifndef JM_KECCAK_LANES_H
#define JM_KECCAK_LANES_H

#if !defined(LANES) || !defined(VEC_LANES)
#error "a variant's file defines LANES and includes a vector header"
#endif

#include "keccak/keccak.h"
#include "keccak/keccak_lanes_rounds.h"

#define LANES_CHUNK_BYTES_MAX 136
#include "common/batch_variant.h"
#include "lanes/scheduler.h"

_Static_assert(LANES == VEC_LANES, "one vector holds word i of every lane");

enum { ROW_WORDS = 8 /* words of a lane that are transposed at once */, RATE_WORDS_MAX = 17 };

typedef struct {
    _Alignas(JM_STATE_ALIGN) vec_word state[KECCAK_WORDS * LANES];
    _Alignas(JM_STATE_ALIGN) vec_word closing[KECCAK_WORDS * LANES]; /* inner hashes that ended */
    _Alignas(JM_STATE_ALIGN) vec_word tags[ROW_WORDS * LANES];
    const jm_mac_message *waiting[LANES]; /* the messages of the inner hashes in `closing` */
    size_t waiting_count;
} keccak_lanes;

/* The memory of a batch, in the frame of the outer half (common/secret.h). */
typedef struct {
    keccak_lanes c;
    lanes_schedule lanes;
} keccak_work;

/* For vectors of two states, vectors of words that are transposed, and pointers of the lanes. */
#if defined(__clang__)
#define KECCAK_LANES_STACK_BYTES (LANES == 8 ? 2560 : 2176)
#else
#define KECCAK_LANES_STACK_BYTES (LANES == 8 ? 6208 : 3072)
#endif

/* As keccak_absorb does for one message: in every lane, `count` blocks from from[lane] on are added
 * to the state, which is permuted after each; with rate_words 0 it is only permuted. */
JM_ONCE void absorb_lanes(vec_word *state, const uint8_t *const *from, size_t rate_words,
                          size_t count) {
    vec a[KECCAK_WORDS];
    for (size_t i = 0; i < KECCAK_WORDS; i++) a[i] = vec_load(state + i * LANES);
    for (size_t block = 0; block < count; block++) {
        vec words[ROW_WORDS];
        size_t offset = block * rate_words * 8;
        if (rate_words > ROW_WORDS) {
            vec_load_chunk(from, offset, words);
            for (size_t i = 0; i < ROW_WORDS; i++) a[i] = vec_xor(a[i], words[i]);
            offset += JM_CHUNK_BYTES;
        }
        if (rate_words == RATE_WORDS_MAX) {
            vec_load_chunk(from, offset, words);
            for (size_t i = 0; i < ROW_WORDS; i++)
                a[i + ROW_WORDS] = vec_xor(a[i + ROW_WORDS], words[i]);
            a[16] = vec_xor(a[16], load_words(from, offset + JM_CHUNK_BYTES));
        } else if (rate_words) {
            a[8] = vec_xor(a[8], load_words(from, offset));
        }
        permute_lanes(a, 0);
    }
    for (size_t i = 0; i < KECCAK_WORDS; i++) vec_store(state + i * LANES, a[i]);
}

/* Loads a state of 25 words from from[lane] for each lane. */
JM_INLINE void load_states(vec_word *state, const uint64_t *const *from) {
    const uint8_t *at[LANES];
    vec words[ROW_WORDS];
    for (size_t l = 0; l < LANES; l++) at[l] = (const uint8_t *)from[l];
    for (size_t first = 0; first + ROW_WORDS <= KECCAK_WORDS; first += ROW_WORDS) {
        vec_load_rows(at, words);
        for (size_t i = 0; i < ROW_WORDS; i++) vec_store(state + (first + i) * LANES, words[i]);
        for (size_t l = 0; l < LANES; l++) at[l] += ROW_WORDS * 8;
    }
    for (size_t l = 0; l < LANES; l++) state[24 * LANES + l] = from[l][24];
}

JM_INLINE const keccak_hmac_key *key_of(const jm_mac_message *message) {
    return message->key_state;
}

JM_INLINE void start(void *code, const lanes_schedule *lanes, uint32_t started) {
    keccak_lanes *c = code;
    if (started == LANES_ALL) {
        const uint64_t *inner[LANES];
        for (unsigned l = 0; l < LANES; l++) inner[l] = key_of(lanes->message[l])->inner;
        load_states(c->state, inner);
        return;
    }
    for (; started; started &= started - 1) {
        const unsigned l = (unsigned)__builtin_ctz(started);
        const keccak_hmac_key *key = key_of(lanes->message[l]);
        for (size_t i = 0; i < KECCAK_WORDS; i++) c->state[i * LANES + l] = key->inner[i];
    }
}

JM_INLINE void absorb_blocks(void *code, const lanes_schedule *lanes, size_t offset, size_t blocks,
                             size_t rate_words) {
    keccak_lanes *c = code;
    const uint8_t *from[LANES];
    for (unsigned l = 0; l < LANES; l++) from[l] = (const uint8_t *)(lanes->at[l] + offset);
    absorb_lanes(c->state, from, rate_words, blocks);
}

/* Writes the last, incomplete block of the message and its padding to `tail`. */
JM_INLINE unsigned build_tail(const uint8_t *from, size_t bytes, uint8_t *tail, size_t rate_words) {
    const size_t words = bytes / 8;
    for (size_t i = 0; i < words; i++) memcpy(tail + 8 * i, from + 8 * i, 8);
    const uint64_t rest = load_le64_partial(bytes % 8 ? from + 8 * words : NULL, bytes % 8);
    store_le64(tail + 8 * words, rest | UINT64_C(0x06) << 8 * (bytes % 8));
    for (size_t i = words + 1; i < rate_words; i++) store_le64(tail + 8 * i, 0);
    tail[8 * rate_words - 1] |= 0x80;
    return 1;
}

/* Computes the outer hashes of the inner hashes in lanes 0 to count - 1 of `inner`, which is
 * overwritten. */
JM_INLINE void close_lanes(keccak_lanes *c, vec_word *inner, const jm_mac_message *const *messages,
                           size_t count, size_t rate_words, size_t digest_words) {
    const uint64_t *outer[LANES];
    vec digest[ROW_WORDS];
    for (size_t i = 0; i < digest_words; i++) digest[i] = vec_load(inner + i * LANES);
    for (size_t l = 0; l < LANES; l++) outer[l] = key_of(messages[l < count ? l : 0])->outer;
    load_states(inner, outer);
    for (size_t i = 0; i < rate_words; i++) {
        vec x = vec_load(inner + i * LANES);
        if (i < digest_words) x = vec_xor(x, digest[i]);
        if (i == digest_words) x = vec_xor(x, vec_set1(0x06));
        if (i + 1 == rate_words) x = vec_xor(x, vec_set1(UINT64_C(0x80) << 56));
        vec_store(inner + i * LANES, x);
    }
    absorb_lanes(inner, NULL, 0, 1);
    for (size_t i = 0; i < ROW_WORDS; i++) digest[i] = vec_load(inner + i * LANES);
    vec_store_rows(c->tags, digest);
    for (size_t l = 0; l < count; l++)
        memcpy(messages[l]->tag, c->tags + ROW_WORDS * l, 8 * digest_words);
}

JM_INLINE void finish(void *code, const lanes_schedule *lanes, uint32_t done, size_t rate_words,
                      size_t digest_words) {
    keccak_lanes *c = code;
    if (done == lanes->busy && (done & (done + 1)) == 0) {
        const size_t count = (size_t)__builtin_popcount(done);
        if (count == LANES || c->waiting_count == 0) {
            close_lanes(c, c->state, lanes->message, count, rate_words, digest_words);
            return;
        }
    }
    for (; done; done &= done - 1) {
        const unsigned l = (unsigned)__builtin_ctz(done);
        const size_t place = c->waiting_count++;
        c->waiting[place] = lanes->message[l];
        for (size_t i = 0; i < digest_words; i++)
            c->closing[i * LANES + place] = c->state[i * LANES + l];
        if (c->waiting_count < LANES) continue;
        close_lanes(c, c->closing, c->waiting, LANES, rate_words, digest_words);
        c->waiting_count = 0;
    }
}

JM_INLINE jm_status run_lanes(const lanes_code *code, keccak_work *work,
                              const jm_mac_message *messages, size_t count, size_t rate_words,
                              size_t digest_words, uint64_t live) {
    keccak_lanes *c = &work->c;
    memset(c->closing, 0, digest_words * LANES * sizeof(vec_word));
    c->waiting_count = 0;
    if (!jm_all_live(messages, count, offsetof(keccak_hmac_key, live), live)) return JM_ERR_ENDED;
    lanes_run(code, c, &work->lanes, messages, count);
    if (c->waiting_count)
        close_lanes(c, c->closing, c->waiting, c->waiting_count, rate_words, digest_words);
    return JM_OK;
}

JM_INLINE void wipe_lanes(keccak_work *work) {
    jm_wipe(work->c.state, sizeof work->c.state);
    jm_wipe(work->c.closing, sizeof work->c.closing);
    jm_wipe(work->c.tags, sizeof work->c.tags);
    jm_wipe(work->lanes.tail, sizeof work->lanes.tail);
}

/* The functions for one hash. */
#define KECCAK_LANES_CODE(name_, id_, rate_, digest_)                                              \
    static size_t chunks_##name_(size_t message_bytes) {                                           \
        return message_bytes / (rate_);                                                            \
    }                                                                                              \
    static void absorb_##name_(void *c, const lanes_schedule *lanes, size_t offset,                \
                               size_t blocks) {                                                    \
        absorb_blocks(c, lanes, offset, blocks, (rate_) / 8);                                      \
    }                                                                                              \
    static unsigned tail_##name_(const jm_mac_message *message, const uint8_t *from, size_t bytes, \
                                 uint8_t *tail) {                                                  \
        (void)message;                                                                             \
        return build_tail(from, bytes, tail, (rate_) / 8);                                         \
    }                                                                                              \
    static void units_##name_(void *c, const lanes_schedule *lanes, size_t offset, unsigned units, \
                              bool masked) {                                                       \
        (void)masked; /* a tail is a whole block, so that all lanes absorb it */                   \
        absorb_blocks(c, lanes, offset, units, (rate_) / 8);                                       \
    }                                                                                              \
    static void finish_##name_(void *c, const lanes_schedule *lanes, uint32_t done) {              \
        finish(c, lanes, done, (rate_) / 8, (digest_) / 8);                                        \
    }                                                                                              \
    JM_APART jm_status run_##name_(keccak_work *work, const jm_mac_message *messages,              \
                                   size_t count) {                                                 \
        static const lanes_code code = {                                                           \
            .chunk_bytes = (rate_),                                                                \
            .chunk_units = 1,                                                                      \
            .chunks_before_tail = chunks_##name_,                                                  \
            .start = start,                                                                        \
            .absorb = absorb_##name_,                                                              \
            .build_tail = tail_##name_,                                                            \
            .absorb_units = units_##name_,                                                         \
            .finish = finish_##name_,                                                              \
        };                                                                                         \
        return run_lanes(&code, work, messages, count, (rate_) / 8, (digest_) / 8,                 \
                         JM_LIVE(id_, ""));                                                        \
    }                                                                                              \
    static jm_status tag_batch_##name_(const jm_implementation *self,                              \
                                       const jm_mac_message *messages, size_t count) {             \
        keccak_work work;                                                                          \
        const jm_status status = run_##name_(&work, messages, count);                              \
        (void)self;                                                                                \
        wipe_lanes(&work);                                                                         \
        if (status != JM_OK) jm_take_back(messages, count, (digest_));                             \
        return JM_FORGET(status, KECCAK_LANES_STACK_BYTES);                                        \
    }                                                                                              \
    static const jm_mac_functions functions_##name_ = JM_BATCH_FUNCTIONS(                          \
        sizeof(keccak_hmac_key), sizeof(keccak_hmac_stream), tag_batch_##name_);

#define KECCAK_LANES_MAC(name_, id_, rate_, digest_)                                               \
    {.algorithm = (id_),                                                                           \
     .variant = VARIANT,                                                                           \
     .note = NOTE,                                                                                 \
     .kind = JM_KIND_MAC,                                                                          \
     .cpu_features = FEATURES,                                                                     \
     .lanes = LANES,                                                                               \
     .constant_time = true,                                                                        \
     .block_bytes = (rate_),                                                                       \
     .output_bytes = (digest_),                                                                    \
     .key_bytes_min = 0,                                                                           \
     .key_bytes_max = SIZE_MAX,                                                                    \
     .key_bytes = (digest_),                                                                       \
     .mac = &functions_##name_,                                                                    \
     .over = &KECCAK_SINGLE[KECCAK_SINGLE_OF_##name_],                                             \
     .live = JM_LIVE(id_, "")},
enum { KECCAK_SINGLE_OF_sha3_256 = KECCAK_HASH_COUNT, KECCAK_SINGLE_OF_sha3_512 };

/* The last line of a variant's file. */
#define JM_KECCAK_LANES(variant_)                                                                  \
    KECCAK_MACS(KECCAK_LANES_CODE)                                                                 \
    const jm_implementation jm_keccak_##variant_[KECCAK_MAC_COUNT] = {                             \
        KECCAK_MACS(KECCAK_LANES_MAC)};

#endif
