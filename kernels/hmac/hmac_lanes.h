/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC (RFC 2104) on LANES messages at once, written once over any hash that offers a compression
 * in lanes. Such a hash's lane file (sha1/sha1_lanes.h) includes it at its end, and defines before:
 *
 *   LANES              messages at once, 2 to 64: one, two or four times VEC_LANES
 *   HASH_CHAIN_WORDS   words of a chaining value, as a key state holds it
 *   HASH_DIGEST_WORDS  words of a digest, at most 8
 *   HASH_DIGEST_ORDER  which word of the chaining value is word i of the digest: a list
 *   HASH_LENGTH_BYTES, HASH_BIG_ENDIAN   as in jm_compression
 *   HASH_CODE_BYTES    at least what the longest of absorb_vectors.h's functions takes
 *   HASH_AHEAD_BYTES   bytes of a message from which on runs have code that loads ahead:
 *                      less of the first cache is then left for the rest (Zen 5). Only
 *                      tests define another than the one below.
 *
 *   JM_INLINE void hash_compress(vec_word *state, vec_word *words, unsigned vectors,
 *                                const hash_next_block *next);
 *       The compression of one block of 16 words in each lane of the first 1, 2 or 4
 *       vectors. Word i of lane l is at [i * LANES + l] of `state` and of `words`, which
 *       is used up; both are aligned to 64 bytes. It calls hash_load_ahead(next, step,
 *       steps, vectors) for each step of as many as it likes (load_ahead.h).
 *
 * The variant's file defines LANES, includes the header of its vectors (lanes/v32_*.h, v64_*.h),
 * then the lane file, and ends with JM_HMAC_LANES. Nothing here knows the vectors' kind.
 *
 * Technique: lanes are filled with the batch's messages, longest first (batch_order.h), and
 * refilled as soon as one ends. Whole blocks are read where they lie, in runs of as many as every
 * lane has; the padded end comes from a buffer of the lane. Inner hashes that end wait in a queue
 * of LANES and have their outer hashes computed together, except when all lanes end together, as
 * they do in a batch of equal lengths: then the outer hash follows in place. When no message waits,
 * the lanes still at work are moved together, so that vectors without any are left out. State:
 * everything secret is in one `hmac_secret` on the stack, wiped once per call. Constant time: as
 * far as the hash's functions are; the numbers of blocks alone, which are public, decide which
 * lanes work on what.
 */
#ifndef JM_HMAC_LANES_H
#define JM_HMAC_LANES_H

#if !defined(LANES) || !defined(VEC_LANES)
#error "a variant's file defines LANES and includes a vector header"
#endif
#if !defined(HASH_CHAIN_WORDS) || !defined(HASH_DIGEST_WORDS) || !defined(HASH_DIGEST_ORDER) ||    \
    !defined(HASH_LENGTH_BYTES) || !defined(HASH_BIG_ENDIAN) || !defined(HASH_CODE_BYTES)
#error "a parameter of hmac/hmac_lanes.h is missing"
#endif
#ifndef HASH_AHEAD_BYTES
#define HASH_AHEAD_BYTES 2048
#endif
_Static_assert(LANES >= 2 && LANES <= 64, "a set of lanes is a word of 64 bits");
_Static_assert(HASH_DIGEST_WORDS <= HASH_CHAIN_WORDS && HASH_CHAIN_WORDS <= 8, "a row has 8 words");

#include "common/padding.h"
#include "hmac/absorb_vectors.h"
#include "hmac/batch_order.h"
#include "hmac/hmac_batch.h"

typedef uint64_t lane_set; /* bit l: lane l */
#define LANES_ALL ((lane_set)(~UINT64_C(0) >> (64 - LANES)))

/* The secret part: word-sliced, and the ends of messages. */
typedef struct {
    _Alignas(JM_STATE_ALIGN) vec_word state[HASH_CHAIN_WORDS * LANES]; /* inner hashes at work */
    _Alignas(JM_STATE_ALIGN) vec_word words[HASH_BLOCK_WORDS * LANES];
    _Alignas(
        JM_STATE_ALIGN) vec_word closing[HASH_CHAIN_WORDS * LANES]; /* inner hashes that ended */
    _Alignas(JM_STATE_ALIGN) uint8_t padding[LANES][2 * HASH_BLOCK_BYTES];
    _Alignas(JM_STATE_ALIGN) vec_word parts[HASH_BLOCK_WORDS * LANES];
    bool parts_used;
    uint64_t ended; /* not 0: some key was not live */
} hmac_secret;

/* The public part: who is where. */
typedef struct {
    const jm_mac_message *message[LANES];
    const uint8_t *next[LANES]; /* where the lane's next block is */
    uint64_t blocks[LANES];     /* how many follow there; UINT64_MAX in an idle lane */
    lane_set working;
    lane_set in_padding; /* working lanes whose `next` is in their padding */

    const jm_mac_message *closing[LANES]; /* whose inner hashes wait in hmac_secret.closing */
    size_t closing_count;

    const jm_mac_message *slice; /* the part of the batch that `order` is about */
    size_t slice_count, slice_taken;
    size_t later; /* messages after the slice */
    uint8_t order[BATCH_SLICE];
} hmac_schedule;

static inline size_t lane_count(lane_set lanes) {
    return (size_t)__builtin_popcountll(lanes);
}
static inline unsigned lowest_lane(lane_set lanes) {
    return (unsigned)__builtin_ctzll(lanes);
}
static inline unsigned highest_lane(lane_set lanes) {
    return 63u - (unsigned)__builtin_clzll(lanes);
}
static inline size_t hmac_vectors(size_t lanes) {
    return (lanes + VEC_LANES - 1) / VEC_LANES;
}

static const jm_hmac_key *hmac_key_of(const jm_mac_message *message) {
    return message->key_state;
}

/* 0 if the key is live. */
JM_INLINE uint64_t hmac_not_live(const jm_mac_message *message) {
    return *jm_hmac_live((jm_hmac_key *)(uintptr_t)message->key_state, HASH_BLOCK_BYTES) ^ JM_LIVE;
}

/* The next message of the batch, or NULL. */
static inline const jm_mac_message *hmac_take_message(hmac_schedule *s) {
    if (s->slice_taken == s->slice_count) {
        if (s->later == 0) return NULL;
        s->slice += s->slice_count;
        s->slice_count = s->later < BATCH_SLICE ? s->later : BATCH_SLICE;
        s->later -= s->slice_count;
        s->slice_taken = 0;
        batch_order(s->slice, s->slice_count, HASH_BLOCK_BYTES, s->order);
    }
    return s->slice + s->order[s->slice_taken++];
}

/* Points a lane to the padded end of its message: the last `rest` bytes, at `from`. */
JM_INLINE void hmac_enter_padding(hmac_secret *w, hmac_schedule *s, unsigned lane,
                                  const uint8_t *from, size_t rest) {
    static const jm_compression shape = {.length_bytes = HASH_LENGTH_BYTES,
                                         .length_big_endian = HASH_BIG_ENDIAN};
    const jm_quad length =
        jm_quad_length(&shape, HASH_BLOCK_BYTES + (uint64_t)s->message[lane]->message_bytes);
    s->next[lane] = w->padding[lane];
    s->blocks[lane] =
        jm_padding(w->padding[lane], HASH_BLOCK_BYTES, HASH_LENGTH_BYTES, from, rest, length);
}

/* The same once the lane has absorbed the message's whole blocks. */
JM_INLINE void hmac_end_message(hmac_secret *w, hmac_schedule *s, unsigned lane) {
    const jm_mac_message *message = s->message[lane];
    const size_t rest = message->message_bytes % HASH_BLOCK_BYTES;
    hmac_enter_padding(w, s, lane, s->next[lane], rest);
}

/* Gives a lane a message, whose chaining value is the caller's to load. Returns 1 if the lane is in
 * the message's padding already, else 0: callers gather the bits of many lanes in a register. */
JM_INLINE lane_set hmac_enter_message(hmac_secret *w, hmac_schedule *s, unsigned lane,
                                      const jm_mac_message *message) {
    const size_t whole = message->message_bytes / HASH_BLOCK_BYTES;
    s->message[lane] = message;
    if (whole == 0) {
        hmac_enter_padding(w, s, lane, message->message, message->message_bytes);
        return 1;
    }
    s->next[lane] = message->message;
    s->blocks[lane] = whole;
    return 0;
}

/* Fills lanes when all are idle: the chaining values are loaded together. */
JM_INLINE void hmac_fill_all(hmac_secret *w, hmac_schedule *s) {
    const uint8_t *chains[LANES];
    unsigned filled = 0;
    lane_set in_padding = 0;
    uint64_t ended = 0;
    for (const jm_mac_message *message; filled < LANES && (message = hmac_take_message(s));
         filled++) {
        in_padding |= hmac_enter_message(w, s, filled, message) << filled;
        ended |= hmac_not_live(message);
        chains[filled] = hmac_key_of(message)->inner;
    }
    w->ended |= ended;
    if (filled == 0) return;
    s->working = LANES_ALL >> (LANES - filled);
    s->in_padding = in_padding;
    for (unsigned lane = filled; lane < LANES; lane++) chains[lane] = chains[0];
    hash_load_chains(w->state, chains, hmac_vectors(filled));
}

JM_INLINE void hmac_fill_idle(hmac_secret *w, hmac_schedule *s) {
    lane_set entered = 0, in_padding = 0;
    for (lane_set idle = LANES_ALL & ~s->working; idle; idle &= idle - 1) {
        const jm_mac_message *message = hmac_take_message(s);
        if (message == NULL) break;
        const unsigned lane = lowest_lane(idle);
        in_padding |= hmac_enter_message(w, s, lane, message) << lane;
        w->ended |= hmac_not_live(message);
        entered |= UINT64_C(1) << lane;
        for (size_t i = 0; i < HASH_CHAIN_WORDS; i++)
            memcpy(&w->state[i * LANES + lane], hmac_key_of(message)->inner + i * HASH_WORD_BYTES,
                   HASH_WORD_BYTES);
    }
    s->working |= entered;
    s->in_padding = (s->in_padding & ~entered) | in_padding;
}

/* Moves the highest working lanes into idle ones below while that frees a group. */
JM_INLINE void hmac_move_together(hmac_secret *w, hmac_schedule *s) {
    if (LANES == VEC_LANES) return;
    const size_t needed = hmac_vectors(lane_count(s->working)) * VEC_LANES;
    while (highest_lane(s->working) >= needed) {
        const unsigned from = highest_lane(s->working), to = lowest_lane(~s->working);
        for (size_t i = 0; i < HASH_CHAIN_WORDS; i++)
            w->state[i * LANES + to] = w->state[i * LANES + from];
        s->message[to] = s->message[from];
        s->next[to] = s->next[from]; /* perhaps into padding[from], which nobody else needs now */
        s->blocks[to] = s->blocks[from];
        s->in_padding &= ~(UINT64_C(1) << to);
        s->in_padding |= (s->in_padding >> from & 1) << to;
        s->working ^= UINT64_C(1) << from | UINT64_C(1) << to;
    }
}

/* Absorbs as many blocks as every working lane has, and returns the lanes that then have none. An
 * idle lane of a working group follows another, so that it reads valid memory. */
JM_INLINE lane_set hmac_absorb_together(hmac_secret *w, hmac_schedule *s) {
    const size_t vectors = hmac_vectors(highest_lane(s->working) + 1u);
    const uint8_t *valid = s->next[lowest_lane(s->working)];
    for (lane_set idle = ~s->working & LANES_ALL; idle; idle &= idle - 1) {
        s->next[lowest_lane(idle)] = valid;
        s->blocks[lowest_lane(idle)] = UINT64_MAX;
    }
    uint64_t blocks = UINT64_MAX;
    for (size_t lane = 0; lane < LANES; lane++)
        blocks = s->blocks[lane] < blocks ? s->blocks[lane] : blocks;
    w->parts_used |= hash_absorb_run(w->state, w->words, w->parts, s->next, blocks, vectors);
    lane_set ended = 0;
    for (size_t lane = 0; lane < LANES; lane++) {
        s->next[lane] += blocks * HASH_BLOCK_BYTES;
        s->blocks[lane] -= blocks;
        ended |= (lane_set)(s->blocks[lane] == 0) << lane;
    }
    return ended;
}

/* Three places close lanes. Clang's code of all three is too much for the first cache beside the
 * rounds. Of SHA-512, which has digests of two lengths, each must know how long a tag is, or copies
 * of tags become calls. */
#if defined(__clang__) && HASH_LENGTH_BYTES == 8
#define HMAC_CLOSE_LANES JM_ONCE
#else
#define HMAC_CLOSE_LANES JM_INLINE
#endif

/* The outer hashes of the `count` >= 1 inner hashes in lanes 0 to count - 1 of `chains`, which is
 * used up. */
HMAC_CLOSE_LANES void hmac_close_lanes(hmac_secret *w, vec_word *chains,
                                       const jm_mac_message *const *messages, size_t count,
                                       size_t digest_bytes) {
    const size_t vectors = hmac_vectors(count), digest_words = digest_bytes / HASH_WORD_BYTES;
    const vec_word bits = (vec_word)(8 * (HASH_BLOCK_BYTES + digest_bytes));
    const vec_word mark =
        HASH_BIG_ENDIAN ? (vec_word)1 << (8 * HASH_WORD_BYTES - 1) : (vec_word)0x80;
    const size_t bits_at = HASH_BIG_ENDIAN ? HASH_BLOCK_WORDS - 1
                                           : HASH_BLOCK_WORDS - HASH_LENGTH_BYTES / HASH_WORD_BYTES;
    for (size_t i = 0; i < digest_words; i++)
        memcpy(w->words + i * LANES, chains + hash_digest_order[i] * LANES,
               LANES * HASH_WORD_BYTES);
    for (size_t i = digest_words; i < HASH_BLOCK_WORDS; i++) {
        const vec_word constant = i == digest_words ? mark : i == bits_at ? bits : 0;
        for (size_t lane = 0; lane < LANES; lane++) w->words[i * LANES + lane] = constant;
        JM_KEEP_LOOP(); /* or Clang scatters over the rows, instead of filling each */
    }
    const uint8_t *outer[LANES];
    for (size_t lane = 0; lane < LANES; lane++) {
        outer[lane] = hmac_key_of(messages[lane < count ? lane : 0])->outer;
        JM_KEEP_LOOP(); /* or Clang gathers, which takes longer than single loads */
    }
    hash_load_chains(chains, outer, vectors);
    hash_absorb_block(chains, w->words, vectors);
    hash_store_digests(chains, w->words, vectors);
    for (size_t lane = 0; lane < count; lane++)
        memcpy(messages[lane]->tag, w->words + HASH_ROW_WORDS * lane, digest_bytes);
}

JM_INLINE void hmac_queue_lane(hmac_secret *w, hmac_schedule *s, unsigned lane,
                               size_t digest_bytes) {
    if (s->closing_count == 0) memset(w->closing, 0, sizeof w->closing);
    const size_t place = s->closing_count++;
    s->closing[place] = s->message[lane];
    for (size_t i = 0; i < HASH_CHAIN_WORDS; i++)
        w->closing[i * LANES + place] = w->state[i * LANES + lane];
    if (s->closing_count < LANES) return;
    hmac_close_lanes(w, w->closing, s->closing, LANES, digest_bytes);
    s->closing_count = 0;
}

/* Closes the lanes whose inner hashes are complete, or queues them. */
JM_INLINE void hmac_retire(hmac_secret *w, hmac_schedule *s, lane_set complete,
                           size_t digest_bytes) {
    const bool together = complete == s->working && (complete & (complete + 1)) == 0;
    s->working &= ~complete;
    if (together && (complete == LANES_ALL || s->closing_count == 0)) {
        hmac_close_lanes(w, w->state, s->message, lane_count(complete), digest_bytes);
        return;
    }
    for (; complete; complete &= complete - 1)
        hmac_queue_lane(w, s, lowest_lane(complete), digest_bytes);
}

/* What a batch is computed in, in the frame of the outer half (common/forget.h). */
typedef struct {
    hmac_secret secret;
    hmac_schedule public;
} hmac_lanes;

/* In pieces small enough that each is a few vector stores, not a call. The second block of a
 * padding has nothing of the message in it. */
JM_INLINE void hmac_lanes_wipe(hmac_lanes *work, size_t count) {
    hmac_secret *const w = &work->secret;
    (void)count;
    for (size_t i = 0; i < HASH_CHAIN_WORDS; i++) {
        jm_wipe(w->state + i * LANES, LANES * HASH_WORD_BYTES);
        jm_wipe(w->closing + i * LANES, LANES * HASH_WORD_BYTES);
    }
    for (size_t i = 0; i < HASH_BLOCK_WORDS; i++)
        jm_wipe(w->words + i * LANES, LANES * HASH_WORD_BYTES);
    for (size_t lane = 0; lane < LANES; lane++) jm_wipe(w->padding[lane], HASH_BLOCK_BYTES);
    if (w->parts_used) jm_wipe(w->parts, sizeof w->parts);
}

JM_INLINE jm_status hmac_lanes_tag(hmac_lanes *work, const jm_mac_message *messages, size_t count,
                                   size_t digest_bytes) {
    hmac_secret *w = &work->secret;
    hmac_schedule *s = &work->public;
    s->working = s->in_padding = 0;
    s->closing_count = 0;
    s->slice = messages;
    s->slice_count = s->slice_taken = 0;
    s->later = count;
    w->parts_used = false;
    w->ended = 0;
    for (;;) {
        JM_HIDE("r", work);
        w = &work->secret;
        s = &work->public;
        if (s->working == 0)
            hmac_fill_all(w, s);
        else if (s->working != LANES_ALL)
            hmac_fill_idle(w, s);
        if (s->working == 0) break;
        hmac_move_together(w, s);
        const lane_set ended = hmac_absorb_together(w, s);
        const lane_set complete = ended & s->in_padding;
        for (lane_set whole = ended & ~complete; whole; whole &= whole - 1)
            hmac_end_message(w, s, lowest_lane(whole));
        s->in_padding |= ended;
        if (complete) hmac_retire(w, s, complete, digest_bytes);
    }
    if (s->closing_count)
        hmac_close_lanes(w, w->closing, s->closing, s->closing_count, digest_bytes);
    return w->ended ? JM_ERR_ENDED : JM_OK;
}

/* Pointers of all lanes, twice, and what the compression spills: SHA-2 in two vectors most, SHA-1
 * least, and what Clang's of MD5 loads too far ahead. */
#if defined(__clang__)
#define HMAC_LANES_STACK_BYTES (HASH_CHAIN_WORDS == 5 ? 1792 : 2816)
#else
#define HMAC_LANES_STACK_BYTES (LANES == VEC_LANES ? 1408 : HASH_CHAIN_WORDS == 8 ? 2880 : 1408)
#endif

/* The last line of a variant's file: defines jm_hmac_<primitive>_<variant>, which leaves all but
 * batches to the implementation `single_`, whose key states it shares. */
#define JM_HMAC_LANES(primitive_, variant_, features_, note_, digest_, single_)                    \
    JM_HMAC_BATCH(primitive_, variant_, features_, JM_TARGET_ANY, note_, LANES, HASH_BLOCK_BYTES,  \
                  digest_, single_, hmac_lanes, hmac_lanes_tag, hmac_lanes_wipe,                   \
                  HMAC_LANES_STACK_BYTES)

#endif
