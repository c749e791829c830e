/* SPDX-License-Identifier: Apache-2.0
 *
 * What variants for batches share: the functions that they leave to a single-message variant, the
 * marks of keys, the order of messages, padded ends in buffers, and the table of an HMAC. */
#ifndef JM_BATCH_VARIANT_H
#define JM_BATCH_VARIANT_H

#include "common/secret.h"
#include "common/words.h"
#include "joulemark/kernel.h"

#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__BMI2__)
#include <immintrin.h>
#define JM_PADDING_MASKED 1
#else
#define JM_PADDING_MASKED 0
#endif

/* ---- functions of the single-message variant ----
 *
 * Key set-up and stream, which no figure is about, are those of the jm_implementation that `over`
 * points to, and both variants share key states. The `tag` of a batch variant is a batch of one
 * message: it costs all lanes, so that a figure of one message is the variant's own. The functions
 * have the contracts of joulemark/kernel.h. */

jm_status jm_batch_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                           size_t key_bytes);
jm_status jm_batch_copy_key(const jm_implementation *self, void *to, const void *from);
void jm_batch_wipe_key(const jm_implementation *self, void *key_state);
jm_status jm_batch_tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                       size_t message_bytes, uint8_t *tag);
jm_status jm_batch_stream_begin(const jm_implementation *self, void *stream, const void *key_state);
jm_status jm_batch_stream_update(const jm_implementation *self, void *stream,
                                 const uint8_t *message, size_t message_bytes);
jm_status jm_batch_stream_finish(const jm_implementation *self, void *stream, uint8_t *tag);

/* Initialiser of a batch variant's functions; the sizes are those of the single variant. */
#define JM_BATCH_FUNCTIONS(key_state_bytes_, stream_bytes_, tag_batch_)                            \
    {.key_state_bytes = (key_state_bytes_),                                                        \
     .stream_bytes = (stream_bytes_),                                                              \
     .set_key = jm_batch_set_key,                                                                  \
     .copy_key = jm_batch_copy_key,                                                                \
     .wipe_key = jm_batch_wipe_key,                                                                \
     .tag = jm_batch_tag,                                                                          \
     .stream_begin = jm_batch_stream_begin,                                                        \
     .stream_update = jm_batch_stream_update,                                                      \
     .stream_finish = jm_batch_stream_finish,                                                      \
     .tag_batch = (tag_batch_)}

/* ---- keys that are not live ---- */

/* Whether the keys of all messages have this mark, which is at `mark_at` in a key state. A batch
 * that reads more than 64 bytes of a key asks it first. */
static inline bool jm_all_live(const jm_mac_message *messages, size_t count, size_t mark_at,
                               uint64_t live) {
    uint64_t others = 0;
    for (size_t i = 0; i < count; i++)
        others |= *(const uint64_t *)((const uint8_t *)messages[i].key_state + mark_at) ^ live;
    return !others;
}

/* Clears the tags, so that after JM_ERR_ENDED the outputs hold no tag under a wiped key. */
static inline void jm_take_back(const jm_mac_message *messages, size_t count, size_t tag_bytes) {
    for (size_t i = 0; i < count; i++) __builtin_memset(messages[i].tag, 0, tag_bytes);
}

/* ---- the order of messages ----
 *
 * Lanes get the longest messages first, because a long message begun last would run on alone, while
 * short ones fill the gaps that others leave (Graham, "Bounds on multiprocessing timing anomalies",
 * SIAM J. Appl. Math. 17, 1969: the largest jobs first end at most a third later than the best
 * order).
 *
 * A batch is ordered slice by slice, so that the order fits on the stack for batches of any size.
 * Lengths are public: they may decide branches and addresses. */

/* Below BATCH_EXACT each number of blocks has its own class; above, an octave has four classes, up
 * to 2^16 blocks, beyond which the order no longer matters. */
enum { BATCH_SLICE = 256, BATCH_EXACT = 32, BATCH_CLASSES = BATCH_EXACT + 4 * (16 - 5) + 1 };

static inline unsigned batch_class(size_t blocks) {
    if (blocks < BATCH_EXACT) return (unsigned)blocks;
    if (blocks >> 16) return BATCH_CLASSES - 1;
    const unsigned octave = 31u - (unsigned)__builtin_clz((unsigned)blocks);
    return BATCH_EXACT + 4 * (octave - 5) + ((unsigned)blocks >> (octave - 2) & 3);
}

/* Fills `order` with the numbers of the `count` (0 to BATCH_SLICE) messages, the longest in blocks
 * first and otherwise as they came: a counting sort. */
static inline void batch_order(const jm_mac_message *messages, size_t count, size_t block_bytes,
                               uint8_t *order) {
    size_t differ = 0;
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint8_t)i;
        differ |= messages[i].message_bytes ^ messages[0].message_bytes;
    }
    if (differ == 0) return;

    uint8_t class_of[BATCH_SLICE];
    uint16_t before[BATCH_CLASSES] = {0}; /* how many messages of this class, then of longer ones */
    for (size_t i = 0; i < count; i++) {
        class_of[i] = (uint8_t)batch_class(messages[i].message_bytes / block_bytes);
        before[class_of[i]]++;
    }
    uint16_t longer = 0;
    for (size_t class = BATCH_CLASSES; class --> 0;) {
        const uint16_t here = before[class];
        before[class] = longer;
        longer = (uint16_t)(longer + here);
    }
    for (size_t i = 0; i < count; i++) order[before[class_of[i]]++] = (uint8_t)i;
}

/* ---- padded ends of Merkle-Damgard messages (FIPS 180-4, section 5.1) in buffers ----
 *
 * The bytes of the message after its whole blocks, the byte 0x80, zeros and the length. For code
 * that absorbs the buffer later; jm_md_finish absorbs the end at once.
 *
 * Every piece is stored once and as wide as the vector code loads it, so that no load waits for
 * narrower stores. With AVX-512 a load of the message's last bytes is masked, and the lengths
 * decide no branch. */

/* As jm_padding, for a `rest` that is not NULL. */
JM_INLINE size_t jm_padding_of(uint8_t *to, size_t block_bytes, size_t length_bytes,
                               const uint8_t *rest, size_t rest_bytes, jm_quad length) {
    const bool fits = rest_bytes < block_bytes - length_bytes;
#if JM_PADDING_MASKED
    for (size_t at = 0; at < block_bytes; at += 64) {
        const size_t here = rest_bytes > at ? rest_bytes - at : 0;
        const __mmask64 present =
            here < 64 ? _bzhi_u64(~UINT64_C(0), (unsigned)here) : ~UINT64_C(0);
        const __mmask64 mark = rest_bytes - at < 64 ? UINT64_C(1) << (rest_bytes - at) : 0;
        __m512i piece = _mm512_setzero_si512(), second = piece;
        /* A load with an empty mask is correct, but takes long. */
        if (here) piece = _mm512_maskz_loadu_epi8(present, rest + at);
        piece = _mm512_mask_mov_epi8(piece, mark, _mm512_set1_epi8((char)0x80));
        if (at + 64 == block_bytes) {
            const uint8_t high_at = 0x40, low_at = 0x80;
            if (length_bytes == 16) second = _mm512_maskz_set1_epi64(high_at, (long long)length[0]);
            second = _mm512_mask_set1_epi64(second, low_at, (long long)length[1]);
            piece = _mm512_mask_or_epi64(piece, fits ? high_at | low_at : 0, piece, second);
        }
        _mm512_storeu_si512(to + at, piece);
        _mm512_storeu_si512(to + block_bytes + at, second);
    }
#else
    const size_t last = rest_bytes - rest_bytes % JM_QUAD_BYTES;
    const size_t length_at = block_bytes - JM_QUAD_BYTES;
    for (size_t at = 0; at < block_bytes; at += JM_QUAD_BYTES) {
        jm_quad piece = {0, 0};
        if (at < last)
            piece = jm_quad_load(rest + at);
        else if (at == last)
            piece = jm_quad_last(rest + at, rest_bytes % JM_QUAD_BYTES);
        if (at == length_at && fits) piece |= length;
        jm_quad_store(to + at, piece);
        jm_quad_store(to + block_bytes + at, at == length_at ? length : (jm_quad){0, 0});
    }
#endif
    return fits ? 1 : 2;
}

/* Writes two blocks of which the first, or both, end the message; returns how many do: 1 or 2.
 * `rest` has rest_bytes < block_bytes and may be NULL when rest_bytes is 0; `length` comes from
 * jm_quad_length. The caller wipes the first block. */
JM_INLINE size_t jm_padding(uint8_t *to, size_t block_bytes, size_t length_bytes,
                            const uint8_t *rest, size_t rest_bytes, jm_quad length) {
    /* With masked loads this case is frequent enough to be compiled apart. */
    if (JM_PADDING_MASKED && rest_bytes == 0)
        return jm_padding_of(to, block_bytes, length_bytes, to, 0, length);
    if (rest_bytes == 0) rest = to; /* NULL may not take even an offset of 0 */
    return jm_padding_of(to, block_bytes, length_bytes, rest, rest_bytes, length);
}

/* ---- the table of an HMAC variant for batches, whatever computes the batch ---- */

/* Defines jm_hmac_<primitive>_<variant>, which leaves all but batches to the implementation
 * `single_`, whose key states it shares. Its tag_batch is
 *     jm_status run_(work_ *, const jm_mac_message *, size_t count, size_t digest_bytes,
 *                    uint64_t live)
 * which ends with JM_ERR_ENDED, whatever tags it has written, if some key is not live, and
 *     void wipe_(work_ *, size_t count)
 * wipes the named secrets in its working memory; stack_ is the stack of the frames of run_. */
#define JM_HMAC_BATCH(primitive_, variant_, features_, target_, note_, lanes_, block_, digest_,    \
                      single_, work_, run_, wipe_, stack_)                                         \
    target_ JM_APART jm_status hmac_##primitive_##_##variant_##_inner(                             \
        work_ *work, const jm_mac_message *messages, size_t count) {                               \
        return run_(work, messages, count, (digest_), JM_LIVE("hmac-" #primitive_, ""));           \
    }                                                                                              \
    static jm_status hmac_##primitive_##_##variant_##_tag_batch(                                   \
        const jm_implementation *self, const jm_mac_message *messages, size_t count) {             \
        work_ work;                                                                                \
        const jm_status status = hmac_##primitive_##_##variant_##_inner(&work, messages, count);   \
        (void)self;                                                                                \
        wipe_(&work, count);                                                                       \
        if (status != JM_OK) jm_take_back(messages, count, (digest_));                             \
        return JM_FORGET(status, stack_);                                                          \
    }                                                                                              \
    static const jm_mac_functions hmac_##primitive_##_##variant_##_functions =                     \
        JM_BATCH_FUNCTIONS(JM_HMAC_KEY_BYTES(block_), sizeof(jm_hmac_stream),                      \
                           hmac_##primitive_##_##variant_##_tag_batch);                            \
    const jm_implementation jm_hmac_##primitive_##_##variant_ = {                                  \
        .algorithm = "hmac-" #primitive_,                                                          \
        .variant = #variant_,                                                                      \
        .note = (note_),                                                                           \
        .kind = JM_KIND_MAC,                                                                       \
        .cpu_features = (features_),                                                               \
        .lanes = (lanes_),                                                                         \
        .constant_time = true,                                                                     \
        .block_bytes = (block_),                                                                   \
        .output_bytes = (digest_),                                                                 \
        .key_bytes_min = 0,                                                                        \
        .key_bytes_max = SIZE_MAX,                                                                 \
        .key_bytes = (digest_),                                                                    \
        .mac = &hmac_##primitive_##_##variant_##_functions,                                        \
        .over = &(single_),                                                                        \
        .live = JM_LIVE("hmac-" #primitive_, ""),                                                  \
    };

#endif
