/* SPDX-License-Identifier: Apache-2.0
 * Memory between two pages that may not be touched, and calls that survive touching them. */
#ifndef JM_CHECK_GUARDED_H
#define JM_CHECK_GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "case.h"

/* `first` to `end` may be used; a page before and a page behind may not. */
typedef struct jm_guarded {
    uint8_t *first;
    uint8_t *end;
} jm_guarded;

/* `bytes` are rounded up to pages. False if there is no memory. */
bool jm_guarded_open(jm_guarded *memory, size_t bytes);
void jm_guarded_close(jm_guarded *memory);

/* Where `bytes` lie whose last one is the last of the memory (JM_AT_END), or whose address modulo
 * 64 is `at`, with at least 64 bytes behind. At least bytes + 192 must be there. */
uint8_t *jm_guarded_place(const jm_guarded *memory, size_t bytes, size_t at);

/* Whether `address` lies in one of the two pages. */
bool jm_guarded_touched(const jm_guarded *memory, const void *address);

/* Watches for crashes until jm_watch_end. A touch of the guard pages of `memories` (kept by the
 * caller) ends jm_watched alone. Any other crash, and SIGTERM, writes the line of `current`, which
 * the caller changes as it goes, to standard error and ends the process as it would have ended.
 * One watch at a time in a process. */
void jm_watch_begin(const jm_guarded *memories, size_t count, const jm_case *current);
void jm_watch_end(void);

/* call(argument); returns NULL, or the address in a guard page whose touch ended the call. */
const void *jm_watched(void (*call)(void *), void *argument);

#endif
