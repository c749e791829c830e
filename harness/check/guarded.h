/* SPDX-License-Identifier: Apache-2.0
 * Memory between two guard pages, and calls after which the process goes on if they touch a guard
 * page. */
#ifndef JM_CHECK_GUARDED_H
#define JM_CHECK_GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "case.h"

/* The bytes from `first` to before `end` are usable; the pages before and behind are not. */
typedef struct jm_guarded {
    uint8_t *first;
    uint8_t *end;
    bool sealed; /* the bytes between may be read alone */
} jm_guarded;

/* `bytes` are rounded up to pages. False if there is no memory. */
bool jm_guarded_open(jm_guarded *memory, size_t bytes);
void jm_guarded_close(jm_guarded *memory);

/* Address for `bytes` bytes: they end with the memory (`at` is JM_AT_END), or the address modulo 64
 * is `at` and at least 64 bytes lie behind. The memory must have at least bytes + 192 bytes. */
uint8_t *jm_guarded_place(const jm_guarded *memory, size_t bytes, size_t at);

/* Forbids writing to the memory, and allows it again. Where the system refuses, nothing changes. */
void jm_guarded_seal(jm_guarded *memory);
void jm_guarded_unseal(jm_guarded *memory);

/* Whether `address` lies in one of the two pages, or in the memory while this is sealed. */
bool jm_guarded_touched(const jm_guarded *memory, const void *address);

/* Watches for crashes until jm_watch_end. A touch of a guard page of `memories` (kept by the
 * caller), or a write to a sealed one, ends only the call of jm_watched. Any other crash, and
 * SIGTERM, writes the line of `current`, the case that the caller keeps up to date, to standard
 * error and ends the process by the same signal. One watch at a time in a process. */
void jm_watch_begin(const jm_guarded *memories, size_t count, const jm_case *current);
void jm_watch_end(void);

/* call(argument); returns NULL, or the address whose touch ended the call. */
const void *jm_watched(void (*call)(void *), void *argument);

#endif
