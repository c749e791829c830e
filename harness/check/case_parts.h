/* SPDX-License-Identifier: Apache-2.0
 * What the runs of all calls share: keys that are set up, messages and outputs that are placed, and
 * what must hold afterwards. Private to harness/check/. */
#ifndef JM_CASE_PARTS_H
#define JM_CASE_PARTS_H

#include "checker.h"

typedef struct jm_placed {
    const uint8_t *source; /* what the message holds, in jm_pattern */
    uint8_t *at;           /* where it lies */
    uint64_t bytes;
} jm_placed;

extern const uint8_t jm_canaries[JM_CANARY_BYTES];

/* Notes what was wrong in the checker's finding; always false. */
bool jm_found(jm_checker *checker, jm_verdict verdict, size_t part, uint64_t message_bytes);

/* State `index`, and the same filled with canaries, which the rest of its stride remains. */
uint8_t *jm_state_at(const jm_checker *checker, size_t index);
uint8_t *jm_fresh_state(const jm_checker *checker, size_t index);
/* Whether nothing was written behind the first `bytes` of these states. */
bool jm_states_kept_in(jm_checker *checker, size_t first, size_t count, size_t bytes);

/* Sets the case's keys up in states 0 to keys - 1. Of a copy the original is wiped, and another key
 * is set in its place, in state `keys`. */
bool jm_set_keys(jm_checker *checker, size_t keys);
void jm_wipe_keys(jm_checker *checker, size_t count);

/* A message where the case wants it; one too long for that is read where its pattern lies, which
 * cannot be written to. */
jm_placed jm_place_message(jm_checker *checker, const uint8_t *source, uint64_t bytes);
/* Room for an output where the case wants it, canaries round it. */
uint8_t *jm_place_output(jm_checker *checker, size_t bytes);

/* Whether the canaries round an output live. */
bool jm_kept_bounds(jm_checker *checker, size_t part, const jm_placed *m, const uint8_t *output,
                    size_t bytes);
/* Whether `bytes` of output are those of the trusted implementation, and the message is as it was.
 */
bool jm_agrees(jm_checker *checker, size_t part, const jm_placed *m, uint64_t key_seed,
               const uint8_t *output, size_t bytes);
/* Whether the status is one that may be; `made`: there is an output. A message that an outside
 * library does not take is noted. */
bool jm_accepted(jm_checker *checker, jm_status status, size_t part, uint64_t bytes, bool *made);

/* The calls of a case that are not made one by one. */
bool jm_run_streams(jm_checker *checker);
bool jm_run_batch(jm_checker *checker);

#endif
