/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that the bench needs from a target. The build names the header with these functions
 * as JM_TARGET_PORT. They are `static inline`, so that every mark costs the same few instructions.
 *
 *     void jm_port_mark(uint8_t number)   the simulator notes core cycles and instructions now
 *     void jm_port_put(uint8_t byte)      the simulator writes down one byte of the answer
 *     void jm_port_end(void)              the simulator stops; does not return
 *     uintptr_t jm_port_stack(void)       the stack pointer now
 *     uint8_t *jm_port_free_ram(void)     the first byte above all variables, below the stack
 */
#ifndef JM_BENCH_PORT_H
#define JM_BENCH_PORT_H

#include <stdint.h>

/* Numbers of marks, which come in pairs. */
enum {
    JM_MARK_NOTHING = 1, /* 1 and 2 with nothing between: the cost of a pair of marks */
    JM_MARK_KEY = 3,     /* 3 and 4: before and after the key set-up */
    JM_MARK_MESSAGE = 5, /* 5 and 6: before and after one message */
};

#include JM_TARGET_PORT

#endif
