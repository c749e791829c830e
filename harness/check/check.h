/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares an implementation with a trusted implementation: every short length, samples of long
 * lengths, addresses, keys, streams in pieces, batches, repeated calls, and memory that must not be
 * touched. The check knows no published values: its caller compares the trusted implementation with
 * published values.
 */
#ifndef JM_CHECK_H
#define JM_CHECK_H

#include "case.h"
#include "joulemark/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

#define JM_CHECK_EVERY_LENGTH 4200u          /* all lengths from 0 to this, in bytes, are checked */
#define JM_CHECK_LONGEST (UINT64_C(1) << 20) /* longest sampled length, in bytes */

typedef struct jm_checker jm_checker;

typedef enum jm_verdict {
    JM_RIGHT = 0,
    JM_WRONG_OUTPUT,
    JM_WROTE_BEFORE_OUTPUT,
    JM_WROTE_BEHIND_OUTPUT,
    JM_WROTE_MESSAGE,
    JM_WROTE_BEHIND_STATE,
    JM_WROTE_KEY,              /* wrote to the state of a key in a call that takes it as constant */
    JM_TOUCHED_BEYOND_MESSAGE, /* touched a guard page beside the messages */
    JM_TOUCHED_BEYOND_OUTPUT,
    JM_TOUCHED_BEYOND_KEY,
    JM_TOUCHED_BEYOND_STATE,
    JM_REFUSED_KEY,
    JM_REFUSED_MESSAGE,
    JM_NOT_FOR_THIS, /* the case breaks a rule, or needs a call that the implementation lacks */
    JM_NO_MEMORY,
} jm_verdict;

typedef struct jm_finding {
    jm_verdict verdict;
    jm_case smallest;
    bool repeats; /* whether the fault shows again when the smallest case is run a second time */
    size_t part;  /* number of the call or message in the case, from 0 */
    uint64_t message_bytes;
    size_t output_bytes; /* length of `got` and `expected`; 0 where no output was compared */
    uint8_t got[JM_OUTPUT_BYTES_MAX];
    uint8_t expected[JM_OUTPUT_BYTES_MAX];
} jm_finding;

/* How much was checked until the check ended. */
typedef struct jm_coverage {
    uint64_t lengths;      /* from 0 (for a cipher, whole blocks) to JM_CHECK_EVERY_LENGTH */
    uint64_t long_lengths; /* lengths above JM_CHECK_EVERY_LENGTH */
    uint64_t alignments;   /* addresses modulo 64 of message and of output */
    uint64_t keys;
    uint64_t key_lengths;
    uint64_t streams;
    uint64_t batches;
    uint64_t structured;    /* structured messages (structured.h), each of several lengths */
    uint64_t thread_calls;  /* calls of two threads at once, each under its own key */
    uint64_t calls;         /* all calls for the above, repeated calls too */
    uint64_t longest_bytes; /* the longest message */
    uint64_t
        refused_bytes; /* the shortest message that an outside library does not take; 0: none */
} jm_coverage;

/* `trusted` is one of our own kernels of the same algorithm, or `self`, which is then compared with
 * outputs that it computes itself. Both must outlive the checker. NULL if there is no memory. A
 * checker belongs to one thread, and one check runs at a time in a process. */
jm_checker *jm_checker_open(const jm_implementation *self, const jm_implementation *trusted);
void jm_checker_close(jm_checker *checker);
/* The implementation cannot be called by two threads at once, and no case does so. */
void jm_checker_keep_to_one_thread(jm_checker *checker);
/* The implementation writes to the states of keys (JM_KEYS_CHANGE_ENTRY), which is no fault then.
 */
void jm_checker_let_keys_change(jm_checker *checker);

typedef struct jm_check_request {
    uint64_t seed;   /* the same seed gives the same cases */
    uint64_t cpu_ns; /* approximate CPU time; one pass of all kinds of cases runs in any case */
    bool huge;       /* also check messages over 4 GiB, which takes a minute */
    bool slack;      /* no message ends at a guard page: for a library known to read past the end */
} jm_check_request;

/* True if no case failed; else *finding has the smallest case that shows the fault. */
bool jm_check(jm_checker *checker, const jm_check_request *request, jm_coverage *coverage,
              jm_finding *finding);

/* Runs one case; *finding has its verdict, and `smallest` is the case itself. */
jm_verdict jm_check_replay(jm_checker *checker, const jm_case *check_case, jm_finding *finding);

/* Checks one short message between timed windows; `number` chooses its length and addresses. The
 * cost is two calls of the implementation and one key set-up. */
jm_verdict jm_check_spot(jm_checker *checker, uint64_t number, jm_finding *finding);

/* Outputs of all lengths from 0 (for a cipher, from one block) to JM_CHECK_EVERY_LENGTH, one after
 * the other, under key 0: for comparison with outputs of other programs. The caller frees the
 * memory; NULL if there is no memory, or if the implementation refused a call. */
uint8_t *jm_check_every_output(const jm_implementation *self, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
