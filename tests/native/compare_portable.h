/* SPDX-License-Identifier: Apache-2.0
 * Compares an emulated kernel with the portable kernel, before the emulated kernel may represent
 * the kernel that it was made of. A difference ends the program. */
#ifndef JM_COMPARE_PORTABLE_H
#define JM_COMPARE_PORTABLE_H

#include "native_test.h"

enum { COMPARED_BLOCKS = 5, COMPARED_BLOCK_BYTES_MAX = 144 };
enum { COMPARED_BYTES_MAX = COMPARED_BLOCKS * COMPARED_BLOCK_BYTES_MAX };

typedef struct {
    uint8_t once[JM_OUTPUT_BYTES_MAX], streamed[JM_OUTPUT_BYTES_MAX];
} compared_outputs;

static inline void hash_both_ways(const jm_implementation *self, const uint8_t *text, size_t bytes,
                                  compared_outputs *to) {
    void *state = exact_state(self->hash->state_bytes);
    self->hash->digest(self, text, bytes, to->once);
    self->hash->init(self, state);
    self->hash->update(self, state, text, bytes / 3);
    self->hash->update(self, state, text + bytes / 3, bytes - bytes / 3);
    self->hash->final(self, state, to->streamed);
    free(state);
}

/* The key is the text's first key_bytes. */
static inline void mac_both_ways(const jm_implementation *self, const uint8_t *text, size_t bytes,
                                 size_t key_bytes, compared_outputs *to) {
    void *state = exact_state(self->mac->key_state_bytes);
    void *stream = exact_state(self->mac->stream_bytes);
    self->mac->set_key(self, state, text, key_bytes);
    self->mac->tag(self, state, text, bytes, to->once);
    self->mac->stream_begin(self, stream, state);
    self->mac->stream_update(self, stream, text, bytes / 3);
    self->mac->stream_update(self, stream, text + bytes / 3, bytes - bytes / 3);
    self->mac->stream_finish(self, stream, to->streamed);
    self->mac->wipe_key(self, state);
    free(state);
    free(stream);
}

/* Whole blocks by themselves, and in a chain. */
static inline void cipher_both_ways(const jm_implementation *self, const uint8_t *text,
                                    size_t bytes, size_t key_bytes, compared_outputs *to) {
    static uint8_t encrypted[COMPARED_BYTES_MAX];
    const size_t block = self->block_bytes, blocks = bytes / block;
    void *schedule = exact_state(self->cipher->schedule_bytes);
    memset(to, 0, sizeof *to);
    self->cipher->set_key(self, schedule, text, key_bytes);
    self->cipher->encrypt(self, schedule, text, encrypted, blocks);
    if (blocks) memcpy(to->once, encrypted + (blocks - 1) * block, block);
    self->cipher->chain(self, schedule, to->streamed, text, blocks);
    self->cipher->wipe_key(self, schedule);
    free(schedule);
}

/* Messages of 0 bytes to five blocks, keys of 0 bytes to two blocks, as far as they are taken. */
static inline void compare_with_portable(const jm_implementation *self) {
    const jm_implementation *portable = portable_of(self);
    static uint8_t text[COMPARED_BYTES_MAX];
    compared_outputs found, expected;
    uint64_t seed = 2;
    CHECK(self->block_bytes <= COMPARED_BLOCK_BYTES_MAX, self, "blocks longer than expected here");
    random_bytes(&seed, text, sizeof text);
    for (size_t bytes = 0; bytes <= COMPARED_BLOCKS * self->block_bytes; bytes++) {
        size_t key_bytes = bytes % (2 * self->block_bytes + 1);
        if (key_bytes < self->key_bytes_min) key_bytes = self->key_bytes_min;
        if (key_bytes > self->key_bytes_max) key_bytes = self->key_bytes_max;
        if (self->kind == JM_KIND_HASH) {
            hash_both_ways(self, text, bytes, &found);
            hash_both_ways(portable, text, bytes, &expected);
        } else if (self->kind == JM_KIND_CIPHER) {
            cipher_both_ways(self, text, bytes, key_bytes, &found);
            cipher_both_ways(portable, text, bytes, key_bytes, &expected);
        } else {
            mac_both_ways(self, text, bytes, key_bytes, &found);
            mac_both_ways(portable, text, bytes, key_bytes, &expected);
        }
        CHECK(!memcmp(found.once, expected.once, self->output_bytes), self,
              "emulated, one-shot, differs from portable at %zu bytes", bytes);
        CHECK(!memcmp(found.streamed, expected.streamed, self->output_bytes), self,
              "emulated, streamed, differs from portable at %zu bytes", bytes);
    }
}

#endif
