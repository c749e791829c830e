/* SPDX-License-Identifier: Apache-2.0
 * For programs that check kernels: state memory of the exact size, and an exit with a message. */
#ifndef JM_CHECK_EXACT_H
#define JM_CHECK_EXACT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "joulemark/kernel.h"

#define CHECK(condition, implementation, ...)                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s/%s: ", __FILE__, __LINE__, (implementation)->algorithm,     \
                    (implementation)->variant);                                                    \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fprintf(stderr, " (%s)\n", #condition);                                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* `bytes` of heap, aligned for a state and not one byte longer, so that AddressSanitizer and
 * valgrind see an access past the end. The caller frees it. */
static inline void *exact_state(size_t bytes) {
    void *memory = NULL;
    if (posix_memalign(&memory, JM_STATE_ALIGN, bytes ? bytes : 1)) abort();
    memset(memory, 0xa5, bytes);
    return memory;
}

static inline bool can_run(const jm_implementation *implementation) {
    return !(implementation->cpu_features & ~jm_cpu_features());
}

#endif
