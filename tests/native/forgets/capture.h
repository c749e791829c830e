/* SPDX-License-Identifier: Apache-2.0
 * Calls a function on a separate stack and keeps the registers as they are after the call. */
#ifndef JM_TEST_CAPTURE_H
#define JM_TEST_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

/* The registers that the System V ABI lets a function change, as the call left them. */
typedef struct {
    uint64_t integer[9]; /* rax, rcx, rdx, rsi, rdi, r8 to r11 */
    uint64_t width;      /* given: bytes of the vectors of this CPU: 16, 32 or 64 */
    uint64_t mask[8];
    uint8_t vector[32][64]; /* 16 of them unless their width is 64 */
} registers;

/* Calls function(argument[0], ... argument[5]) with the stack that ends at `stack_top` (aligned to
 * 16) and clear vectors, and stores the registers at once. Returns the function's result. */
uint64_t call_and_capture(const void *function, const uint64_t argument[6], void *stack_top,
                          registers *left);

/* Bytes of this CPU's vectors. */
uint64_t vector_bytes(void);

#endif
