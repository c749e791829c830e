/* SPDX-License-Identifier: Apache-2.0
 * x86-64: CLFLUSH is part of SSE2, hence of every x86-64 (Intel SDM vol. 2A); MFENCE orders it.
 * AArch64: DC CIVAC cleans and invalidates a line to the point of coherency, beyond all caches of
 * the core, and user mode may use it where the system allows, as Linux does (SCTLR_EL1.UCI);
 * CTR_EL0 has the length of a line, which Linux lets user mode read (SCTLR_EL1.UCT) or emulates. */
#include "cache_flush.h"

#include <stdint.h>

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

#elif defined(__aarch64__) && defined(__linux__)

bool jm_can_flush(void) {
    return true;
}

/* CTR_EL0.DminLine: the shortest line of all data caches, as a power of two of words of 4 bytes. */
static uintptr_t line_bytes(void) {
    uint64_t types;
    __asm__("mrs %0, ctr_el0" : "=r"(types));
    return (uintptr_t)4 << (types >> 16 & 15);
}

void jm_flush(const void *from, size_t bytes) {
    const uintptr_t line = line_bytes(), end = (uintptr_t)from + bytes;
    for (uintptr_t at = (uintptr_t)from & ~(line - 1); at < end; at += line)
        __asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
    __asm__ volatile("dsb ish" : : : "memory");
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
