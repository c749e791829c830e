/* SPDX-License-Identifier: Apache-2.0
 *
 * PMAC (Black and Rogaway, 2002, section 3) over any cipher with 16-byte blocks.
 * Technique: eight blocks, each with its offset, go to the cipher's `encrypt` in one call, which
 *   computes them side by side.
 * State layout: L times powers of x, and JM_LIVE, then the cipher's schedule.
 * CPU features: the cipher's.
 * Constant time: if the cipher takes constant time; offsets depend on the number of a block,
 *   branches on lengths alone. Checked by tests/native/constant_time.c. Functions have an outer and
 *   an inner half (common/secret.h).
 * Best for: single messages of 128 bytes and more on CPUs with AES instructions. */
#include "pmac/pmac.h"

#include "common/secret.h"
#include "common/words.h"

typedef uint64_t block_words __attribute__((vector_size(16)));

enum { AT_ONCE = 8, STACK_BYTES = 640 };

static inline block_words load_block(const uint8_t *from) {
    block_words words;
    memcpy(&words, from, sizeof words);
    return words;
}

static inline void store_block(uint8_t *to, block_words words) {
    memcpy(to, &words, sizeof words);
}

static inline const jm_cipher_functions *cipher_of(const jm_implementation *self) {
    return ((const jm_implementation *)self->over)->cipher;
}

static inline uint8_t *schedule_of(const void *key_state) {
    return (uint8_t *)(uintptr_t)key_state + sizeof(jm_pmac_masks);
}

static inline bool is_live(const jm_implementation *self, const jm_pmac_masks *key_state) {
    return key_state->live == self->live;
}
static inline bool goes_on(const jm_implementation *self, const jm_pmac_stream *stream) {
    return stream->live == self->live && is_live(self, stream->key_state);
}

JM_APART jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                           size_t key_bytes) {
    const jm_cipher_functions *cipher = cipher_of(self);
    const jm_status status = cipher->set_key(self->over, schedule_of(key_state), key, key_bytes);
    if (status != JM_OK) return status;
    jm_pmac_masks *masks = key_state;
    memset(masks->halved, 0, sizeof masks->halved);
    cipher->encrypt(self->over, schedule_of(key_state), masks->halved, masks->multiple[0], 1);
    halve_block(masks->halved, masks->multiple[0]);
    for (size_t i = 1; i < JM_PMAC_TABLED; i++)
        double_block(masks->multiple[i], masks->multiple[i - 1]);
    masks->live = self->live;
    return JM_OK;
}

jm_status jm_pmac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                          size_t key_bytes) {
    const jm_status status = set_key(self, key_state, key, key_bytes);
    return JM_FORGET(status, STACK_BYTES);
}

jm_status jm_pmac_copy_key(const jm_implementation *self, void *to, const void *from) {
    if (!is_live(self, from)) return JM_ERR_ENDED;
    jm_copy_secret(to, from, self->mac->key_state_bytes);
    return JM_OK;
}

void jm_pmac_wipe_key(const jm_implementation *self, void *key_state) {
    cipher_of(self)->wipe_key(self->over, schedule_of(key_state));
    jm_wipe(key_state, self->mac->key_state_bytes);
}

/* L times x^power. Of 2^power blocks at most one needs this multiple, so that powers beyond the
 * table are rare. */
static inline block_words multiple_of(const jm_pmac_masks *masks, unsigned power) {
    if (power < JM_PMAC_TABLED) return load_block(masks->multiple[power]);
    uint8_t block[JM_PMAC_BLOCK_BYTES];
    store_block(block, load_block(masks->multiple[JM_PMAC_TABLED - 1]));
    for (unsigned i = JM_PMAC_TABLED; i <= power; i++) double_block(block, block);
    return load_block(block);
}

/* Offsets follow a Gray code: the offsets of consecutive blocks differ in one multiple of L. */
static void absorb(const jm_implementation *self, const void *key_state, jm_pmac_chain *chain,
                   const uint8_t *message, size_t count) {
    const jm_cipher_functions *cipher = cipher_of(self);
    const jm_pmac_masks *masks = key_state;
    block_words sum = load_block(chain->sum), offset = load_block(chain->offset);
    while (count) {
        block_words block[AT_ONCE];
        const size_t now = count < AT_ONCE ? count : AT_ONCE;
        for (size_t i = 0; i < now; i++, message += JM_PMAC_BLOCK_BYTES) {
            offset ^= multiple_of(masks, (unsigned)__builtin_ctzll(++chain->blocks));
            block[i] = load_block(message) ^ offset;
        }
        cipher->encrypt(self->over, schedule_of(key_state), (const uint8_t *)block,
                        (uint8_t *)block, now);
        for (size_t i = 0; i < now; i++) sum ^= block[i];
        count -= now;
    }
    store_block(chain->sum, sum);
    store_block(chain->offset, offset);
}

/* `bytes` is 0 (the empty message) to 16. */
static inline void finish(const jm_implementation *self, const void *key_state,
                          const jm_pmac_chain *chain, const uint8_t *rest, size_t bytes,
                          uint8_t *tag) {
    block_words sum = load_block(chain->sum);
    if (bytes == JM_PMAC_BLOCK_BYTES) {
        sum ^= load_block(rest) ^ load_block(((const jm_pmac_masks *)key_state)->halved);
    } else {
        uint64_t word[2];
        load_le128_partial(rest, bytes, 0x80, word);
        sum ^= (block_words){JM_LE64(word[0]), JM_LE64(word[1])};
    }
    cipher_of(self)->encrypt(self->over, schedule_of(key_state), (const uint8_t *)&sum, tag, 1);
}

JM_APART jm_status tag_message(const jm_implementation *self, const void *key_state,
                               const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    if (!is_live(self, key_state)) return JM_ERR_ENDED;
    const size_t before_last = message_bytes ? (message_bytes - 1) / JM_PMAC_BLOCK_BYTES : 0;
    const size_t absorbed_bytes = before_last * JM_PMAC_BLOCK_BYTES;
    jm_pmac_chain chain = {.blocks = 0};
    if (before_last) {
        absorb(self, key_state, &chain, message, before_last);
        message += absorbed_bytes; /* here, because C forbids adding even 0 to NULL */
    }
    finish(self, key_state, &chain, message, message_bytes - absorbed_bytes, tag);
    return JM_OK;
}

jm_status jm_pmac_tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                      size_t message_bytes, uint8_t *tag) {
    const jm_status status = tag_message(self, key_state, message, message_bytes, tag);
    return JM_FORGET(status, STACK_BYTES);
}

jm_status jm_pmac_stream_begin(const jm_implementation *self, void *stream, const void *key_state) {
    jm_pmac_stream *state = stream;
    if (!is_live(self, key_state)) return JM_ERR_ENDED;
    *state = (jm_pmac_stream){.key_state = key_state, .live = self->live};
    return JM_OK;
}

JM_APART jm_status stream_update(const jm_implementation *self, jm_pmac_stream *state,
                                 const uint8_t *message, size_t message_bytes) {
    if (!goes_on(self, state)) return JM_ERR_ENDED;
    const size_t room = JM_PMAC_BLOCK_BYTES - state->pending_bytes;
    if (message_bytes > room) {
        /* More of the message follows the pending block, so that it is not the last. */
        if (state->pending_bytes) {
            jm_copy_secret(state->pending + state->pending_bytes, message, room);
            absorb(self, state->key_state, &state->chain, state->pending, 1);
            message += room;
            message_bytes -= room;
            state->pending_bytes = 0;
        }
        const size_t before_last = (message_bytes - 1) / JM_PMAC_BLOCK_BYTES;
        absorb(self, state->key_state, &state->chain, message, before_last);
        message += before_last * JM_PMAC_BLOCK_BYTES;
        message_bytes -= before_last * JM_PMAC_BLOCK_BYTES;
    }
    jm_copy_secret(state->pending + state->pending_bytes, message, message_bytes);
    state->pending_bytes += message_bytes;
    return JM_OK;
}

jm_status jm_pmac_stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                                size_t message_bytes) {
    const jm_status status = stream_update(self, stream, message, message_bytes);
    return JM_FORGET(status, STACK_BYTES);
}

JM_APART jm_status stream_finish(const jm_implementation *self, const jm_pmac_stream *state,
                                 uint8_t *tag) {
    if (!goes_on(self, state)) return JM_ERR_ENDED;
    finish(self, state->key_state, &state->chain, state->pending, state->pending_bytes, tag);
    return JM_OK;
}

jm_status jm_pmac_stream_finish(const jm_implementation *self, void *stream, uint8_t *tag) {
    jm_status status = JM_OK;
    if (((jm_pmac_stream *)stream)->live != self->live) return tag ? JM_ERR_ENDED : JM_OK;
    if (tag) status = stream_finish(self, stream, tag);
    jm_wipe(stream, sizeof(jm_pmac_stream));
    return JM_FORGET(status, STACK_BYTES);
}
