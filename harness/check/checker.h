/* SPDX-License-Identifier: Apache-2.0
 * The parts of a checker. Private to harness/check/. */
#ifndef JM_CHECKER_H
#define JM_CHECKER_H

#include "check.h"
#include "guarded.h"
#include "structured.h"

#define JM_CANARY_BYTES 64u
#define JM_CANARY_BYTE 0xa5
#define JM_UNUSED_BYTE 0x5a                /* fills an output before it is written */
#define JM_STREAMS_MAX 2u                  /* most streams fed in turns */
#define JM_THREAD_BYTES 512u               /* longest message that a cipher encrypts in threads */
#define JM_STOPS 400u                      /* of a replayed case of two threads */
#define JM_BATCH_BYTES (UINT64_C(1) << 20) /* most bytes of all messages of a batch together */

/* Memories of a checker, by their contents. */
enum { JM_IN_MESSAGES, JM_IN_OUTPUTS, JM_IN_KEYS, JM_IN_STATES, JM_MEMORIES };

/* The trusted implementation and its state; jm_trusted_output computes its outputs. */
typedef struct jm_trusted {
    const jm_implementation *table;
    const jm_implementation *checked; /* with which it shares the lengths of nonces */
    uint8_t *state;
    bool key_set;
    uint64_t key_seed;
    size_t key_bytes;
    const uint8_t *every; /* see jm_every_output; NULL: not computed, or it failed */
    uint8_t *long_output; /* the last output; as long as the message for a cipher */
    uint64_t kept_bytes;  /* long_output is of this many zeros under the key set; 0: of another */
} jm_trusted;

struct jm_checker {
    const jm_implementation *self;
    jm_trusted trusted;
    jm_guarded memories[JM_MEMORIES];
    size_t state_stride;    /* bytes from state to state: key states, then states of streams */
    uint64_t refused_bytes; /* messages from this length on are refused; UINT64_MAX: none */
    jm_case current;
    /* The case that runs, and its finding: */
    const jm_case *check_case;
    jm_finding *finding;
    uint64_t calls;
    uint64_t thread_calls; /* those of them made while two threads ran */
    size_t stops;          /* of a thread in a case of two threads */
    bool one_thread;       /* no case of two threads runs: Python code has one lock for all */
    bool keys_change;      /* states of keys may be written while messages are tagged */
};

/* The harness's messages (jm_message_byte) from the first byte on, or bytes 0xff, or zeros, or the
 * structured message written last: at least `bytes` bytes, 0 to jm_pattern_bytes. The address is
 * the same for every call and valid for the life of the process; NULL if there is no memory. */
const uint8_t *jm_pattern(char pattern, uint64_t bytes);
/* The most bytes that jm_pattern holds. */
uint64_t jm_pattern_bytes(char pattern);
/* The first byte of the case's messages in that memory. */
const uint8_t *jm_case_source(const jm_case *check_case);
/* Writes the first `bytes` bytes of the case's structured message into the memory of pattern 's'.
 */
void jm_write_structured(const jm_implementation *self, const jm_case *check_case, uint64_t bytes);

/* As jm_check_every_output for a trusted implementation, kept for the life of the process. The
 * output of length n lies at n x output_bytes, or at 0 for a cipher. NULL if there is no memory. */
const uint8_t *jm_every_output(const jm_implementation *table);

bool jm_trusted_open(jm_trusted *trusted, const jm_implementation *table,
                     const jm_implementation *checked);
void jm_trusted_close(jm_trusted *trusted);

/* The trusted output of the case's call for this key and this message, a piece of jm_pattern; NULL
 * if key or message was refused. */
const uint8_t *jm_trusted_output(jm_trusted *trusted, const jm_case *check_case, uint64_t key_seed,
                                 const uint8_t *message, uint64_t bytes);

size_t jm_round_up_64(size_t bytes);
size_t jm_state_bytes(const jm_implementation *self);
jm_status jm_set_key(const jm_implementation *self, void *state, const uint8_t *key, size_t bytes,
                     size_t nonce_bytes);
/* Wipes a key that was set up; nothing for a hash. */
void jm_wipe_key(const jm_implementation *self, void *state);
/* Length of the nonce of key number `key_seed`: the usual one for half of the keys, else any that
 * both take, most often a short one. */
size_t jm_nonce_bytes(const jm_implementation *self, const jm_implementation *other,
                      uint64_t key_seed);

/* Runs a case under the watch that jm_watch_begin started; fills `finding` in. */
jm_verdict jm_run_case(jm_checker *checker, const jm_case *check_case, jm_finding *finding);

/* Makes the case of a failed finding as small as possible within a second of CPU time. Each smaller
 * case is run; `repeats` tells whether the fault showed again. */
void jm_shrink(jm_checker *checker, jm_finding *finding);

/* CPU time of this thread in ns. */
uint64_t jm_cpu_ns(void);

#endif
