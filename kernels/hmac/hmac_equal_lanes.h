/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC in lanes of messages of one length, for hmac_lanes.h, whose parameters it shares: nothing to
 * sort, to refill or to queue.
 *
 * Technique: a last block that is the same for all messages, because they end with a whole block,
 * is filled in row by row, not built for each lane and transposed. The chaining values of a shared
 * key are repeated in all lanes. For 64 messages of 64 bytes this takes a fifth off HMAC-MD5 and
 * SHA-1, a tenth off SHA-256 (Zen 5, GCC 12). */
#ifndef JM_HMAC_EQUAL_LANES_H
#define JM_HMAC_EQUAL_LANES_H

#include "hmac/hmac_close_lanes.h"

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
        const size_t now = count < LANES ? count : LANES, vectors = hmac_vectors(now);
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
            hmac_fill_rows(w->words, 0, rest ? 0 : HMAC_MARK, hashed_bytes);
            hash_absorb_block(w->state, w->words, vectors);
        }
        hmac_close_lanes(w, w->state, turn->message, now, one_key, digest_bytes);
        messages += now;
        count -= now;
    }
}

#endif
