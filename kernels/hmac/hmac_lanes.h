/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC (RFC 2104) on LANES messages at once, written once over any hash that offers a compression
 * in lanes.
 *
 * The includer defines: what hash_lanes.h lists. A hash's lane file (sha1/sha1_lanes.h) includes
 * this file below its parameters and above its hash_compress. The variant's file defines LANES,
 * includes the header of its vectors, then the lane file, and ends with JM_HMAC_LANES.
 *
 * Technique: slices of a batch whose messages have one length come first. From the first slice on
 * that mixes lengths, lanes are filled with messages, longest first (common/batch_variant.h), and
 * refilled as soon as one ends. Whole blocks are read where they lie, in runs of as many as every
 * lane has; the padded end comes from a buffer of the lane. Inner hashes that end wait in a queue
 * of LANES and have their outer hashes computed together, except when all lanes end together: then
 * the outer hash follows in place. When no message waits, the lanes still at work are moved
 * together, so that vectors without working lanes are left out. State: everything secret is in one
 * `hmac_secret` on the stack, wiped once per call. Constant time: as far as the hash's functions
 * are; lengths, the numbers of blocks and whether messages have one key, which are public, decide
 * which lane works on which message.
 */
#ifndef JM_HMAC_LANES_H
#define JM_HMAC_LANES_H

#include "common/batch_variant.h"
#include "common/merkle_damgard.h"
#include "hmac/hash_lanes.h"

/* ---- working memory, and the outer hashes ---- */

/* The secret part: word-sliced values, and the ends of messages. */
typedef struct {
    _Alignas(JM_STATE_ALIGN) vec_word state[HASH_CHAIN_WORDS * LANES]; /* inner hashes at work */
    _Alignas(JM_STATE_ALIGN) vec_word words[HASH_BLOCK_WORDS * LANES];
    _Alignas(
        JM_STATE_ALIGN) vec_word closing[HASH_CHAIN_WORDS * LANES]; /* inner hashes that ended */
    _Alignas(JM_STATE_ALIGN) uint8_t padding[LANES][2 * HASH_BLOCK_BYTES];
    _Alignas(JM_STATE_ALIGN) vec_word parts[HASH_BLOCK_WORDS * LANES];
    bool parts_used, closing_used, padding_used;
} hmac_secret;

/* The message in each lane, and the address of its next block. Public. */
typedef struct {
    const jm_mac_message *message[LANES];
    const uint8_t *next[LANES];
} hmac_turn;

static const jm_compression hmac_shape = {.length_bytes = HASH_LENGTH_BYTES,
                                          .length_big_endian = HASH_BIG_ENDIAN};

static const jm_hmac_key *hmac_key_of(const jm_mac_message *message) {
    return jm_hmac_key_of(message->key_state, HASH_BLOCK_BYTES);
}

JM_INLINE bool hmac_all_live(const jm_mac_message *messages, size_t count, uint64_t live) {
    return jm_all_live(messages, count, JM_HMAC_LIVE_AT(HASH_BLOCK_BYTES), live);
}

/* Four places close lanes. Clang's code of all four, beside the rounds, overfills the first-level
 * cache. For SHA-512, which has digests of two lengths, each place must know the length of a tag,
 * or copies of tags become calls. */
#if defined(__clang__) && HASH_LENGTH_BYTES == 8
#define HMAC_CLOSE_LANES JM_ONCE
#else
#define HMAC_CLOSE_LANES JM_INLINE
#endif

/* The outer hashes of the `count` >= 1 inner hashes in lanes 0 to count - 1 of `chains`, which is
 * used up. */
HMAC_CLOSE_LANES void hmac_close_lanes(hmac_secret *w, vec_word *chains,
                                       const jm_mac_message *const *messages, size_t count,
                                       bool one_key, size_t digest_bytes) {
    const size_t vectors = hash_vectors(count), digest_words = digest_bytes / HASH_WORD_BYTES;
    for (size_t i = 0; i < digest_words; i++)
        memcpy(w->words + i * LANES, chains + hash_digest_order[i] * LANES,
               LANES * HASH_WORD_BYTES);
    hash_fill_rows(w->words, digest_words, HASH_MARK, HASH_BLOCK_BYTES + digest_bytes);
    if (one_key) {
        hash_repeat_chain(chains, hmac_key_of(messages[0])->outer, vectors);
    } else {
        const uint8_t *outer[LANES];
        for (size_t lane = 0; lane < LANES; lane++) {
            outer[lane] = hmac_key_of(messages[lane < count ? lane : 0])->outer;
            JM_KEEP_LOOP(); /* or Clang gathers, which takes longer than single loads */
        }
        hash_load_chains(chains, outer, vectors);
    }
    hash_absorb_block(chains, w->words, vectors);
    hash_store_digests(chains, w->words, vectors);
    for (size_t lane = 0; lane < count; lane++)
        memcpy(messages[lane]->tag, w->words + HASH_ROW_WORDS * lane, digest_bytes);
}

/* ---- messages of one length: nothing to sort, to refill or to queue ----
 *
 * A last block that is the same for all messages, because they end with a whole block, is filled in
 * row by row, not built for each lane and transposed. The chaining values of a shared key are
 * repeated in all lanes. For 64 messages of 64 bytes this takes a fifth off HMAC-MD5 and SHA-1, a
 * tenth off SHA-256 (Zen 5, GCC 12). */

/* Whether `count` >= 1 messages have one length; if so, *one_key says whether one key as well. */
static inline bool hmac_all_equal(const jm_mac_message *messages, size_t count, bool *one_key) {
    uintptr_t keys = 0;
    for (size_t i = 1; i < count; i++) {
        if (messages[i].message_bytes != messages->message_bytes) return false;
        keys |= (uintptr_t)messages[i].key_state ^ (uintptr_t)messages->key_state;
    }
    *one_key = keys == 0;
    return true;
}

/* Points all lanes to the padded ends of their messages: the last `rest` bytes, at `offset`. */
JM_INLINE void hmac_pad_lanes(hmac_secret *w, hmac_turn *turn, size_t offset, size_t rest,
                              uint64_t hashed_bytes) {
    const jm_quad length = jm_quad_length(&hmac_shape, hashed_bytes);
    for (size_t lane = 0; lane < LANES; lane++) {
        jm_padding(w->padding[lane], HASH_BLOCK_BYTES, HASH_LENGTH_BYTES, turn->next[lane] + offset,
                   rest, length);
        turn->next[lane] = w->padding[lane];
    }
}

/* Tags `count` >= 1 messages of one length, LANES at a time. Idle lanes of the last turn repeat its
 * first message. */
JM_INLINE void hmac_tag_equal(hmac_secret *w, hmac_turn *turn, const jm_mac_message *messages,
                              size_t count, bool one_key, size_t digest_bytes) {
    const size_t message_bytes = messages->message_bytes;
    const size_t whole = message_bytes / HASH_BLOCK_BYTES, rest = message_bytes % HASH_BLOCK_BYTES;
    const uint64_t hashed_bytes = HASH_BLOCK_BYTES + (uint64_t)message_bytes;
    w->padding_used |= rest != 0;
    while (count) {
        const size_t now = count < LANES ? count : LANES, vectors = hash_vectors(now);
        for (size_t lane = 0; lane < LANES; lane++) {
            turn->message[lane] = messages + (lane < now ? lane : 0);
            turn->next[lane] = turn->message[lane]->message;
            JM_KEEP_LOOP(); /* see hmac_close_lanes */
        }
        if (one_key) {
            hash_repeat_chain(w->state, hmac_key_of(messages)->inner, vectors);
        } else {
            const uint8_t *chains[LANES];
            for (size_t lane = 0; lane < LANES; lane++) {
                chains[lane] = hmac_key_of(turn->message[lane])->inner;
                JM_KEEP_LOOP();
            }
            hash_load_chains(w->state, chains, vectors);
        }
        /* One place absorbs all blocks, or the compiler writes out the transposition twice. */
        size_t blocks = whole;
        for (bool padded = rest == 0;; padded = true) {
            if (blocks)
                w->parts_used |=
                    hash_absorb_run(w->state, w->words, w->parts, turn->next, blocks, vectors);
            if (padded) break;
            hmac_pad_lanes(w, turn, whole * HASH_BLOCK_BYTES, rest, hashed_bytes);
            blocks = 1;
        }
        if (rest == 0 || rest >= HASH_BLOCK_BYTES - HASH_LENGTH_BYTES) {
            hash_fill_rows(w->words, 0, rest ? 0 : HASH_MARK, hashed_bytes);
            hash_absorb_block(w->state, w->words, vectors);
        }
        hmac_close_lanes(w, w->state, turn->message, now, one_key, digest_bytes);
        messages += now;
        count -= now;
    }
}

/* ---- messages of several lengths ---- */

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
    hash_load_chains(w->state, chains, hash_vectors(filled));
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
    const size_t needed = hash_vectors(lane_count(s->working)) * VEC_LANES;
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
    const size_t vectors = hash_vectors(highest_lane(s->working) + 1u);
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
#define HMAC_LANES_STACK_BYTES (HASH_CHAIN_WORDS == 5 ? 1792 : HASH_CHAIN_WORDS == 4 ? 3456 : 2816)
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
