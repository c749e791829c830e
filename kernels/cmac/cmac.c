/* SPDX-License-Identifier: Apache-2.0
 *
 * CMAC (NIST SP 800-38B, section 6; RFC 4493) over any cipher with 16-byte blocks, and XCBC (RFC
 * 3566) and CBC-MAC (ISO/IEC 9797-1), which have other subkeys.
 * Technique: all blocks but the last go to the cipher's `chain` in one call, so that the cipher
 *   can keep its round keys and the chaining value where it likes; the last one, with its subkey,
 *   goes through `encrypt` straight into the tag. A message of one block costs one encryption.
 * State layout: both subkeys and JM_LIVE, then the cipher's schedule.
 * CPU features: the cipher's.
 * Constant time: if the cipher is; branches depend on lengths alone. Checked by
 *   tests/native/constant_time.c. Functions have an outer and an inner half (common/secret.h).
 * Best for: a tag where AES is in hardware and no one-time nonce is to be had. */
#include "cmac/cmac.h"
#include "common/secret.h"
#include "common/words.h"

#if defined(JM_NARROW)
typedef struct {
    uint8_t byte[JM_CMAC_BLOCK_BYTES];
} block_words;

static inline void xor_bytes(block_words *to, const uint8_t *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) to->byte[i] ^= from[i];
}

/* Adds the last block and its subkey: `bytes` is 0 (the empty message) to 16. */
static inline void xor_last_block(block_words *to, const jm_cmac_subkeys *subkeys,
                                  const uint8_t *from, size_t bytes) {
    const bool whole = bytes == JM_CMAC_BLOCK_BYTES;
    xor_bytes(to, from, bytes);
    if (!whole) to->byte[bytes] ^= (uint8_t)subkeys->mark;
    xor_bytes(to, whole ? subkeys->complete : subkeys->padded, JM_CMAC_BLOCK_BYTES);
}
#else
/* A block is moved as a whole: the cipher loads it in one piece, and a load of 16 bytes from two
 * fresh stores of 8 stalls. */
typedef uint64_t block_words __attribute__((vector_size(16)));

static inline void xor_block(block_words *to, const uint8_t *from) {
    block_words words;
    memcpy(&words, from, sizeof words);
    *to ^= words;
}

/* Adds the last block and its subkey: `bytes` is 0 (the empty message) to 16. */
static inline void xor_last_block(block_words *to, const jm_cmac_subkeys *subkeys,
                                  const uint8_t *from, size_t bytes) {
    if (bytes == JM_CMAC_BLOCK_BYTES) {
        xor_block(to, from);
        xor_block(to, subkeys->complete);
        return;
    }
    uint64_t word[2];
    load_le128_partial(from, bytes, (uint8_t)subkeys->mark, word);
    *to ^= (block_words){JM_LE64(word[0]), JM_LE64(word[1])};
    xor_block(to, subkeys->padded);
}
#endif

static inline const jm_cipher_functions *cipher_of(const jm_implementation *self) {
    return ((const jm_implementation *)self->over)->cipher;
}

static inline bool is_live(const jm_implementation *self, const jm_cmac_subkeys *key_state) {
    return key_state->live == self->live;
}
static inline bool goes_on(const jm_implementation *self, const jm_cmac_stream *stream) {
    return stream->live == self->live && is_live(self, stream->key_state);
}

/* Stack of the inner halves without the cipher, which forgets by itself or keeps to registers. */
#if defined(JM_FREESTANDING)
enum { STACK_BYTES = 96 };
#else
enum { STACK_BYTES = 192 };
#endif

JM_APART jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                           size_t key_bytes) {
    const jm_cipher_functions *cipher = cipher_of(self);
    jm_cmac_subkeys *subkeys = key_state;
    uint8_t *schedule = (uint8_t *)(subkeys + 1);
    const jm_status status = cipher->set_key(self->over, schedule, key, key_bytes);
    if (status != JM_OK) return status;
    uint8_t block[JM_CMAC_BLOCK_BYTES] = {0};
    cipher->encrypt(self->over, schedule, block, block, 1);
    double_block(subkeys->complete, block);
    double_block(subkeys->padded, subkeys->complete);
    subkeys->live = self->live;
    subkeys->mark = 0x80;
    return JM_OK;
}

jm_status jm_cmac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                          size_t key_bytes) {
    const jm_status status = set_key(self, key_state, key, key_bytes);
    return JM_FORGET(status, STACK_BYTES);
}

/* RFC 3566, section 4: the key enciphers three constants to the keys of all that follows. */
JM_APART jm_status set_xcbc_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                                size_t key_bytes) {
    const jm_cipher_functions *cipher = cipher_of(self);
    if (key_bytes != JM_CMAC_BLOCK_BYTES) return JM_ERR_KEY_BYTES;
    jm_cmac_subkeys *subkeys = key_state;
    uint8_t *schedule = (uint8_t *)(subkeys + 1);
    const jm_status status = cipher->set_key(self->over, schedule, key, key_bytes);
    if (status != JM_OK) return status;
    uint8_t inner[JM_CMAC_BLOCK_BYTES];
    memset(inner, 1, sizeof inner);
    memset(subkeys->complete, 2, sizeof subkeys->complete);
    memset(subkeys->padded, 3, sizeof subkeys->padded);
    cipher->encrypt(self->over, schedule, inner, inner, 1);
    cipher->encrypt(self->over, schedule, subkeys->complete, subkeys->complete, 1);
    cipher->encrypt(self->over, schedule, subkeys->padded, subkeys->padded, 1);
    subkeys->live = self->live;
    subkeys->mark = 0x80;
    return cipher->set_key(self->over, schedule, inner, sizeof inner);
}

jm_status jm_xcbc_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                          size_t key_bytes) {
    const jm_status status = set_xcbc_key(self, key_state, key, key_bytes);
    return JM_FORGET(status, STACK_BYTES);
}

/* There are no subkeys: the last block is like the others, filled up with zeros. */
JM_APART jm_status set_cbc_mac_key(const jm_implementation *self, void *key_state,
                                   const uint8_t *key, size_t key_bytes) {
    jm_cmac_subkeys *subkeys = key_state;
    const jm_status status = cipher_of(self)->set_key(self->over, subkeys + 1, key, key_bytes);
    if (status != JM_OK) return status;
    *subkeys = (jm_cmac_subkeys){.live = self->live};
    return JM_OK;
}

jm_status jm_cbc_mac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                             size_t key_bytes) {
    const jm_status status = set_cbc_mac_key(self, key_state, key, key_bytes);
    return JM_FORGET(status, STACK_BYTES);
}

jm_status jm_cmac_copy_key(const jm_implementation *self, void *to, const void *from) {
    if (!is_live(self, from)) return JM_ERR_ENDED;
    jm_copy_secret(to, from, self->mac->key_state_bytes);
    return JM_OK;
}

void jm_cmac_wipe_key(const jm_implementation *self, void *key_state) {
    cipher_of(self)->wipe_key(self->over, (uint8_t *)key_state + sizeof(jm_cmac_subkeys));
    jm_wipe(key_state, self->mac->key_state_bytes);
}

JM_APART jm_status tag_message(const jm_implementation *self, const void *key_state,
                               const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    const jm_cmac_subkeys *subkeys = key_state;
    if (subkeys->live != self->live) return JM_ERR_ENDED;
    const uint8_t *schedule = jm_cmac_schedule(key_state);
    const jm_cipher_functions *cipher = cipher_of(self);
    const size_t before_last = message_bytes ? (message_bytes - 1) / JM_CMAC_BLOCK_BYTES : 0;
    const size_t chained_bytes = before_last * JM_CMAC_BLOCK_BYTES;
    block_words chain;
    memset(&chain, 0, sizeof chain);
    if (before_last) {
        cipher->chain(self->over, schedule, (uint8_t *)&chain, message, before_last);
        message += chained_bytes; /* here, because NULL may not take even an offset of 0 */
    }
    xor_last_block(&chain, subkeys, message, message_bytes - chained_bytes);
    cipher->encrypt(self->over, schedule, (const uint8_t *)&chain, tag, 1);
    return JM_OK;
}

jm_status jm_cmac_tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                      size_t message_bytes, uint8_t *tag) {
    const jm_status status = tag_message(self, key_state, message, message_bytes, tag);
    return JM_FORGET(status, STACK_BYTES);
}

jm_status jm_cmac_stream_begin(const jm_implementation *self, void *stream, const void *key_state) {
    jm_cmac_stream *state = stream;
    if (!is_live(self, key_state)) return JM_ERR_ENDED;
    *state = (jm_cmac_stream){.key_state = key_state, .live = self->live};
    return JM_OK;
}

JM_APART jm_status stream_update(const jm_implementation *self, jm_cmac_stream *state,
                                 const uint8_t *message, size_t message_bytes) {
    const jm_cipher_functions *cipher = cipher_of(self);
    if (!goes_on(self, state)) return JM_ERR_ENDED;
    const uint8_t *schedule = jm_cmac_schedule(state->key_state);
    const size_t room = JM_CMAC_BLOCK_BYTES - state->pending_bytes;
    if (message_bytes > room) {
        /* More follows the pending block, so it is not the last one. */
        if (state->pending_bytes) {
            memcpy(state->pending + state->pending_bytes, message, room);
            cipher->chain(self->over, schedule, state->chain, state->pending, 1);
            message += room;
            message_bytes -= room;
            state->pending_bytes = 0;
        }
        const size_t before_last = (message_bytes - 1) / JM_CMAC_BLOCK_BYTES;
        cipher->chain(self->over, schedule, state->chain, message, before_last);
        message += before_last * JM_CMAC_BLOCK_BYTES;
        message_bytes -= before_last * JM_CMAC_BLOCK_BYTES;
    }
    if (message_bytes) memcpy(state->pending + state->pending_bytes, message, message_bytes);
    state->pending_bytes += message_bytes;
    return JM_OK;
}

jm_status jm_cmac_stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                                size_t message_bytes) {
    const jm_status status = stream_update(self, stream, message, message_bytes);
    return JM_FORGET(status, STACK_BYTES);
}

JM_APART jm_status stream_finish(const jm_implementation *self, const jm_cmac_stream *state,
                                 uint8_t *tag) {
    if (!goes_on(self, state)) return JM_ERR_ENDED;
    block_words last;
    memcpy(&last, state->chain, sizeof last);
    xor_last_block(&last, state->key_state, state->pending, state->pending_bytes);
    cipher_of(self)->encrypt(self->over, jm_cmac_schedule(state->key_state), (const uint8_t *)&last,
                             tag, 1);
    return JM_OK;
}

jm_status jm_cmac_stream_finish(const jm_implementation *self, void *stream, uint8_t *tag) {
    jm_status status = JM_OK;
    if (((jm_cmac_stream *)stream)->live != self->live) return tag ? JM_ERR_ENDED : JM_OK;
    if (tag) status = stream_finish(self, stream, tag);
    jm_wipe(stream, sizeof(jm_cmac_stream));
    return JM_FORGET(status, STACK_BYTES);
}
