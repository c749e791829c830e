/* SPDX-License-Identifier: Apache-2.0
 * The secrets of a test as a set of words, and the search for them in memory and in registers.
 *
 * Secrets lie in memory in many forms: as bytes, with their bytes swapped, word by word in lanes,
 * repeated in all lanes. Each form is a row of 32-bit words; two words of secrets side by side are
 * a find. With a thousand words of random keys, one pair in 10^14 is a find by chance. */
#ifndef JM_TEST_SECRETS_H
#define JM_TEST_SECRETS_H

#include <stdbool.h>

#include "capture.h"

/* Forgets all secrets. */
void secrets_clear(void);
/* Adds every word of `bytes` (a multiple of 4) at `from`, combined with `mask` by XOR, as it is and
 * with its bytes swapped. Words that any memory has are passed over. `name` is kept as a pointer.
 */
void secrets_add(const char *name, const void *from, size_t bytes, uint32_t mask);
/* Takes the words out that somebody may know. */
void secrets_remove(const void *from, size_t bytes);

typedef struct {
    const char *name; /* NULL: nothing was found */
    size_t at;        /* offset in the memory */
} find;

find secrets_in_memory(const void *memory, size_t bytes);
find secrets_in_registers(const registers *left, const char **place);

#endif
