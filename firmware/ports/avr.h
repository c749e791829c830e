/* SPDX-License-Identifier: Apache-2.0
 * The port of AVR targets: three I/O addresses that are reserved on ATmega128 and ATmega328P. The
 * simulator (firmware/simulators/simavr.c) acts on writes to them. */
#ifndef JM_TARGET_PORT_H
#define JM_TARGET_PORT_H

#include <stdint.h>

#define JM_PORT_MARK (*(volatile uint8_t *)0xf0)
#define JM_PORT_PUT (*(volatile uint8_t *)0xf1)
#define JM_PORT_END (*(volatile uint8_t *)0xf2)

extern uint8_t __heap_start[]; /* defined by the linker's script */

static inline void jm_port_mark(uint8_t number) {
    JM_PORT_MARK = number;
}

static inline void jm_port_put(uint8_t byte) {
    JM_PORT_PUT = byte;
}

static inline void jm_port_end(void) {
    for (;;) JM_PORT_END = 0;
}

static inline uintptr_t jm_port_stack(void) {
    return *(volatile uint16_t *)0x5d; /* SPH:SPL */
}

static inline uint8_t *jm_port_free_ram(void) {
    return __heap_start;
}

#endif
