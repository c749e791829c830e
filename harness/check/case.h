/* SPDX-License-Identifier: Apache-2.0
 * One case of the check: the function called, its keys and messages, and their addresses. A case
 * has a text of one line, with which the reader of a failure can repeat it:
 *
 *     one key=0+20 keys=1 msg=m0 lengths=c8*2 at=end out=3
 *
 * All numbers are hexadecimal. */
#ifndef JM_CHECK_CASE_H
#define JM_CHECK_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JM_CASE_PARTS_MAX 160u
#define JM_CASE_KEY_BYTES_MAX 8192u
#define JM_CASE_TEXT_BYTES 4096u /* room for the longest line and its zero */
#define JM_AT_END 64u            /* instead of an address: the last byte ends at a guard page */

typedef enum jm_case_call {
    JM_CALL_ONE,      /* a call for each length, one after the other; call i takes key i % keys */
    JM_CALL_COPY,     /* the same with copies of key states whose originals were wiped */
    JM_CALL_STREAM,   /* lengths are the pieces of one message; `keys` streams fed in turns */
    JM_CALL_ABANDON,  /* a stream as above, after a stream that was begun and abandoned */
    JM_CALL_BATCH,    /* one call for all lengths; message i takes key i % keys */
    JM_CALL_IN_PLACE, /* a cipher writes over its input */
    JM_CALL_CHAIN,    /* a cipher's CBC-MAC step */
    JM_CALL_THREADS,  /* two threads at once, each with its key; each makes calls of all kinds */
    JM_CALL_COUNT
} jm_case_call;

typedef struct jm_case {
    jm_case_call call;
    uint64_t key_seed; /* number of the first key; the other keys have the numbers after it */
    size_t key_bytes;
    size_t keys;  /* 1 to JM_CASE_PARTS_MAX */
    char pattern; /* 'm': the harness's stream of messages; 'f': bytes 0xff; 'z': zeros; 's': a
                     structured message (structured.h) for the first key */
    uint64_t message_start; /* place in that stream, in bytes; the structured message's number */
    size_t at;              /* address of a message modulo 64, or JM_AT_END */
    size_t out;             /* address of an output modulo 64, or JM_AT_END */
    size_t parts;           /* 1 to JM_CASE_PARTS_MAX; 0 for an empty batch */
    uint64_t lengths[JM_CASE_PARTS_MAX];
} jm_case;

/* Byte `index` of key number `seed`. Trials are timed with key 0; keys from JM_STRUCTURED_KEYS
 * (structured.h) on are structured; the bytes of every other key are as good as random. */
uint8_t jm_case_key_byte(uint64_t seed, uint64_t index);
/* Writes the first `bytes` bytes of that key. */
void jm_case_key(uint64_t seed, uint8_t *key, size_t bytes);

uint64_t jm_case_total_bytes(const jm_case *check_case);

/* Writes the line and its zero; calls no library function, so that a signal handler may use it. */
void jm_case_text(const jm_case *check_case, char text[JM_CASE_TEXT_BYTES]);

/* Reads a line that jm_case_text wrote; for any other line false, and *check_case is undefined. */
bool jm_case_parse(const char *text, jm_case *check_case);

#ifdef __cplusplus
}
#endif
#endif
