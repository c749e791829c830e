/* SPDX-License-Identifier: Apache-2.0
 *
 * A plain timed loop that shares no code with the harness: the outside witness for the cost of a
 * message by `joulemark bench`. A program names its calls in a table and ends with
 * PLAIN_LOOP_MAIN(calls):
 *
 *     program WINDOW_US WINDOWS CALL:BYTES:BATCH...
 *
 * prints for each CALL:BYTES:BATCH a line with these three, the least nanoseconds of a message in
 * any window, and the tag of the last message. The key is the bytes 0, 1, 2 ..; the messages lie
 * one after the other and are 0 .. 250 over and over.
 *
 * Each call has its own loop, written with TURNS, in which the library is called as a C program
 * would call it. A layer of functions between the loop and the library would be measured too: on
 * AMD EPYC (Zen 3) such a layer cost 16 ns of 114 (HMAC-SHA-256 of 64 bytes by our engine). */
#ifndef PLAIN_LOOP_H
#define PLAIN_LOOP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef COUNTED_TENTHS
#define COUNTED_TENTHS 10 /* 11 counts a tenth too many: the check must then turn red */
#endif

enum { BATCH = 64, TAG_BYTES_MAX = 64, LONGEST_BYTES = 16384, PAGE_BYTES = 4096, LINE_BYTES = 64 };

typedef struct {
    const uint8_t *messages; /* `count` messages, one after another */
    size_t bytes, count;
    uint8_t *tags; /* TAG_BYTES_MAX for each message */
} work;

typedef struct {
    const char *name;
    size_t count, tag_bytes;
    int (*set_key)(const uint8_t key[32]); /* 0 if this call cannot run here */
    /* Computes the tags `turns` times; 0 if the library reports an error. */
    int (*tag)(const work *given, uint64_t turns);
} plain_call;

/* Defines such a function, whose turn is the expression `right_`. */
#define TURNS(name_, right_)                                                                       \
    static int name_(const work *given, uint64_t turns) {                                          \
        int good = 1;                                                                              \
        (void)given;                                                                               \
        for (uint64_t turn = 0; turn < turns; turn++) good &= (right_);                            \
        return good;                                                                               \
    }

static uint8_t arena[BATCH * LONGEST_BYTES + PAGE_BYTES] __attribute__((aligned(4096)));
static uint8_t tags[BATCH * TAG_BYTES_MAX] __attribute__((aligned(64)));

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t window_ns(const plain_call *call, const work *given, uint64_t turns) {
    const uint64_t start = now_ns();
    const int good = call->tag(given, turns);
    const uint64_t took = now_ns() - start;
    if (good) return took;
    fprintf(stderr, "%s refused a message of %zu bytes\n", call->name, given->bytes);
    exit(2);
}

static void report(const plain_call *call, size_t bytes, uint64_t least_ns, unsigned windows) {
    work given = {arena, bytes, call->count, tags};
    uint64_t turns = 1, best_ns;
    for (;; turns *= 2) { /* the fastest of three: an interruption must not end the search */
        best_ns = window_ns(call, &given, turns);
        for (int i = 0; i < 2; i++) {
            const uint64_t took = window_ns(call, &given, turns);
            if (took < best_ns) best_ns = took;
        }
        if (best_ns >= least_ns) break;
    }
    for (unsigned i = 0; i < windows; i++) {
        given.messages = arena + i % (PAGE_BYTES / LINE_BYTES) * LINE_BYTES;
        for (size_t at = 0; at < call->count * bytes; at++)
            arena[(size_t)(given.messages - arena) + at] = (uint8_t)(at % 251);
        const uint64_t took = window_ns(call, &given, turns);
        if (took < best_ns) best_ns = took;
    }
    const double counted = (double)turns * (double)call->count * COUNTED_TENTHS / 10;
    printf("%s:%zu:%zu %.4f ", call->name, bytes, call->count, (double)best_ns / counted);
    const uint8_t *last = tags + (call->count - 1) * TAG_BYTES_MAX;
    for (size_t i = 0; i < call->tag_bytes; i++) printf("%02x", last[i]);
    putchar('\n');
}

static int plain_loop(const plain_call *calls, size_t count, int words, char **word) {
    uint8_t key[32];
    for (size_t i = 0; i < sizeof key; i++) key[i] = (uint8_t)i;
    for (int i = 3; i < words; i++) {
        char name[64];
        size_t bytes, batch, n = 0;
        if (sscanf(word[i], "%63[^:]:%zu:%zu", name, &bytes, &batch) != 3) return 2;
        while (n < count && (strcmp(calls[n].name, name) || calls[n].count != batch)) n++;
        if (n == count || bytes > LONGEST_BYTES) return 2;
        if (!calls[n].set_key(key)) return 3;
        report(&calls[n], bytes, strtoul(word[1], NULL, 10) * 1000,
               (unsigned)strtoul(word[2], NULL, 10));
    }
    return 0;
}

#define PLAIN_LOOP_MAIN(calls)                                                                     \
    int main(int words, char **word) {                                                             \
        return plain_loop(calls, sizeof(calls) / sizeof *(calls), words, word);                    \
    }

#endif
