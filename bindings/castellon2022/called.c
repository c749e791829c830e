/* SPDX-License-Identifier: Apache-2.0
 *
 * The programs of castellon2022 as a library for Python's ctypes: the paper called its programs
 * through ctypes. Each call is one whole HMAC: the key is set up, used once and wiped.
 */
#include "castellon2022/castellon2022.h"

#define EXPORTED __attribute__((visibility("default")))

enum { LINE_BYTES = 64 };

/* The program that is filled byte by byte, with this jump; jump 0 is the standard program. NULL for
 * an unknown jump. */
static const jm_implementation *program(size_t jump) {
    switch (jump) {
    case 0:
        return &jm_hmac_sha256_castellon2022_standard;
    case 1:
        return &jm_hmac_sha256_castellon2022_ecm_j1;
    case 2:
        return &jm_hmac_sha256_castellon2022_ecm_j2;
    case 4:
        return &jm_hmac_sha256_castellon2022_ecm_j4;
    case 8:
        return &jm_hmac_sha256_castellon2022_ecm_j8;
    case 16:
        return &jm_hmac_sha256_castellon2022_ecm_j16;
    default:
        return NULL;
    }
}

static int whole_hmac(const jm_implementation *self, const uint8_t *key, size_t key_bytes,
                      const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    jm_hmac_key state;
    self->mac->set_key(self, &state, key, key_bytes);
    self->mac->tag(self, &state, message, message_bytes, tag);
    self->mac->wipe_key(self, &state);
    return JM_OK;
}

/* Writes 32 bytes to `tag`. Messages have any length; `message` may be NULL for length 0. */
#define PROGRAM(variant_)                                                                          \
    EXPORTED int castellon2022_##variant_(const uint8_t *key, size_t key_bytes,                    \
                                          const uint8_t *message, size_t message_bytes,            \
                                          uint8_t *tag) {                                          \
        return whole_hmac(&jm_hmac_sha256_castellon2022_##variant_, key, key_bytes, message,       \
                          message_bytes, tag);                                                     \
    }
PROGRAM(standard)
PROGRAM(standard_chunks)
PROGRAM(ecm_j1)
PROGRAM(ecm_j8)
PROGRAM(ecm_chunks_j1)
PROGRAM(ecm_chunks_j8)

/* Takes the same arguments and does no work: the cost of the call alone. */
EXPORTED int castellon2022_nothing(const uint8_t *key, size_t key_bytes, const uint8_t *message,
                                   size_t message_bytes, uint8_t *tag) {
    (void)key, (void)key_bytes, (void)message, (void)message_bytes, (void)tag;
    return JM_OK;
}

/* Tags `count` messages of `message_bytes` bytes at the given byte offsets of `buffer`, in the
 * order of the offsets, under one key set up once; writes the exclusive or of all tags. Returns 0,
 * or -1 for an unknown jump. */
EXPORTED int castellon2022_visit(size_t jump, const uint8_t *key, size_t key_bytes,
                                 const uint8_t *buffer, size_t message_bytes,
                                 const uint64_t *offsets, size_t count, uint8_t *mixed_tags) {
    const jm_implementation *self = program(jump);
    jm_hmac_key state;
    uint8_t tag[CASTELLON2022_DIGEST_BYTES];
    if (!self) return -1;
    memset(mixed_tags, 0, sizeof tag);
    self->mac->set_key(self, &state, key, key_bytes);
    for (size_t i = 0; i < count; i++) {
        self->mac->tag(self, &state, buffer + offsets[i], message_bytes, tag);
        for (size_t j = 0; j < sizeof tag; j++) mixed_tags[j] ^= tag[j];
    }
    self->mac->wipe_key(self, &state);
    return 0;
}

/* Reads one word of each 64-byte line of the same messages in the same order, and returns their
 * sum: the cost of the order without any hashing. Offsets are multiples of 64. */
EXPORTED uint64_t castellon2022_read(const uint8_t *buffer, size_t message_bytes,
                                     const uint64_t *offsets, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t at = 0; at < message_bytes; at += LINE_BYTES)
            sum += load_be32(buffer + offsets[i] + at);
    return sum;
}
