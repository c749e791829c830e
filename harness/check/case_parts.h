/* SPDX-License-Identifier: Apache-2.0
 * Parts that the runs of all calls share: setting keys up, placing messages and outputs, and
 * checking bounds and outputs afterwards. Private to harness/check/. */
#ifndef JM_CASE_PARTS_H
#define JM_CASE_PARTS_H

#include "checker.h"

typedef struct jm_placed {
    const uint8_t *source; /* the message's bytes in jm_pattern */
    uint8_t *at;           /* address of the message itself */
    uint64_t bytes;
} jm_placed;

extern const uint8_t jm_canaries[JM_CANARY_BYTES];

/* Notes the fault in the checker's finding; always false. */
bool jm_found(jm_checker *checker, jm_verdict verdict, size_t part, uint64_t message_bytes);

/* State `index`; jm_fresh_state fills its whole stride with canaries first. */
uint8_t *jm_state_at(const jm_checker *checker, size_t index);
uint8_t *jm_fresh_state(const jm_checker *checker, size_t index);
/* Whether nothing was written behind the first `bytes` of these states. */
bool jm_states_kept_in(jm_checker *checker, size_t first, size_t count, size_t bytes);

/* Sets the case's keys up in states 0 to keys - 1. The original of a copy lies in state `keys`; it
 * is wiped, and another key is set there. */
bool jm_set_keys(jm_checker *checker, size_t keys);
void jm_wipe_keys(jm_checker *checker, size_t count);

/* Places a message where the case has it; a message too long for that memory is read from its
 * pattern. */
jm_placed jm_place_message(jm_checker *checker, const uint8_t *source, uint64_t bytes);
/* Room for an output where the case has it, with canaries round the output. */
uint8_t *jm_place_output(jm_checker *checker, size_t bytes);

/* Whether the canaries round an output are unchanged. */
bool jm_kept_bounds(jm_checker *checker, size_t part, const jm_placed *m, const uint8_t *output,
                    size_t bytes);
/* Whether the output equals the trusted implementation's in `bytes` bytes, and the message is
 * unchanged. */
bool jm_agrees(jm_checker *checker, size_t part, const jm_placed *m, uint64_t key_seed,
               const uint8_t *output, size_t bytes);
/* Whether the status is allowed; `made` tells whether there is an output. The length of a message
 * that an outside library does not take is noted. */
bool jm_accepted(jm_checker *checker, jm_status status, size_t part, uint64_t bytes, bool *made);

/* Notes the wrong output, for a cipher its first wrong block, and the right one. */
void jm_note_outputs(const jm_implementation *self, jm_finding *finding, const uint8_t *got,
                     const uint8_t *expected);
/* Run the cases of streams, of batches and of two threads, whose messages are not tagged by one
 * call each. The last sets keys up and wipes them. */
bool jm_run_streams(jm_checker *checker);
bool jm_run_batch(jm_checker *checker);
bool jm_run_threads(jm_checker *checker);

#endif
