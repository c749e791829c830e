/* SPDX-License-Identifier: Apache-2.0
 * The port of targets with addresses of 32 bits: three words at 0x40000000, where there is no
 * memory. The simulator acts on writes to them. */
#ifndef JM_TARGET_PORT_H
#define JM_TARGET_PORT_H

#include <stdint.h>

#define JM_PORT ((volatile uint32_t *)0x40000000)

extern uint8_t jm_free_ram[]; /* defined by ports/flat.ld */

static inline void jm_port_mark(uint8_t number) {
    JM_PORT[0] = number;
}

static inline void jm_port_put(uint8_t byte) {
    JM_PORT[1] = byte;
}

static inline void jm_port_end(void) {
    for (;;) JM_PORT[2] = 0;
}

static inline uintptr_t jm_port_stack(void) {
    uintptr_t pointer;
#if defined(__arm__)
    __asm__ volatile("mov %0, sp" : "=r"(pointer));
#else
    __asm__ volatile("mv %0, sp" : "=r"(pointer));
#endif
    return pointer;
}

static inline uint8_t *jm_port_free_ram(void) {
    return jm_free_ram;
}

#endif
