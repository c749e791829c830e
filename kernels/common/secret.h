/* SPDX-License-Identifier: Apache-2.0
 * Erasing and comparing secrets. */
#ifndef JM_SECRET_H
#define JM_SECRET_H

#include "common/compiler.h"

#include <stdint.h>
#include <string.h>

/* Erases `bytes` at `secret` in a way the compiler may not remove. Inlined, because short states
 * are wiped once per message and a call would cost as much as the stores. `secret` may be NULL when
 * bytes is 0. */
static inline void jm_wipe(void *secret, size_t bytes) {
    if (bytes) memset(secret, 0, bytes);
    JM_KEEP_STORES(secret);
}

/* All bits set if `condition` is 1, none if it is 0. The compiler does not see that the mask comes
 * from a comparison: of `x & (0 - (a < b))` GCC 14 makes a branch. */
JM_INLINE uint64_t jm_mask_if(uint64_t condition) {
    JM_PIN("r", condition);
    return 0 - condition;
}

/* 1 if the `bytes` at `a` and `b` are equal, else 0; 1 for zero bytes. The time depends on
 * `bytes` alone: differences are gathered with OR, and the accumulator's value is hidden so
 * that no compiler turns the loop into a loop that stops early. */
static inline int jm_equal_ct(const uint8_t *a, const uint8_t *b, size_t bytes) {
    uint64_t different = 0;
    size_t at = 0;
    for (; bytes - at >= sizeof different; at += sizeof different) {
        uint64_t word_a, word_b;
        memcpy(&word_a, a + at, sizeof word_a);
        memcpy(&word_b, b + at, sizeof word_b);
        different |= word_a ^ word_b;
        JM_HIDE("r", different);
    }
    for (; at < bytes; at++) {
        different |= (uint64_t)(a[at] ^ b[at]);
        JM_HIDE("r", different);
    }
    /* Of a number and its negative at least one has bit 63 set, unless the number is 0. */
    return (int)(((different | (0 - different)) >> 63) ^ 1);
}

#endif
