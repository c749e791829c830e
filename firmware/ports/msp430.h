/* SPDX-License-Identifier: Apache-2.0
 * The port of MSP430: a mark is a call of a function at whose first instruction mspdebug stops. The
 * answer is written to a peripheral address that no peripheral uses; mspdebug logs the writes. */
#ifndef JM_TARGET_PORT_H
#define JM_TARGET_PORT_H

#include <stdint.h>

#define JM_PORT_PUT (*(volatile uint8_t *)0xf1)

extern uint8_t jm_free_ram[]; /* defined by ports/msp430.ld */

void jm_port_mark_here(uint8_t number);
void jm_port_ended(void);

static inline void jm_port_mark(uint8_t number) {
    jm_port_mark_here(number);
}

static inline void jm_port_put(uint8_t byte) {
    JM_PORT_PUT = byte;
}

static inline void jm_port_end(void) {
    for (;;) jm_port_ended();
}

static inline uintptr_t jm_port_stack(void) {
    uintptr_t pointer;
    __asm__ volatile("mov r1, %0" : "=r"(pointer));
    return pointer;
}

static inline uint8_t *jm_port_free_ram(void) {
    return jm_free_ram;
}

#endif
