/* SPDX-License-Identifier: Apache-2.0
 * The checksums of SUPERCOP (Bernstein and Lange, eBACS; try-anything.c of 2019-07-29 and the try.c
 * of each operation), which tell whether an implementation computes a primitive: one digest of its
 * outputs on inputs from a generator. Hashes are tried as crypto_hash, MACs as crypto_auth and
 * crypto_onetimeauth, whose checksums are made alike. */
#ifndef JM_SUPERCOP_CHECKSUM_H
#define JM_SUPERCOP_CHECKSUM_H

#include "joulemark/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

#define JM_SUPERCOP_CHECKSUM_BYTES 32u

/* The function itself; its output may overwrite its key or its message. Returns 0 on success. */
typedef int (*jm_supercop_compute)(const unsigned char *key, size_t key_bytes,
                                   const unsigned char *message, size_t message_bytes,
                                   unsigned char *output);
/* crypto_auth_verify or crypto_onetimeauth_verify: returns 0 for the right tag. */
typedef int (*jm_supercop_verify)(const unsigned char *tag, const unsigned char *message,
                                  unsigned long long message_bytes, const unsigned char *key);
/* Names under which a plugin made of code in the layout of eBACS exports these two functions. */
#define JM_SUPERCOP_COMPUTE_ENTRY "joulemark_own_call"
#define JM_SUPERCOP_VERIFY_ENTRY "joulemark_own_verify"

typedef struct jm_supercop_request {
    size_t key_bytes;            /* length of a MAC's keys */
    size_t output_bytes;         /* digested of each output; at most the implementation's */
    bool big;                    /* checksumbig: messages to 4096 bytes, eight times as many */
    jm_supercop_compute compute; /* tried on each message for the faults of jm_supercop_fault; NULL:
                                    the checksum alone */
    jm_supercop_verify verify;   /* tried with right and with forged tags; NULL: not exported */
} jm_supercop_request;

/* Faults that SUPERCOP refuses beside a wrong checksum. */
typedef enum jm_supercop_fault {
    JM_SUPERCOP_SOUND = 0,
    JM_SUPERCOP_WROTE_OUTSIDE,     /* wrote before or behind its output */
    JM_SUPERCOP_WROTE_INPUT,       /* wrote into its message, its key or a tag, or round them */
    JM_SUPERCOP_NOT_DETERMINISTIC, /* another output, or bytes not written, in a second call */
    JM_SUPERCOP_NO_OVERLAP,        /* another output where the output overwrites the message */
    JM_SUPERCOP_NO_KEY_OVERLAP,    /* another output where the output overwrites the key */
    JM_SUPERCOP_RETURNED,          /* the function returned another value than 0 */
    JM_SUPERCOP_REFUSED_TAG,       /* verify refused a right tag */
    JM_SUPERCOP_ACCEPTED_FORGERY,  /* verify accepted a wrong tag */
} jm_supercop_fault;

typedef struct jm_supercop_answer {
    uint8_t checksum[JM_SUPERCOP_CHECKSUM_BYTES]; /* undefined after a fault */
    jm_supercop_fault fault;
    size_t message_bytes; /* length of the message that showed the fault */
} jm_supercop_answer;

/* Computes the checksum; ends at the first fault. Errors: those of the implementation,
 * JM_ERR_MEMORY, and JM_ERR_LIBRARY for a cipher, since SUPERCOP has no operation for ciphers. */
jm_status jm_supercop_checksum(const jm_implementation *self, const jm_supercop_request *request,
                               jm_supercop_answer *answer);

#ifdef __cplusplus
}
#endif
#endif
