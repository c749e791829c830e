/* SPDX-License-Identifier: Apache-2.0
 * Calls a function on a separate stack and keeps the registers as they are after the call. */
#ifndef JM_TEST_CAPTURE_H
#define JM_TEST_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

/* The general registers that the ABI lets a function change, and the vectors or floating-point
 * registers. JM_CAPTURED: the search is written for this machine. */
#if defined(__x86_64__)
#define JM_CAPTURED
enum { INTEGERS = 9 }; /* rax, rcx, rdx, rsi, rdi, r8 to r11 */
#elif defined(__aarch64__)
#define JM_CAPTURED
enum { INTEGERS = 19, VECTORS = 32 }; /* x0 to x18; v0 to v31, of which v8 to v15 in part */
#elif defined(__riscv) && __riscv_xlen == 64 && defined(__riscv_flen)
#define JM_CAPTURED
enum { INTEGERS = 15, VECTORS = 20 }; /* a0 to a7, t0 to t6; ft0 to ft11, fa0 to fa7 */
#elif defined(__s390x__)
#define JM_CAPTURED
enum { INTEGERS = 6, VECTORS = 8 }; /* r0 to r5; f0 to f7 */
#elif defined(__i386__)
#define JM_CAPTURED
enum { INTEGERS = 3, VECTORS = 8 }; /* eax, ecx, edx */
#elif defined(__arm__) && defined(__ARM_FP)
#define JM_CAPTURED
enum { INTEGERS = 5, VECTORS = 8 }; /* r0 to r3, r12; d0 to d7 */
#else
enum { INTEGERS = 1, VECTORS = 0 };
#endif

/* The registers as the call left them. */
typedef struct {
    uint64_t integer[INTEGERS];
    uint64_t width; /* given: bytes of the vectors of this CPU: 8, 16, 32 or 64 */
    uint64_t mask[8];
    uint8_t vector[32][64];
} registers;

/* How many vectors are stored. */
static inline size_t vector_count(const registers *left) {
#if defined(__x86_64__)
    return left->width == 64 ? 32 : 16;
#else
    (void)left;
    return VECTORS;
#endif
}

/* Calls function(argument[0], ... argument[5]) with the stack that ends at `stack_top` (aligned to
 * 16) and clear vectors, and stores the registers at once. Returns the function's result. */
uint64_t call_and_capture(const void *function, const uint64_t argument[6], void *stack_top,
                          registers *left);

/* Bytes of this CPU's vectors. */
uint64_t vector_bytes(void);

#endif
