/* SPDX-License-Identifier: Apache-2.0
 *
 * SipHash of messages of one length: every lane does the same, so no lane is scheduled or masked,
 * and keys, states and the last word stay in registers from the first round to the tag. The
 * scheduler of lanes/scheduler.h would cost a quarter of the time of 8 messages of 64 bytes.
 */
#ifndef JM_SIPHASH_EQUAL_H
#define JM_SIPHASH_EQUAL_H

#include "common/secret.h"
#include "common/words.h"
#include "joulemark/kernel.h"
#include "siphash/siphash_vectors.h"

#if !defined(__AVX512BW__)
JM_INLINE uint64_t sip_one(uintptr_t from, size_t bytes) {
    const uint8_t *at = (const uint8_t *)from;
    return bytes == JM_SIPHASH_WORD_BYTES ? load_le64(at) : load_le64_partial(at, bytes);
}

/* A vector of the `bytes` (1 to 8) at from[lane] + offset, for each of its lanes. */
JM_INLINE sip_lanes sip_each(const uintptr_t *from, size_t offset, size_t bytes) {
#define SIP_ONE(l) sip_one(from[l] + offset, bytes)
    return (sip_lanes){SIP_ONE(0), SIP_ONE(1), SIP_ONE(2),
                       SIP_ONE(3),
#if SIP_WIDTH == 8
                       SIP_ONE(4), SIP_ONE(5), SIP_ONE(6),
                       SIP_ONE(7)
#endif
    };
#undef SIP_ONE
}
#endif

/* Absorbs the last 0 to 63 bytes of messages of `message_bytes` (a lane's are at from[lane] +
 * offset), zeros, and the length modulo 256 as the last byte of the last word. */
JM_INLINE void sip_absorb_tails(sip_lanes v[4][SIP_VECTORS], const uintptr_t *from, size_t offset,
                                size_t message_bytes, unsigned rounds) {
    const size_t bytes = message_bytes % SIP_CHUNK_BYTES;
    const size_t words = bytes / JM_SIPHASH_WORD_BYTES;
    sip_lanes last[SIP_VECTORS];
    SIP_ALL(last[i] = (sip_lanes){0} + ((uint64_t)message_bytes << 56));
#if defined(__AVX512BW__)
    if (bytes) { /* else a fully masked load from an unreadable address takes long */
        const __mmask64 present = ((uint64_t)1 << bytes) - 1;
        sip_lanes word[SIP_CHUNK_WORDS][SIP_VECTORS];
        for (unsigned i = 0; i < SIP_VECTORS; i++) {
            sip_lanes w[SIP_WIDTH];
            for (unsigned l = 0; l < SIP_WIDTH; l++)
                w[l] = (sip_lanes)_mm512_maskz_loadu_epi8(
                    present, (const void *)(from[i * SIP_WIDTH + l] + offset));
            sip_transpose(w, &word[0][i]);
        }
        /* Unrolled, so that s is a constant and the words stay in registers: a stack that holds
         * them would have to be overwritten. */
#pragma GCC unroll 8
        for (unsigned s = 0; s < SIP_CHUNK_WORDS; s++) {
#if defined(__clang__) /* else it reads word[words] from memory after the loop */
            sip_lanes now[SIP_VECTORS];
            SIP_ALL(now[i] = word[s][i]);
#else
            const sip_lanes *const now = word[s];
#endif
            if (s == words) {
                SIP_ALL(last[i] |= now[i]); /* zeros where no byte is left */
                break;
            }
            sip_absorb_words(v, now, rounds);
        }
    }
#else
    const size_t rest = bytes % JM_SIPHASH_WORD_BYTES;
    for (size_t s = 0; s < words; s++, offset += JM_SIPHASH_WORD_BYTES) {
        sip_lanes word[SIP_VECTORS];
        SIP_ALL(word[i] = sip_each(from + i * SIP_WIDTH, offset, JM_SIPHASH_WORD_BYTES));
        sip_absorb_words(v, word, rounds);
    }
    if (rest) SIP_ALL(last[i] |= sip_each(from + i * SIP_WIDTH, offset, rest));
#endif
    sip_absorb_words(v, last, rounds);
}

/* 0 if the key state has the mark `live`. */
JM_INLINE uint64_t sip_not_live(const void *key_state, uint64_t live) {
    const uint64_t *words = key_state;
    return words[4] ^ live;
}

/* Tags LANES messages of the length of the first. Returns 0 if all their keys are live. */
JM_INLINE uint64_t sip_tag_equal(const jm_mac_message *messages, sip_kind kind, uint64_t live) {
    const size_t message_bytes = messages[0].message_bytes;
    const size_t end = message_bytes / SIP_CHUNK_BYTES * SIP_CHUNK_BYTES;
    const void *key_state[LANES];
    uintptr_t from[LANES];
    uint64_t ended = 0;
    for (unsigned l = 0; l < LANES; l++) {
        key_state[l] = messages[l].key_state;
        ended |= sip_not_live(key_state[l], live);
        from[l] = (uintptr_t)messages[l].message;
    }
    JM_HIDE("r", ended); /* else Clang keeps all words of which `ended` is made until the end */
    sip_lanes v[4][SIP_VECTORS], tag[2][SIP_VECTORS];
    sip_load_keys(v, key_state);
    for (size_t offset = 0; offset != end; offset += SIP_CHUNK_BYTES) {
        sip_lanes word[SIP_CHUNK_WORDS][SIP_VECTORS];
        sip_load_chunk(word, from, offset);
#pragma GCC unroll 8
        for (unsigned s = 0; s < SIP_CHUNK_WORDS; s++) sip_absorb_words(v, word[s], kind.rounds);
    }
    sip_absorb_tails(v, from, end, message_bytes, kind.rounds);
    sip_close(v, kind.closing_rounds, kind.tag_bytes, tag);
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned w = 0; w < kind.tag_bytes / 8; w++)
            store_le64(messages[l].tag + 8 * w, tag[w][l / SIP_WIDTH][l % SIP_WIDTH]);
    return ended;
}

/* Tags `count` messages of one length. Lanes without a message repeat the first message of the last
 * turn, and write its tag again. `filled` has no secrets and belongs to the caller, so that it is
 * not in the frame that is overwritten. */
JM_INLINE jm_status sip_run_equal(const jm_mac_message *messages, size_t count, sip_kind kind,
                                  uint64_t live, jm_mac_message filled[LANES]) {
    uint64_t ended = 0;
    while (count) {
        const size_t now = count < LANES ? count : LANES;
        const jm_mac_message *turn = messages;
        if (now < LANES) {
            for (unsigned l = 0; l < LANES; l++) filled[l] = messages[l < now ? l : 0];
            turn = filled;
        }
        ended |=
            sip_tag_equal(turn, kind, live); /* called in one place, because its code is large */
        messages += now;
        count -= now;
    }
    return ended ? JM_ERR_ENDED : JM_OK;
}

#endif
