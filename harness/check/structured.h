/* SPDX-License-Identifier: Apache-2.0
 * Keys and messages at which sums carry from limb to limb: single bits, runs of ones, limbs at
 * their ends, and values chosen for the key, so that an inner sum of Poly1305, GMAC, UMAC or VMAC
 * reaches an end of its range. Of random messages one in 2^32, or far fewer, does, and some lost
 * carries show in no other.
 * Private to harness/check/. */
#ifndef JM_CHECK_STRUCTURED_H
#define JM_CHECK_STRUCTURED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "case.h"
#include "joulemark/kernel.h"

/* Forms of 16 bytes, read as a little-endian number: a form is a kind, then FORM_AT times a place
 * (0 to 127), and where the kind takes random bits, FORM_SEED times any number. */
enum {
    JM_FORM_ZEROS,
    JM_FORM_ONES,
    JM_FORM_ONE_BIT,    /* 2^place */
    JM_FORM_ONE_ZERO,   /* all bits but that one */
    JM_FORM_ONES_BELOW, /* 2^place - 1 */
    JM_FORM_ONES_FROM,  /* -2^place */
    JM_FORM_SMALL,      /* the place itself */
    JM_FORM_FEW_LESS,   /* all ones less the place */
    JM_FORM_BYTES,      /* each byte 00 or ff */
    JM_FORM_LIMBS_26,   /* each limb 0, 1, its most, one less, or its highest bit */
    JM_FORM_LIMBS_32,
    JM_FORM_LIMBS_44,
    JM_FORM_LIMBS_64,
    JM_FORM_JUST_ABOVE, /* 2^place, and random bits far below */
    JM_FORM_JUST_BELOW,
    JM_FORM_RANDOM,
    JM_FORMS,
};
#define JM_FORM_AT 16u
#define JM_FORM_SEED 2048u

/* Keys with this number, or a higher one, are structured: bits 0 to 30 are the form of the first 16
 * bytes, the third and so on, bits 32 to 62 the form of the others. */
#define JM_STRUCTURED_KEYS (UINT64_C(1) << 63)
/* Messages with a lower number have one form, their number, in all blocks of 16 bytes. */
#define JM_PLAIN_MESSAGES JM_FORM_SEED
#define JM_STRUCTURED_BYTES 65536u /* most bytes of structured messages that a case reads */

/* splitmix64 (Steele, Lea and Flood, 2014): neighbouring numbers give unrelated words. */
uint64_t jm_mixed(uint64_t word);
/* The next word of a generator, and that word modulo `limit`. */
uint64_t jm_next_word(uint64_t *chance);
uint64_t jm_next_below(uint64_t *chance, uint64_t limit);

void jm_structured_block(uint64_t form, uint8_t block[16]);

/* Structured cases of this algorithm that every check runs: numbers 0 to this. */
uint64_t jm_structured_count(const jm_implementation *self);
/* A case with one structured message, for any number below 2^32. The first cases of Poly1305 have
 * every bit of r alone, with blocks of ones, nearly ones and 1. */
jm_case jm_structured_case(const jm_implementation *self, uint64_t number);

/* Bytes of structured message `number` of this algorithm: a multiple of 16. One message in 64 has
 * more than 4 KiB, at most JM_LONGEST_STRUCTURED, since code may treat long messages in another
 * way. */
#define JM_LONGEST_STRUCTURED 16384u
bool jm_is_long_structured(uint64_t *chance);
size_t jm_structured_message_bytes(const jm_implementation *self, uint64_t number);
/* Writes the first `bytes` bytes of structured message `number`, which may be for this key; blocks
 * of the same kinds follow behind its end. */
void jm_structured_message(const jm_implementation *self, const uint8_t *key, size_t key_bytes,
                           uint64_t number, uint8_t *to, size_t bytes);

/* Whether the algorithm's name begins so. */
bool jm_is_named(const jm_implementation *self, const char *beginning);
/* Steered messages (steered.c): whether the algorithm has them, as all MACs have whose tag is a
 * polynomial or a field's sum; the bytes of one; and one, which replaces the `bytes` bytes at `to`.
 */
bool jm_can_be_steered(const jm_implementation *self);
size_t jm_steered_bytes(const jm_implementation *self, uint64_t *chance);
void jm_steer(const jm_implementation *self, const uint8_t *key, uint64_t *chance, uint8_t *to,
              size_t bytes);

#endif
