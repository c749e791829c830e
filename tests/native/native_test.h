/* SPDX-License-Identifier: Apache-2.0
 * Shared by the native test programs: random bytes that a seed repeats, guarded exact-size buffers,
 * and the list of our own kernels. A failed check ends the program with a sentence. */
#ifndef JM_NATIVE_TEST_H
#define JM_NATIVE_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/exact.h"

/* xorshift64*: any seed but 0. */
static inline uint64_t random_word(uint64_t *seed) {
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(0x2545f4914f6cdd1d);
}

static inline void random_bytes(uint64_t *seed, uint8_t *to, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) to[i] = (uint8_t)(random_word(seed) >> 56);
}

/* A heap copy of `bytes` whose first byte is `offset` past an aligned address and whose last byte
 * is the last of the allocation. Free `*base`. */
static inline uint8_t *exact_copy(const uint8_t *from, size_t bytes, size_t offset,
                                  uint8_t **base) {
    *base = calloc(1, offset + bytes ? offset + bytes : 1);
    if (!*base) abort();
    if (bytes) memcpy(*base + offset, from, bytes);
    return *base + offset;
}

/* The algorithm's portable variant, or, where that needs integers of 128 bits and the compiler has
 * none (Poly1305), another variant for small machines. */
static inline const jm_implementation *portable_of(const jm_implementation *implementation) {
    const jm_plugin *plugin = jm_builtin_plugin();
    const jm_implementation *for_small = NULL;
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *other = plugin->implementations[i];
        if (strcmp(other->algorithm, implementation->algorithm)) continue;
        if (!strcmp(other->variant, "portable")) return other;
        if (!strncmp(other->variant, "mcu", 3) && strcmp(other->variant, implementation->variant))
            for_small = other;
    }
    CHECK(for_small, implementation, "there is no portable variant");
    return for_small;
}

#endif
