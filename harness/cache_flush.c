/* SPDX-License-Identifier: Apache-2.0
 * CLFLUSH is part of SSE2, hence of every x86-64 (Intel SDM vol. 2A); MFENCE orders it. */
#include "cache_flush.h"

#if defined(__x86_64__)
#include <emmintrin.h>

#define CACHE_LINE_BYTES 64u

bool jm_can_flush(void) {
    return true;
}

void jm_flush(const void *from, size_t bytes) {
    const char *line = from;
    for (size_t at = 0; at < bytes; at += CACHE_LINE_BYTES) _mm_clflush(line + at);
    if (bytes) _mm_clflush(line + bytes - 1);
    _mm_mfence();
}

#else

bool jm_can_flush(void) {
    return false;
}
void jm_flush(const void *from, size_t bytes) {
    (void)from;
    (void)bytes;
}

#endif
