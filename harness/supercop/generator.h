/* SPDX-License-Identifier: Apache-2.0
 * The two parts of SUPERCOP's checksums: a generator of inputs and an accumulator of outputs. */
#ifndef JM_SUPERCOP_GENERATOR_H
#define JM_SUPERCOP_GENERATOR_H

#include <stddef.h>
#include <stdint.h>

#define JM_SUPERCOP_STATE_BYTES 64u

/* The next `bytes` bytes, 0 or more; *nonce, 0 at first, counts the requests. */
void jm_supercop_generate(uint64_t *nonce, uint8_t *to, size_t bytes);

/* The next eight bytes, little-endian. */
uint64_t jm_supercop_generate_number(uint64_t *nonce);

/* Absorbs an output of `bytes` bytes, 0 or more, into a state that is zero at first. */
void jm_supercop_accumulate(uint8_t state[JM_SUPERCOP_STATE_BYTES], const uint8_t *output,
                            size_t bytes);

#endif
