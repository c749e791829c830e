/* SPDX-License-Identifier: Apache-2.0
 * One implementation with its keys, calls on a painted stack, and the search for its secrets
 * afterwards. Failures are printed and counted. */
#ifndef JM_TEST_SCENE_H
#define JM_TEST_SCENE_H

#include "capture.h"
#include "secrets.h"

#include "joulemark/mac.h"

enum { KEYS = 3, LONGEST = 8192, SECRET_BYTES_MAX = 200 };
#define FUNCTION(f) ((const void *)(uintptr_t)(f))
#define ARGUMENTS(...) ((const uint64_t[6]){__VA_ARGS__})
#define AS(x) ((uint64_t)(uintptr_t)(x))

extern uint8_t message[LONGEST];
extern unsigned failures, calls;

/* The implementation under test: */
extern const jm_mac *mac;
extern size_t secret_bytes;
extern uint8_t secret[KEYS][SECRET_BYTES_MAX];
extern jm_mac_key *key[KEYS];

/* Fills with bytes, none of them zero, that are the same in every run of the program. */
void fill(uint8_t *to, size_t bytes);

/* Makes the set of secrets: keys, key states, and the intermediate values of messages of these
 * lengths under all keys. */
void set_secrets(const size_t *lengths, size_t count);

/* Calls a function that returns a jm_status, or nothing, on a painted stack. */
jm_status run(const void *function, const uint64_t argument[6]);
/* Looks for secrets where the last run may have left them. That no frame lies below what is
 * overwritten is measured by the build (tools/measure_frames.py). */
void search(const char *use, size_t size);
/* Runs the function and searches. */
jm_status call(const char *use, size_t size, const void *function, const uint64_t argument[6]);
/* Whether a search finds a secret after the call, which is not counted as a failure. */
bool leaves(const void *function, const uint64_t argument[6]);

void report(const char *use, size_t size, const char *what, const char *place, size_t at);
void expect(const char *use, size_t size, jm_status status, jm_status expected);
/* ended.c */
void use_ended(void);

/* Looks for secrets in memory that was freed or wiped. */
void expect_none(const char *use, size_t size, uintptr_t at, size_t bytes);

#endif
