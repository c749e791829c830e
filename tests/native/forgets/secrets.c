/* SPDX-License-Identifier: Apache-2.0
 * See secrets.h: a hash table with open addressing. */
#include "secrets.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 1 << 15, MOST = PLACES / 2 };

static struct {
    uint32_t word;
    const char *name; /* NULL in a free place; "" of a word that was removed */
} table[PLACES];
static size_t used;

void secrets_clear(void) {
    memset(table, 0, sizeof table);
    used = 0;
}

/* The place of the word, or the free place for it. */
static size_t place_of(uint32_t word) {
    size_t place = word * UINT32_C(2654435761) >> 17;
    while (table[place].name && table[place].word != word) place = (place + 1) % PLACES;
    return place;
}

/* Words that any memory has: small numbers, ends of messages, patterns. */
static bool is_common(uint32_t word) {
    const uint32_t last_bits = word & UINT32_C(0x01010101);
    return word == (word & 0xff) * UINT32_C(0x01010101) || !(word & 0xffff) ||
           word + 0x10000 < 0x20000 || /* small, also below zero */
           word == last_bits * 0xff;   /* bytes of 0 and 255, as comparisons give them */
}

static void put(uint32_t word, const char *name) {
    const size_t place = place_of(word);
    if (is_common(word) || table[place].name) return;
    if (++used > MOST) abort();
    table[place].word = word;
    table[place].name = name;
}

void secrets_add(const char *name, const void *from, size_t bytes, uint32_t mask) {
    for (size_t at = 0; at + 4 <= bytes; at += 4) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)from + at, sizeof word);
        put(word ^ mask, name);
        put(__builtin_bswap32(word ^ mask), name);
    }
}

void secrets_remove(const void *from, size_t bytes) {
    for (size_t at = 0; at + 4 <= bytes; at++) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)from + at, sizeof word);
        for (int swapped = 0; swapped < 2; swapped++, word = __builtin_bswap32(word)) {
            const size_t place = place_of(word);
            if (table[place].name) table[place].name = "";
        }
    }
}

static const char *name_of(uint32_t word) {
    const char *name = table[place_of(word)].name;
    return name && *name ? name : NULL;
}

find secrets_in_memory(const void *memory, size_t bytes) {
    const uint32_t *words = memory;
    for (size_t i = 0; i + 1 < bytes / sizeof *words; i++) {
        if (is_common(words[i]) || is_common(words[i + 1])) continue;
        const char *name = name_of(words[i]);
        if (name && name_of(words[i + 1])) return (find){name, i * sizeof *words};
    }
    return (find){NULL, 0};
}

/* In a register one word alone counts: registers are cleared, and a secret of 32 bits may stand in
 * one alone, or extended by its sign. */
find secrets_in_registers(const registers *left, const char **place) {
    for (size_t i = 0; i < sizeof left->integer / sizeof *left->integer; i++) {
        const uint32_t half[2] = {(uint32_t)left->integer[i], (uint32_t)(left->integer[i] >> 32)};
        const char *name = name_of(half[0]);
        *place = "integer register";
        if (name && (!half[1] || half[1] == UINT32_MAX || name_of(half[1]))) return (find){name, i};
    }
    if (left->width == 64) {
        *place = "mask register, byte";
        const find found = secrets_in_memory(left->mask, sizeof left->mask);
        if (found.name) return found;
    }
    *place = "vector register";
    for (size_t i = 0; i < vector_count(left); i++) {
        for (size_t at = 0; at < left->width; at += sizeof(uint32_t)) {
            uint32_t word;
            memcpy(&word, left->vector[i] + at, sizeof word);
            const char *name = name_of(word);
            if (name) return (find){name, i};
        }
    }
    return (find){NULL, 0};
}
