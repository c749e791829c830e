/* SPDX-License-Identifier: Apache-2.0
 * Code that the constant-time checks share. Secrets are marked undefined; valgrind's memcheck then
 * reports each branch and each address that depends on a secret. Secrets are keys and messages of
 * MACs and ciphers, and messages of hashes. Memcheck does not see instructions whose time depends
 * on their operands. */
#ifndef JM_CHECK_SECRETS_H
#define JM_CHECK_SECRETS_H

#include "check/exact.h"
#include "common/secret.h"

#if defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define HAVE_MEMCHECK 1
#endif
#endif
#ifndef HAVE_MEMCHECK
#define HAVE_MEMCHECK 0
#define RUNNING_ON_VALGRIND 0
#define VALGRIND_COUNT_ERRORS 0
#define VALGRIND_MAKE_MEM_UNDEFINED(address, bytes) ((void)(address), (void)(bytes))
#define VALGRIND_MAKE_MEM_DEFINED(address, bytes) ((void)(address), (void)(bytes))
#endif

#define SKIPPED 77 /* exit code: constant time was not checked */
#define LONGEST 200u
#define MOST_LANES 64u
/* Of one message: code for long messages begins at 240 bytes (Poly1305) to 1 KiB (NH of UMAC). */
#define LONG_BYTES 4100u

static const size_t lengths[] = {0, 1, 15, 16, 17, 64, 100, LONGEST};
static const size_t long_lengths[] = {300, 1100, LONG_BYTES};
static uint8_t long_message[LONG_BYTES];
static uint8_t key[128];
static uint8_t message[LONGEST];
static uint8_t output[JM_OUTPUT_BYTES_MAX];

static inline void hide(void *secret, size_t bytes) {
    (void)VALGRIND_MAKE_MEM_UNDEFINED(secret, bytes);
}
static inline void reveal(void *result, size_t bytes) {
    (void)VALGRIND_MAKE_MEM_DEFINED(result, bytes);
}

static inline void run_hash(const jm_implementation *self) {
    const jm_hash_functions *hash = self->hash;
    void *state = exact_state(hash->state_bytes);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const size_t bytes = lengths[i], half = bytes / 2;
        hash->digest(self, message, bytes, output);
        reveal(output, sizeof output);
        if (!hash->init) continue;
        hash->init(self, state);
        hash->update(self, state, message, half);
        hash->update(self, state, message + half, bytes - half);
        hash->final(self, state, output);
        reveal(output, sizeof output);
    }
    free(state);
}

/* One long message of each length, for code that takes one message at a time. */
static inline void run_long(const jm_implementation *self) {
    void *state = self->mac ? exact_state(self->mac->key_state_bytes) : NULL;
    if (state) self->mac->set_key(self, state, key, self->key_bytes);
    for (size_t i = 0; i < sizeof long_lengths / sizeof *long_lengths; i++) {
        if (state)
            self->mac->tag(self, state, long_message, long_lengths[i], output);
        else
            self->hash->digest(self, long_message, long_lengths[i], output);
        reveal(output, sizeof output);
    }
    if (state) self->mac->wipe_key(self, state);
    free(state);
}

static inline void run_mac(const jm_implementation *self) {
    const jm_mac_functions *mac = self->mac;
    void *state = exact_state(mac->key_state_bytes);
    void *stream = exact_state(mac->stream_bytes);
    uint8_t again[JM_OUTPUT_BYTES_MAX];
    CHECK(mac->set_key(self, state, key, self->key_bytes) == JM_OK, self, "set_key");
    if (self->nonce_bytes_max)
        CHECK(mac->set_nonce(self, state, message, self->nonce_bytes_max) == JM_OK, self, "nonce");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const size_t bytes = lengths[i], half = bytes / 2;
        mac->tag(self, state, message, bytes, output);
        if (mac->stream_bytes) {
            mac->stream_begin(self, stream, state);
            mac->stream_update(self, stream, message, half);
            mac->stream_update(self, stream, message + half, bytes - half);
            mac->stream_finish(self, stream, again);
        } else {
            mac->tag(self, state, message, bytes, again);
        }
        int equal = jm_equal_ct(output, again, self->output_bytes);
        reveal(&equal, sizeof equal);
        CHECK(equal, self, "stream and one-shot differ at %zu bytes", bytes);
        reveal(output, sizeof output);
        reveal(again, sizeof again);
    }
    mac->wipe_key(self, state);
    free(state);
    free(stream);
}

/* Tags a batch of the lengths above in turn, under two keys, and the same messages one by one. Tags
 * are compared without a branch: they are as secret as their messages. */
static inline void run_batch(const jm_implementation *self, void *const *states, size_t count) {
    static jm_mac_message batch[2 * MOST_LANES + 3];
    static uint8_t tags[2 * MOST_LANES + 3][JM_OUTPUT_BYTES_MAX];
    int equal = 1;
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = lengths[(i + count) % (sizeof lengths / sizeof *lengths)];
        batch[i] = (jm_mac_message){states[i % 2], message + LONGEST - bytes, bytes, tags[i]};
    }
    CHECK(self->mac->tag_batch(self, batch, count) == JM_OK, self, "a batch of %zu", count);
    for (size_t i = 0; i < count; i++) {
        self->mac->tag(self, batch[i].key_state, batch[i].message, batch[i].message_bytes, output);
        equal &= jm_equal_ct(tags[i], output, self->output_bytes);
    }
    reveal(&equal, sizeof equal);
    CHECK(equal, self, "a batch of %zu differs from its messages one by one", count);
    reveal(tags, sizeof tags);
    reveal(output, sizeof output);
}

/* Batches of few messages, of all lanes but one, of all lanes, of one message more, and of lanes
 * filled a second time. */
static inline void run_batches(const jm_implementation *self) {
    const size_t lanes = self->lanes;
    const size_t counts[] = {1, 2, lanes - 1, lanes, lanes + 1, 2 * lanes + 3};
    void *states[2] = {exact_state(self->mac->key_state_bytes),
                       exact_state(self->mac->key_state_bytes)};
    CHECK(lanes <= MOST_LANES, self, "more lanes than this test has room for");
    for (size_t k = 0; k < 2; k++) /* the second key is the same bytes from an odd address on */
        self->mac->set_key(self, states[k], key + k, self->key_bytes);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) run_batch(self, states, counts[i]);
    for (size_t k = 0; k < 2; k++) {
        self->mac->wipe_key(self, states[k]);
        free(states[k]);
    }
}

static inline void run_cipher(const jm_implementation *self) {
    const jm_cipher_functions *cipher = self->cipher;
    void *schedule = exact_state(cipher->schedule_bytes);
    uint8_t out[LONGEST];
    CHECK(cipher->set_key(self, schedule, key, self->key_bytes) == JM_OK, self, "set_key");
    for (size_t blocks = 0; blocks <= LONGEST / self->block_bytes; blocks++) {
        cipher->encrypt(self, schedule, message, out, blocks);
        cipher->chain(self, schedule, output, message, blocks);
    }
    reveal(out, sizeof out);
    reveal(output, sizeof output);
    cipher->wipe_key(self, schedule);
    free(schedule);
}

/* Reads a table at a secret index, so that memcheck must report an error. */
static inline void run_leaky(void) {
    static volatile uint8_t table[256];
    hide(key, sizeof key);
    const uint8_t looked_up = table[key[0]];
    reveal(key, sizeof key);
    printf("leaky: read a table at a secret index (%d)\n", looked_up ? 1 : 0);
}

static inline void print_verdict(const jm_implementation *self, const char *verdict) {
    printf("%-16s %-12s %s\n", self->algorithm, self->variant, verdict);
}

/* Runs `self` on secrets and prints the verdict: true if memcheck reported no error meanwhile. */
static inline bool keeps_secrets(const jm_implementation *self) {
    const unsigned before = VALGRIND_COUNT_ERRORS;
    CHECK(self->key_bytes < sizeof key, self, "its usual key is longer than this test's");
    hide(key, sizeof key);
    hide(message, sizeof message);
    hide(long_message, sizeof long_message);
    const bool batches = self->kind == JM_KIND_MAC && self->mac->tag_batch;
    if (self->kind != JM_KIND_CIPHER && !batches) run_long(self);
    if (self->kind == JM_KIND_HASH) run_hash(self);
    if (self->kind == JM_KIND_MAC) run_mac(self);
    if (batches) run_batches(self);
    if (self->kind == JM_KIND_CIPHER) run_cipher(self);
    reveal(key, sizeof key);
    reveal(message, sizeof message);
    reveal(long_message, sizeof long_message);
    const bool clean = VALGRIND_COUNT_ERRORS == before;
    print_verdict(self, clean ? "constant time" : "DEPENDS ON SECRETS");
    return clean;
}

/* Whether memcheck watches this program; else prints the reason. */
static inline bool watched(void) {
    if (RUNNING_ON_VALGRIND) return true;
    puts(HAVE_MEMCHECK ? "Not checked: this program must run under valgrind."
                       : "Not checked: built without valgrind/memcheck.h (package valgrind).");
    return false;
}

#endif
