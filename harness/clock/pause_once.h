/* SPDX-License-Identifier: Apache-2.0
 * The instruction for a loop that waits: it leaves the core's units to the other hardware thread
 * and saves power. */
#ifndef JM_PAUSE_ONCE_H
#define JM_PAUSE_ONCE_H

static inline void jm_pause_once(void) {
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#else
    __asm__ volatile("" ::: "memory");
#endif
}

#endif
