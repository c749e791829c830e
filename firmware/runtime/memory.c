/* SPDX-License-Identifier: Apache-2.0
 * memcpy and the like for targets that are linked without a C library: word by word where both
 * addresses allow it, as C libraries for such machines do. */
#include <stdint.h>
#include <string.h>

/* Keeps the compiler from replacing a loop by a call of the very function that the loop is in. */
#define KEEP_LOOP() __asm__ volatile("")

typedef uintptr_t __attribute__((may_alias)) word;
enum { WORD = sizeof(word) };

static int aligned(const void *one, const void *other) {
    return (((uintptr_t)one | (uintptr_t)other) & (WORD - 1)) == 0;
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
    uint8_t *out = to;
    const uint8_t *in = from;
    if (aligned(out, in)) {
        for (; bytes >= WORD; bytes -= WORD, out += WORD, in += WORD) {
            *(word *)out = *(const word *)in;
            KEEP_LOOP();
        }
    }
    for (; bytes; bytes--) {
        *out++ = *in++;
        KEEP_LOOP();
    }
    return to;
}

void *memmove(void *to, const void *from, size_t bytes) {
    uint8_t *out = to;
    const uint8_t *in = from;
    if (out <= in || out >= in + bytes) return memcpy(to, from, bytes);
    while (bytes--) {
        out[bytes] = in[bytes];
        KEEP_LOOP();
    }
    return to;
}

void *memset(void *to, int byte, size_t bytes) {
    uint8_t *out = to;
    if (aligned(out, out)) {
        const word all = (word)-1 / 0xff * (uint8_t)byte;
        for (; bytes >= WORD; bytes -= WORD, out += WORD) {
            *(word *)out = all;
            KEEP_LOOP();
        }
    }
    for (; bytes; bytes--) {
        *out++ = (uint8_t)byte;
        KEEP_LOOP();
    }
    return to;
}

int memcmp(const void *one, const void *other, size_t bytes) {
    const uint8_t *a = one, *b = other;
    for (; bytes; bytes--, a++, b++)
        if (*a != *b) return *a - *b;
    return 0;
}

size_t strlen(const char *text) {
    size_t length = 0;
    while (text[length]) {
        length++;
        KEEP_LOOP();
    }
    return length;
}

int strcmp(const char *one, const char *other) {
    while (*one && *one == *other) one++, other++;
    return (uint8_t)*one - (uint8_t)*other;
}
