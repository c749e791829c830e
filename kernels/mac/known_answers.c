/* SPDX-License-Identifier: Apache-2.0 */
#include "mac/known_answers.h"

#include <string.h>

#include "mac/known_answers_table.h"

enum {
    LENGTHS = 5,
    MESSAGE_BYTES = 1100,
    KEY_BYTES_MAX = 128,
    STATE_BYTES_MAX = 6144, /* Twofish has tables of 4 KiB */
    BATCH_MAX = 129,        /* twice the most lanes and one more */
    BLOCKS = 8,
};
static const size_t lengths[LENGTHS] = {0, 3, 64, 200, MESSAGE_BYTES};

typedef struct {
    uint8_t key[KEY_BYTES_MAX], message[MESSAGE_BYTES];
    uint8_t outputs[LENGTHS][JM_OUTPUT_BYTES_MAX], other[JM_OUTPUT_BYTES_MAX];
    _Alignas(JM_STATE_ALIGN) uint8_t key_state[STATE_BYTES_MAX];
    _Alignas(JM_STATE_ALIGN) uint8_t stream[STATE_BYTES_MAX];
} bench;

/* FNV-1a of 64 bits (Fowler, Noll, Vo): it tells apart answers that are wrong by accident. */
static uint64_t folded(uint64_t fold, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) fold = (fold ^ bytes[i]) * UINT64_C(0x100000001b3);
    return fold;
}

static bool is_known(const jm_implementation *self, uint64_t fold) {
    for (size_t i = 0; i < sizeof known_answers / sizeof *known_answers; i++)
        if (!strcmp(known_answers[i].algorithm, self->algorithm))
            return known_answers[i].folded == fold;
    return false;
}

static uint64_t fold_outputs(const jm_implementation *self, const bench *b) {
    uint64_t fold = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < LENGTHS; i++) fold = folded(fold, b->outputs[i], self->output_bytes);
    return fold;
}

static bool batch_agrees(const jm_implementation *self, const bench *b) {
    uint8_t tags[BATCH_MAX][JM_OUTPUT_BYTES_MAX];
    jm_mac_message messages[BATCH_MAX];
    const size_t count = 2 * (size_t)self->lanes + 1;
    if (count > BATCH_MAX) return false;
    for (size_t i = 0; i < count; i++)
        messages[i] = (jm_mac_message){b->key_state, b->message, lengths[i % LENGTHS], tags[i]};
    if (self->mac->tag_batch(self, messages, count) != JM_OK) return false;
    for (size_t i = 0; i < count; i++)
        if (memcmp(tags[i], b->outputs[i % LENGTHS], self->output_bytes)) return false;
    return true;
}

static bool mac_is_right(const jm_implementation *self, bench *b) {
    const jm_mac_functions *mac = self->mac;
    if (mac->key_state_bytes > STATE_BYTES_MAX || mac->stream_bytes > STATE_BYTES_MAX ||
        self->key_bytes > KEY_BYTES_MAX)
        return false;
    if (mac->set_key(self, b->key_state, b->key, self->key_bytes) != JM_OK) return false;
    bool right = true;
    for (size_t i = 0; i < LENGTHS; i++) {
        right &= mac->tag(self, b->key_state, b->message, lengths[i], b->outputs[i]) == JM_OK;
        if (!mac->stream_bytes) continue;
        const size_t first = lengths[i] / 3;
        right &= mac->stream_begin(self, b->stream, b->key_state) == JM_OK;
        right &= mac->stream_update(self, b->stream, b->message, first) == JM_OK;
        right &=
            mac->stream_update(self, b->stream, b->message + first, lengths[i] - first) == JM_OK;
        right &= mac->stream_finish(self, b->stream, b->other) == JM_OK;
        right &= !memcmp(b->other, b->outputs[i], self->output_bytes);
    }
    if (right && mac->tag_batch) right = batch_agrees(self, b);
    mac->wipe_key(self, b->key_state);
    return right && is_known(self, fold_outputs(self, b));
}

static bool hash_is_right(const jm_implementation *self, bench *b) {
    const jm_hash_functions *hash = self->hash;
    if (hash->state_bytes > STATE_BYTES_MAX) return false;
    bool right = true;
    for (size_t i = 0; i < LENGTHS; i++) {
        right &= hash->digest(self, b->message, lengths[i], b->outputs[i]) == JM_OK;
        if (!hash->init) continue;
        const size_t first = lengths[i] / 3;
        right &= hash->init(self, b->stream) == JM_OK;
        right &= hash->update(self, b->stream, b->message, first) == JM_OK;
        right &= hash->update(self, b->stream, b->message + first, lengths[i] - first) == JM_OK;
        right &= hash->final(self, b->stream, b->other) == JM_OK;
        right &= !memcmp(b->other, b->outputs[i], self->output_bytes);
    }
    return right && is_known(self, fold_outputs(self, b));
}

static bool cipher_is_right(const jm_implementation *self, bench *b) {
    const jm_cipher_functions *cipher = self->cipher;
    const size_t block = self->block_bytes;
    if (cipher->schedule_bytes > STATE_BYTES_MAX || self->key_bytes > KEY_BYTES_MAX ||
        block > JM_OUTPUT_BYTES_MAX)
        return false;
    if (cipher->set_key(self, b->key_state, b->key, self->key_bytes) != JM_OK) return false;
    uint8_t out[BLOCKS * JM_OUTPUT_BYTES_MAX], chain[JM_OUTPUT_BYTES_MAX] = {0};
    uint8_t expected[JM_OUTPUT_BYTES_MAX] = {0};
    cipher->encrypt(self, b->key_state, b->message, out, BLOCKS);
    cipher->chain(self, b->key_state, chain, b->message, BLOCKS);
    for (size_t i = 0; i < BLOCKS; i++) {
        for (size_t at = 0; at < block; at++) expected[at] ^= b->message[i * block + at];
        cipher->encrypt(self, b->key_state, expected, expected, 1);
    }
    cipher->wipe_key(self, b->key_state);
    return !memcmp(chain, expected, block) &&
           is_known(self, folded(UINT64_C(0xcbf29ce484222325), out, BLOCKS * block));
}

bool jm_gives_known_answer(const jm_implementation *self) {
    bench b;
    for (size_t i = 0; i < sizeof b.key; i++) b.key[i] = (uint8_t)(7 * i + 3);
    for (size_t i = 0; i < sizeof b.message; i++) b.message[i] = (uint8_t)(13 * i + (i >> 8));
    if (self->mac) return mac_is_right(self, &b);
    if (self->hash) return hash_is_right(self, &b);
    return cipher_is_right(self, &b);
}
