/* SPDX-License-Identifier: Apache-2.0
 *
 * Every hash and HMAC implementation that this CPU can run, on random messages: splits against
 * one-shot, variants against the portable variant, HMAC against its definition, buffers at any
 * alignment, and the life of key states. Prints a line per implementation; exits 1 on a failure.
 * Meant to be run under AddressSanitizer and valgrind too: messages lie in blocks of exactly
 * their size.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "joulemark/kernel.h"
#include "over_hashes.h"
#include "sanitized.h"

enum { SPLIT_BYTES_MAX = 300, DENSE_BYTES_MAX = 1025, MESSAGE_BYTES = 65600, KEY_BYTES_MAX = 400 };

/* Every seventh length stands for all, with those at which a block of 64 bytes or its padding ends,
 * and every third split; `hash_random whole` takes all of both. With sanitizers each byte costs ten
 * times as much: every seventh length, every eighth split, or all splits, and one message of 64
 * KiB. */
static bool every_length;
static size_t split_step = SANITIZED ? 8 : 3;

/* Where a message of so many bytes is split first, and from split to split. Over all lengths each
 * residue is there. */
static size_t first_split(size_t bytes) {
    return bytes / 7 % split_step;
}

static bool is_taken(size_t bytes) {
    const size_t at = bytes % 64;
    const bool ends = at <= 1 || at == 63 || at == 55 || at == 56 || at == 47 || at == 48;
    return every_length || bytes % 7 == 0 || (ends && !SANITIZED);
}

static uint8_t message[MESSAGE_BYTES];
static uint8_t key[KEY_BYTES_MAX];
static unsigned failures;

typedef struct {
    const jm_implementation *self;
    void *key_state; /* NULL for a hash */
    void *state;     /* of the hash, or the HMAC stream */
} subject;

static void expect(bool holds, const subject *s, const char *what, size_t bytes) {
    if (holds) return;
    if (failures++ < 20)
        printf("FAILED %s/%s: %s, %zu bytes\n", s->self->algorithm, s->self->variant, what, bytes);
}

static void *allocate(size_t bytes) {
    const size_t rounded = (bytes + JM_STATE_ALIGN - 1) / JM_STATE_ALIGN * JM_STATE_ALIGN;
    void *memory = aligned_alloc(JM_STATE_ALIGN, rounded);
    if (!memory) abort();
    memset(memory, 0xa5, rounded);
    return memory;
}

static bool all_equal(const void *memory, uint8_t value, size_t bytes) {
    const uint8_t *byte = memory;
    for (size_t i = 0; i < bytes; i++)
        if (byte[i] != value) return false;
    return true;
}

static void fill(uint8_t *to, size_t bytes, uint64_t seed) {
    for (size_t i = 0; i < bytes; i++) { /* xorshift64 (Marsaglia 2003) */
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        to[i] = (uint8_t)(seed >> 32);
    }
}

static void set_key(subject *s, const uint8_t *from, size_t key_bytes) {
    if (s->key_state) s->self->mac->set_key(s->self, s->key_state, from, key_bytes);
}

static subject open_subject(const jm_implementation *self) {
    subject s = {self, NULL, NULL};
    if (self->kind == JM_KIND_MAC) s.key_state = allocate(self->mac->key_state_bytes);
    s.state = allocate(self->mac ? self->mac->stream_bytes : self->hash->state_bytes);
    set_key(&s, key, self->key_bytes);
    return s;
}

static void close_subject(subject *s) {
    free(s->key_state);
    free(s->state);
}

static void one_shot(const subject *s, const uint8_t *from, size_t bytes, uint8_t *out) {
    if (s->key_state)
        s->self->mac->tag(s->self, s->key_state, from, bytes, out);
    else
        s->self->hash->digest(s->self, from, bytes, out);
}

static void begin(const subject *s) {
    if (s->key_state)
        s->self->mac->stream_begin(s->self, s->state, s->key_state);
    else
        s->self->hash->init(s->self, s->state);
}

static void update(const subject *s, const uint8_t *from, size_t bytes) {
    if (s->key_state)
        s->self->mac->stream_update(s->self, s->state, from, bytes);
    else
        s->self->hash->update(s->self, s->state, from, bytes);
}

static void finish(const subject *s, uint8_t *out) {
    if (s->key_state)
        s->self->mac->stream_finish(s->self, s->state, out);
    else
        s->self->hash->final(s->self, s->state, out);
}

static void check_splits(const subject *s) {
    uint8_t whole[JM_OUTPUT_BYTES_MAX], parts[JM_OUTPUT_BYTES_MAX];
    const size_t output_bytes = s->self->output_bytes;
    for (size_t bytes = 0; bytes <= SPLIT_BYTES_MAX; bytes++) {
        if (!is_taken(bytes)) continue;
        one_shot(s, message, bytes, whole);
        for (size_t at = first_split(bytes); at <= bytes; at += split_step) {
            begin(s);
            update(s, at ? message : NULL, at);
            update(s, at < bytes ? message + at : NULL, bytes - at);
            finish(s, parts);
            expect(!memcmp(whole, parts, output_bytes), s, "split differs from one-shot", bytes);
        }
        begin(s);
        for (size_t at = 0; at < bytes; at++) update(s, message + at, 1);
        finish(s, parts);
        expect(!memcmp(whole, parts, output_bytes), s, "byte by byte differs", bytes);
    }
    const size_t state_bytes =
        s->self->mac ? s->self->mac->stream_bytes : s->self->hash->state_bytes;
    expect(all_equal(s->state, 0, state_bytes), s, "a finished state is not wiped", state_bytes);
}

static void check_length(const subject *s, const subject *reference, size_t bytes) {
    uint8_t found[JM_OUTPUT_BYTES_MAX], expected[JM_OUTPUT_BYTES_MAX];
    uint8_t *exact = NULL;
    if (bytes) {
        exact = malloc(bytes);
        if (!exact) abort();
        memcpy(exact, message, bytes);
    }
    one_shot(s, exact, bytes, found);
    one_shot(reference, exact, bytes, expected);
    expect(!memcmp(found, expected, s->self->output_bytes), s, "differs from portable", bytes);
    free(exact);
}

static void check_lengths(const subject *s, const subject *reference) {
    for (size_t bytes = 0; bytes <= DENSE_BYTES_MAX; bytes++)
        if (is_taken(bytes)) check_length(s, reference, bytes);
    check_length(s, reference, 65537);
    if (SANITIZED && split_step > 1) return; /* as many bytes as all others together */
    check_length(s, reference, 65535);
    check_length(s, reference, 65536);
    check_length(s, reference, MESSAGE_BYTES);
}

static void check_buffers(const subject *s) {
    enum { CANARY = 0x5c, ROOM = 64 };
    uint8_t expected[JM_OUTPUT_BYTES_MAX], out[ROOM + JM_OUTPUT_BYTES_MAX + ROOM];
    const size_t output_bytes = s->self->output_bytes;
    for (size_t offset = 0; offset < ROOM; offset++) {
        const size_t bytes = 3 * offset;
        uint8_t *copy = malloc(offset + bytes + 1);
        if (!copy) abort();
        memcpy(copy + offset, message, bytes);
        one_shot(s, message, bytes, expected);
        memset(out, CANARY, sizeof out);
        one_shot(s, copy + offset, bytes, out + offset);
        const uint8_t *end = out + offset + output_bytes;
        expect(!memcmp(out + offset, expected, output_bytes), s, "depends on alignment", bytes);
        expect(all_equal(out, CANARY, offset), s, "writes before its output", bytes);
        expect(all_equal(end, CANARY, (size_t)(out + sizeof out - end)), s,
               "writes past its output", bytes);
        expect(!memcmp(copy + offset, message, bytes), s, "writes to its input", bytes);
        free(copy);
    }
}

/* H(key ^ opad || H(key ^ ipad || message)), from RFC 2104 and a hash alone. */
static void define_hmac(const jm_implementation *hash, size_t key_bytes, size_t bytes,
                        uint8_t *tag) {
    subject h = open_subject(hash);
    uint8_t pad[200] = {0};
    if (key_bytes > hash->block_bytes)
        one_shot(&h, key, key_bytes, pad);
    else
        memcpy(pad, key, key_bytes);
    for (size_t i = 0; i < hash->block_bytes; i++) pad[i] ^= 0x36;
    begin(&h);
    update(&h, pad, hash->block_bytes);
    update(&h, message, bytes);
    finish(&h, tag);
    for (size_t i = 0; i < hash->block_bytes; i++) pad[i] ^= 0x36 ^ 0x5c;
    begin(&h);
    update(&h, pad, hash->block_bytes);
    update(&h, tag, hash->output_bytes);
    finish(&h, tag);
    close_subject(&h);
}

static void check_keys(subject *s, const jm_implementation *hash) {
    const size_t block = s->self->block_bytes;
    const size_t lengths[] = {0, 1, block - 1, block, block + 1, KEY_BYTES_MAX};
    uint8_t found[JM_OUTPUT_BYTES_MAX], expected[JM_OUTPUT_BYTES_MAX];
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        set_key(s, lengths[i] ? key : NULL, lengths[i]);
        for (size_t bytes = 0; bytes <= SPLIT_BYTES_MAX; bytes += 50) {
            one_shot(s, message, bytes, found);
            define_hmac(hash, lengths[i], bytes, expected);
            expect(!memcmp(found, expected, s->self->output_bytes), s,
                   "differs from HMAC's definition with a key of", lengths[i]);
        }
    }
}

static void check_key_life(subject *s) {
    const jm_mac_functions *mac = s->self->mac;
    uint8_t before[JM_OUTPUT_BYTES_MAX], after[JM_OUTPUT_BYTES_MAX];
    void *original = s->key_state;
    one_shot(s, message, SPLIT_BYTES_MAX, before);
    s->key_state = allocate(mac->key_state_bytes);
    mac->copy_key(s->self, s->key_state, original);
    mac->wipe_key(s->self, original);
    expect(all_equal(original, 0, mac->key_state_bytes), s, "wipe_key leaves the key", 0);
    one_shot(s, message, SPLIT_BYTES_MAX, after);
    expect(!memcmp(before, after, s->self->output_bytes), s, "the copied key differs", 0);
    begin(s);
    update(s, message, SPLIT_BYTES_MAX);
    finish(s, NULL);
    expect(all_equal(s->state, 0, mac->stream_bytes), s, "an abandoned stream is not wiped", 0);
    mac->wipe_key(s->self, s->key_state);
    free(original);
}

static const jm_implementation *portable(const char *algorithm) {
    const jm_plugin *plugin = jm_builtin_plugin();
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *found = plugin->implementations[i];
        if (!strcmp(found->algorithm, algorithm) && !strcmp(found->variant, "portable"))
            return found;
    }
    printf("FAILED %s: has no portable variant\n", algorithm);
    exit(1);
}

static void check(const jm_implementation *self) {
    const unsigned failures_before = failures;
    subject s = open_subject(self), reference = open_subject(portable(self->algorithm));
    check_splits(&s);
    check_lengths(&s, &reference);
    check_buffers(&s);
    if (self->mac) {
        check_keys(&s, portable(self->algorithm + strlen("hmac-")));
        check_key_life(&s);
    }
    close_subject(&s);
    close_subject(&reference);
    printf("%s %s/%s\n", failures == failures_before ? "ok" : "FAILED", self->algorithm,
           self->variant);
}

int main(int argc, char **argv) {
    const bool whole = argc > 1 && !strcmp(argv[1], "whole");
    every_length = !SANITIZED && whole;
    if (whole) split_step = 1;
    const jm_plugin *plugin = jm_builtin_plugin();
    const uint32_t features = jm_cpu_features();
    fill(message, sizeof message, 0x9e3779b97f4a7c15);
    fill(key, sizeof key, 0xd1b54a32d192ed03);
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *self = plugin->implementations[i];
        const bool ours = self->hash || (self->mac && !strncmp(self->algorithm, "hmac-", 5));
        if (!ours || is_left_out(self)) continue;
        if (self->cpu_features & ~features)
            printf("unavailable on this CPU: %s/%s\n", self->algorithm, self->variant);
        else
            check(self);
    }
    return failures != 0;
}
