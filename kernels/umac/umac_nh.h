/* SPDX-License-Identifier: Apache-2.0
 * Sizes of NH, UMAC's first layer (RFC 4418, section 5.2). Iteration n takes the key 16 n bytes
 * further on. A chunk of 32 bytes is multiplied half by half: of words 0 to 3 with words 4 to 7. */
#ifndef JM_UMAC_NH_H
#define JM_UMAC_NH_H

#include "common/compiler.h"
#include "common/pad_block.h"
#include "umac/umac.h"

enum { UMAC_ITERATIONS_MAX = 4, UMAC_CHUNK_BYTES = 32 };
#define UMAC_NH_WORDS(iterations) (JM_UMAC_BLOCK_BYTES / 4 + 4 * ((iterations)-1))

#endif
