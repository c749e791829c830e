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
 *   HASH_CODE_BYTES    at least the size of the longest function of absorb_vectors.h
 *   HASH_AHEAD_BYTES   length of the shortest run that loads ahead: the code for that
 *                      leaves less of the first-level cache to the rest (Zen 5). Only
 *                      tests define another value than the one below.
 *
 *   JM_INLINE void hash_compress(vec_word *state, vec_word *words, unsigned vectors,
 *                                const hash_next_block *next);
 *       The compression of one block of 16 words in each lane of the first 1, 2 or 4
 *       vectors. Word i of lane l is at [i * LANES + l] of `state` and of `words`, which
 *       is used up; both are aligned to 64 bytes. It divides its work into steps, in each
 *       of which it calls hash_load_ahead(next, step, steps, vectors) (load_ahead.h).
 *
 * The variant's file defines LANES, includes the header of its vectors (lanes/v32_*.h, v64_*.h),
 * then the lane file, and ends with JM_HMAC_LANES. Nothing here knows the vectors' kind.
 *
 * Technique: slices of a batch whose messages have one length come first (hmac_equal_lanes.h). From
 * the first slice on that mixes lengths, lanes are filled with messages, longest first
 * (batch_order.h), and refilled as soon as one ends. Whole blocks are read where they lie, in runs
 * of as many as every lane has; the padded end comes from a buffer of the lane. Inner hashes that
 * end wait in a queue of LANES and have their outer hashes computed together, except when all lanes
 * end together: then the outer hash follows in place. When no message waits, the lanes still at
 * work are moved together, so that vectors without working lanes are left out.
 * State: everything secret is in one `hmac_secret` on the stack, wiped once per call.
 * Constant time: as far as the hash's functions are; lengths, the numbers of blocks and whether
 * messages have one key, which are public, decide which lane works on which message.
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

#include "hmac/batch_order.h"
#include "hmac/hmac_batch.h"
#include "hmac/hmac_equal_lanes.h"

typedef uint64_t lane_set; /* bit l: lane l */
#define LANES_ALL ((lane_set)(~UINT64_C(0) >> (64 - LANES)))

/* The public part: which message is in which lane, and where. */
typedef struct {
    hmac_turn turn;
    uint64_t blocks[LANES]; /* blocks that follow at turn.next; UINT64_MAX in an idle lane */
    lane_set working;
    lane_set in_padding; /* working lanes whose turn.next is in their padding */

    const jm_mac_message *closing[LANES]; /* whose inner hashes wait in hmac_secret.closing */
    size_t closing_count;

    const jm_mac_message *slice; /* the part of the batch that `order` sorts */
    size_t slice_count, slice_taken;
    size_t later; /* messages after the slice */
    uint8_t order[BATCH_SLICE];
    uint64_t live; /* the mark of the keys */
    bool ended;    /* a key of the last slice has another mark: none of its messages was taken */
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

/* The next message of the batch, or NULL, also if a key of the next slice is not live. */
static inline const jm_mac_message *hmac_take_message(hmac_schedule *s) {
    if (s->slice_taken == s->slice_count) {
        if (s->later == 0 || s->ended) return NULL;
        s->slice += s->slice_count;
        s->slice_count = s->later < BATCH_SLICE ? s->later : BATCH_SLICE;
        s->ended = !hmac_all_live(s->slice, s->slice_count, s->live);
        if (s->ended) s->slice_count = 0;
        if (s->ended) return NULL;
        s->later -= s->slice_count;
        s->slice_taken = 0;
        batch_order(s->slice, s->slice_count, HASH_BLOCK_BYTES, s->order);
    }
    return s->slice + s->order[s->slice_taken++];
}

/* Points a lane to the padded end of its message: the last `rest` bytes, at `from`. */
JM_INLINE void hmac_enter_padding(hmac_secret *w, hmac_schedule *s, unsigned lane,
                                  const uint8_t *from, size_t rest) {
    const jm_quad length = jm_quad_length(
        &hmac_shape, HASH_BLOCK_BYTES + (uint64_t)s->turn.message[lane]->message_bytes);
    s->turn.next[lane] = w->padding[lane];
    s->blocks[lane] =
        jm_padding(w->padding[lane], HASH_BLOCK_BYTES, HASH_LENGTH_BYTES, from, rest, length);
}

/* The same once the lane has absorbed the message's whole blocks. */
JM_INLINE void hmac_end_message(hmac_secret *w, hmac_schedule *s, unsigned lane) {
    const jm_mac_message *message = s->turn.message[lane];
    const size_t rest = message->message_bytes % HASH_BLOCK_BYTES;
    hmac_enter_padding(w, s, lane, s->turn.next[lane], rest);
}

/* Gives a lane a message, whose chaining value the caller loads. Returns 1 if the lane is in the
 * message's padding already, else 0: callers gather the bits of many lanes in a register. */
JM_INLINE lane_set hmac_enter_message(hmac_secret *w, hmac_schedule *s, unsigned lane,
                                      const jm_mac_message *message) {
    const size_t whole = message->message_bytes / HASH_BLOCK_BYTES;
    s->turn.message[lane] = message;
    if (whole == 0) {
        hmac_enter_padding(w, s, lane, message->message, message->message_bytes);
        return 1;
    }
    s->turn.next[lane] = message->message;
    s->blocks[lane] = whole;
    return 0;
}

/* Fills lanes when all are idle: the chaining values are loaded together. */
JM_INLINE void hmac_fill_all(hmac_secret *w, hmac_schedule *s) {
    const uint8_t *chains[LANES];
    unsigned filled = 0;
    lane_set in_padding = 0;
    for (const jm_mac_message *message; filled < LANES && (message = hmac_take_message(s));
         filled++) {
        in_padding |= hmac_enter_message(w, s, filled, message) << filled;
        chains[filled] = hmac_key_of(message)->inner;
    }
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
        entered |= UINT64_C(1) << lane;
        for (size_t i = 0; i < HASH_CHAIN_WORDS; i++)
            memcpy(&w->state[i * LANES + lane], hmac_key_of(message)->inner + i * HASH_WORD_BYTES,
                   HASH_WORD_BYTES);
    }
    s->working |= entered;
    s->in_padding = (s->in_padding & ~entered) | in_padding;
}

/* Moves the highest working lanes into idle lanes below while that frees a vector. */
JM_INLINE void hmac_move_together(hmac_secret *w, hmac_schedule *s) {
    if (LANES == VEC_LANES) return;
    const size_t needed = hmac_vectors(lane_count(s->working)) * VEC_LANES;
    while (highest_lane(s->working) >= needed) {
        const unsigned from = highest_lane(s->working), to = lowest_lane(~s->working);
        for (size_t i = 0; i < HASH_CHAIN_WORDS; i++)
            w->state[i * LANES + to] = w->state[i * LANES + from];
        s->turn.message[to] = s->turn.message[from];
        /* The pointer may lie in padding[from], which no other lane needs now. */
        s->turn.next[to] = s->turn.next[from];
        s->blocks[to] = s->blocks[from];
        s->in_padding &= ~(UINT64_C(1) << to);
        s->in_padding |= (s->in_padding >> from & 1) << to;
        s->working ^= UINT64_C(1) << from | UINT64_C(1) << to;
    }
}

/* Absorbs as many blocks as every working lane has, and returns the lanes that then have none. An
 * idle lane of a working vector reads where another lane reads, which is valid memory. */
JM_INLINE lane_set hmac_absorb_together(hmac_secret *w, hmac_schedule *s) {
    const size_t vectors = hmac_vectors(highest_lane(s->working) + 1u);
    const uint8_t *valid = s->turn.next[lowest_lane(s->working)];
    for (lane_set idle = ~s->working & LANES_ALL; idle; idle &= idle - 1) {
        s->turn.next[lowest_lane(idle)] = valid;
        s->blocks[lowest_lane(idle)] = UINT64_MAX;
    }
    uint64_t blocks = UINT64_MAX;
    for (size_t lane = 0; lane < LANES; lane++)
        blocks = s->blocks[lane] < blocks ? s->blocks[lane] : blocks;
    w->parts_used |= hash_absorb_run(w->state, w->words, w->parts, s->turn.next, blocks, vectors);
    lane_set ended = 0;
    for (size_t lane = 0; lane < LANES; lane++) {
        s->turn.next[lane] += blocks * HASH_BLOCK_BYTES;
        s->blocks[lane] -= blocks;
        ended |= (lane_set)(s->blocks[lane] == 0) << lane;
    }
    return ended;
}

JM_INLINE void hmac_queue_lane(hmac_secret *w, hmac_schedule *s, unsigned lane,
                               size_t digest_bytes) {
    if (s->closing_count == 0) memset(w->closing, 0, sizeof w->closing);
    w->closing_used = true;
    const size_t place = s->closing_count++;
    s->closing[place] = s->turn.message[lane];
    for (size_t i = 0; i < HASH_CHAIN_WORDS; i++)
        w->closing[i * LANES + place] = w->state[i * LANES + lane];
    if (s->closing_count < LANES) return;
    hmac_close_lanes(w, w->closing, s->closing, LANES, false, digest_bytes);
    s->closing_count = 0;
}

/* Closes the lanes whose inner hashes are complete, or queues them. */
JM_INLINE void hmac_retire(hmac_secret *w, hmac_schedule *s, lane_set complete,
                           size_t digest_bytes) {
    const bool together = complete == s->working && (complete & (complete + 1)) == 0;
    s->working &= ~complete;
    if (together && (complete == LANES_ALL || s->closing_count == 0)) {
        hmac_close_lanes(w, w->state, s->turn.message, lane_count(complete), false, digest_bytes);
        return;
    }
    for (; complete; complete &= complete - 1)
        hmac_queue_lane(w, s, lowest_lane(complete), digest_bytes);
}

/* Working memory of a batch, in the frame of the outer half (common/secret.h). */
typedef struct {
    hmac_secret secret;
    hmac_schedule public;
} hmac_lanes;

/* Wipes in pieces so small that each is a few vector stores, not a call. The second block of a
 * padding has no byte of the message in it. */
JM_INLINE void hmac_lanes_wipe(hmac_lanes *work, size_t count) {
    hmac_secret *const w = &work->secret;
    (void)count;
    for (size_t i = 0; i < HASH_CHAIN_WORDS; i++)
        jm_wipe(w->state + i * LANES, LANES * HASH_WORD_BYTES);
    if (w->closing_used)
        for (size_t i = 0; i < HASH_CHAIN_WORDS; i++)
            jm_wipe(w->closing + i * LANES, LANES * HASH_WORD_BYTES);
    for (size_t i = 0; i < HASH_BLOCK_WORDS; i++)
        jm_wipe(w->words + i * LANES, LANES * HASH_WORD_BYTES);
    if (w->padding_used)
        for (size_t lane = 0; lane < LANES; lane++) jm_wipe(w->padding[lane], HASH_BLOCK_BYTES);
    if (w->parts_used) jm_wipe(w->parts, sizeof w->parts);
}

/* Tags the slices before the first that mixes lengths, or has a key that is not live; returns how
 * many messages they have. */
JM_INLINE size_t hmac_tag_equal_slices(hmac_secret *w, hmac_turn *turn,
                                       const jm_mac_message *messages, size_t count,
                                       size_t digest_bytes, uint64_t live) {
    size_t done = 0, slice;
    for (; done < count; done += slice) {
        bool one_key;
        slice = count - done < BATCH_SLICE ? count - done : BATCH_SLICE;
        if (!hmac_all_equal(messages + done, slice, &one_key) ||
            !hmac_all_live(messages + done, one_key ? 1 : slice, live))
            break;
        hmac_tag_equal(w, turn, messages + done, slice, one_key, digest_bytes);
    }
    return done;
}

JM_INLINE jm_status hmac_lanes_tag(hmac_lanes *work, const jm_mac_message *messages, size_t count,
                                   size_t digest_bytes, uint64_t live) {
    hmac_secret *w = &work->secret;
    hmac_schedule *s = &work->public;
    s->working = s->in_padding = 0;
    s->closing_count = 0;
    w->parts_used = w->closing_used = w->padding_used = false;
    s->ended = false;
    s->live = live;
    const size_t equal = hmac_tag_equal_slices(w, &s->turn, messages, count, digest_bytes, live);
    if (equal == count) return JM_OK;
    s->slice = messages + equal;
    s->slice_count = s->slice_taken = 0;
    s->later = count - equal;
    w->padding_used = true;
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
        hmac_close_lanes(w, w->closing, s->closing, s->closing_count, false, digest_bytes);
    return s->ended ? JM_ERR_ENDED : JM_OK;
}

/* Pointers of all lanes, twice, the registers that the compression spills (most for SHA-2 in two
 * vectors, least for SHA-1), and the words that Clang's MD5 loads too far ahead. */
#if defined(__clang__)
#define HMAC_LANES_STACK_BYTES (HASH_CHAIN_WORDS == 5 ? 1792 : HASH_CHAIN_WORDS == 4 ? 3328 : 2816)
#else
#define HMAC_LANES_STACK_BYTES (LANES == VEC_LANES ? 1664 : HASH_CHAIN_WORDS == 8 ? 2880 : 1792)
#endif

/* The last line of a variant's file: defines jm_hmac_<primitive>_<variant>, which leaves all but
 * batches to the implementation `single_`, whose key states it shares. */
#define JM_HMAC_LANES(primitive_, variant_, features_, note_, digest_, single_)                    \
    JM_HMAC_BATCH(primitive_, variant_, features_, JM_TARGET_ANY, note_, LANES, HASH_BLOCK_BYTES,  \
                  digest_, single_, hmac_lanes, hmac_lanes_tag, hmac_lanes_wipe,                   \
                  HMAC_LANES_STACK_BYTES)

#endif
