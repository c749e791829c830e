/* SPDX-License-Identifier: Apache-2.0
 *
 * Leaving no secret behind in the stack and in registers.
 *
 * A compiler copies secrets to places that no C program can name: spilled registers, frames of
 * functions that have returned, vector registers that nobody has used since. So every function of a
 * MAC that sees a secret has two halves. The inner half, JM_APART, does the work. The outer half
 * holds the large objects that are wiped by name, calls the inner half, and ends with
 *
 *     return JM_FORGET(status, STACK_BYTES);
 *
 * which overwrites the STACK_BYTES below the outer half's frame, where all frames of the inner half
 * were, and every register that the ABI lets a function change, except the one with the result.
 *
 * STACK_BYTES is the stack of the deepest call, for every compiler; tests/native/forgets.c measures
 * it. In AVX and AVX-512 files the upper halves of vectors, the further registers and the masks are
 * cleared as well. A file without such instructions cannot have changed them, and so
 *   - the outer half is in the file with the widest instructions of all that it calls, and
 *   - secrets of variable length are copied by jm_copy_secret: memcpy of a C library may use wider
 *     registers than the file that calls it. (A copy of constant length is a few moves; a loop over
 *     words would become memcpy again.)
 * Decision 17 has the reasons and the costs. */
#ifndef JM_FORGET_H
#define JM_FORGET_H

#include "common/compiler.h"
#include "joulemark/kernel.h"

/* An inner half, no part of which becomes a part of another function. GCC's `noipa` would do this
 * too, but GCC then knows less of the callees: CMAC in 32 lanes spills vectors. */
#if defined(__clang__)
#define JM_APART JM_ONCE
#else
#define JM_APART static __attribute__((noinline, noclone))
#endif

#if defined(__x86_64__)

#define JM_ZERO_INTEGERS_                                                                          \
    "xorl %%ecx, %%ecx\n\txorl %%edx, %%edx\n\txorl %%esi, %%esi\n\txorl %%edi, %%edi\n\t"         \
    "xorl %%r8d, %%r8d\n\txorl %%r9d, %%r9d\n\txorl %%r10d, %%r10d\n\txorl %%r11d, %%r11d\n\t"
#define JM_INTEGERS_ "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory"
#define JM_XMM0_TO_15_                                                                             \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",       \
        "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#define JM_EACH_0_TO_15_ "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#define JM_EACH_16_TO_31_ "16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"

/* Writing the low 128 bits with a VEX or EVEX instruction clears all bits above. */
#if defined(__AVX512F__)
#define JM_ZERO_VECTORS_                                                                           \
    ".irp n," JM_EACH_0_TO_15_ "\n\tvpxor %%xmm\\n, %%xmm\\n, %%xmm\\n\n\t.endr\n\t"               \
    ".irp n," JM_EACH_16_TO_31_ "\n\tvpxord %%zmm\\n, %%zmm\\n, %%zmm\\n\n\t.endr\n\t"             \
    ".irp n,0,1,2,3,4,5,6,7\n\tkxorw %%k\\n, %%k\\n, %%k\\n\n\t.endr\n\t"
#define JM_VECTORS_                                                                                \
    JM_XMM0_TO_15_, "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23",        \
        "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2",  \
        "k3", "k4", "k5", "k6", "k7"
#define JM_STORE_ "vmovdqu64 %%zmm0"
#define JM_STORE_BYTES_ "64"
#elif defined(__AVX__)
#define JM_ZERO_VECTORS_                                                                           \
    ".irp n," JM_EACH_0_TO_15_ "\n\tvpxor %%xmm\\n, %%xmm\\n, %%xmm\\n\n\t.endr\n\t"
#define JM_VECTORS_ JM_XMM0_TO_15_
#define JM_STORE_ "vmovdqu %%ymm0"
#define JM_STORE_BYTES_ "32"
#else
#define JM_ZERO_VECTORS_ ".irp n," JM_EACH_0_TO_15_ "\n\tpxor %%xmm\\n, %%xmm\\n\n\t.endr\n\t"
#define JM_VECTORS_ JM_XMM0_TO_15_
#define JM_STORE_ "movups %%xmm0"
#define JM_STORE_BYTES_ "16"
#endif

/* The value of `status_`, an lvalue of type jm_status. `stack_bytes_` is a constant, a multiple of
 * 64. The stack pointer is lowered meanwhile, so that no signal handler's frame is overwritten. */
#define JM_FORGET(status_, stack_bytes_)                                                           \
    __extension__({                                                                                \
        jm_status forget_status_ = (status_);                                                      \
        _Static_assert((stack_bytes_) % 64 == 0, "whole vectors");                                 \
        __asm__ volatile(JM_ZERO_VECTORS_ JM_ZERO_INTEGERS_                                        \
                         "movl %%eax, %%eax\n\t"                                                   \
                         "leaq -%c[stack](%%rsp), %%rsp\n\t"                                       \
                         ".set jm_forget_at, 0\n\t"                                                \
                         ".rept %c[stack] / " JM_STORE_BYTES_ "\n\t" JM_STORE_                     \
                         ", jm_forget_at(%%rsp)\n\t"                                               \
                         ".set jm_forget_at, jm_forget_at + " JM_STORE_BYTES_ "\n\t.endr\n\t"      \
                         "leaq %c[stack](%%rsp), %%rsp"                                            \
                         : "+a"(forget_status_)                                                    \
                         : [stack] "i"(stack_bytes_)                                               \
                         : JM_INTEGERS_, JM_VECTORS_);                                             \
        forget_status_;                                                                            \
    })

static inline void jm_copy_secret(void *to, const void *from, size_t bytes) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

#elif defined(__AVR__)

/* The stack grows down from the byte that its pointer names, and an interrupt's frame, which is
 * dead when these instructions go on, may be overwritten. The compiler keeps r1 at zero. The flag T
 * has a bit of the word that was rotated last, and the flag H a bit of a sum. */
#define JM_FORGET(status_, stack_bytes_)                                                           \
    __extension__({                                                                                \
        jm_status forget_status_ = (status_);                                                      \
        _Static_assert((stack_bytes_) % 16 == 0 && (stack_bytes_) < 4096, "a counted loop");       \
        __asm__ volatile("in r30, __SP_L__\n\t"                                                    \
                         "in r31, __SP_H__\n\t"                                                    \
                         "adiw r30, 1\n\t"                                                         \
                         "ldi r26, %[pieces]\n"                                                    \
                         "1:\n\t"                                                                  \
                         ".rept 16\n\tst -Z, r1\n\t.endr\n\t"                                      \
                         "dec r26\n\t"                                                             \
                         "brne 1b\n\t"                                                             \
                         ".irp n,0,18,19,20,21,22,23,27,30,31\n\tclr r\\n\n\t.endr\n\t"            \
                         "clt\n\tcp r1, r1"                                                        \
                         : "+r"(forget_status_)                                                    \
                         : [pieces] "M"((stack_bytes_) / 16)                                       \
                         : "r18", "r19", "r20", "r21", "r22", "r23", "r26", "r27", "r30", "r31",   \
                           "cc", "memory");                                                        \
        forget_status_;                                                                            \
    })

static inline void jm_copy_secret(void *to, const void *from, size_t bytes) {
    __builtin_memcpy(to, from, bytes);
}

#else

/* The macros of this branch overwrite every byte below the outer half's frame. No other function's
 * frame may lie in between: a frame has gaps, in which secrets of an earlier frame stay. */
#if defined(JM_FREESTANDING) && defined(__arm__)
/* An interrupt never finds the stack pointer above the words pushed: zeros, the old pointer and the
 * counter, which a short stack, written without a loop, does not need. A function without calls may
 * have kept a secret in lr. */
#define JM_FORGET(status_, stack_bytes_)                                                           \
    __extension__({                                                                                \
        register jm_status forget_status_ __asm__("r0") = (status_);                               \
        _Static_assert((stack_bytes_) % 32 == 0 && (stack_bytes_) < 8192, "a counted loop");       \
        __asm__ volatile(".syntax unified\n\tmov r12, r0\n\tmov r2, sp\n\t"                        \
                         "movs r0, #0\n\tmovs r1, #0\n\t"                                          \
                         ".if %c[pieces] <= 6\n\tmovs r3, #0\n\t"                                  \
                         ".rept 2 * %c[pieces]\n\tpush {r0, r1, r2, r3}\n\t.endr\n\t"              \
                         ".else\n\tmovs r3, %[pieces]\n"                                           \
                         "1:\n\tpush {r0, r1, r2, r3}\n\tpush {r0, r1, r2, r3}\n\t"                \
                         "subs r3, #1\n\tbne 1b\n\t.endif\n\tmov sp, r2\n\t"                       \
                         "mov r0, r12\n\tmov r12, r1\n\tmov lr, r1"                                \
                         : "+r"(forget_status_)                                                    \
                         : [pieces] "i"((stack_bytes_) / 32)                                       \
                         : "r1", "r2", "r3", "r12", "lr", "cc", "memory");                         \
        forget_status_;                                                                            \
    })
#elif defined(JM_FREESTANDING) && defined(__riscv) && __riscv_xlen == 32
#define JM_FORGET(status_, stack_bytes_)                                                           \
    __extension__({                                                                                \
        register jm_status forget_status_ __asm__("a0") = (status_);                               \
        _Static_assert((stack_bytes_) % 32 == 0 && (stack_bytes_) < 2048, "a counted loop");       \
        __asm__ volatile("addi sp, sp, -%c[stack]\n\t"                                             \
                         ".if %c[stack] <= 192\n\t.set jm_forget_at, 0\n\t"                        \
                         ".rept %c[stack] / 4\n\tsw zero, jm_forget_at(sp)\n\t"                    \
                         ".set jm_forget_at, jm_forget_at + 4\n\t.endr\n\t"                        \
                         "addi sp, sp, %c[stack]\n\t.else\n\t"                                     \
                         "mv t0, sp\n\taddi t1, sp, %c[stack]\n"                                   \
                         "1:\n\t.irp n,0,4,8,12,16,20,24,28\n\tsw zero, \\n(t0)\n\t.endr\n\t"      \
                         "addi t0, t0, 32\n\tbne t0, t1, 1b\n\tmv sp, t1\n\t.endif"                \
                         : "+r"(forget_status_)                                                    \
                         : [stack] "i"(stack_bytes_)                                               \
                         : "t0", "t1", "memory");                                                  \
        forget_status_;                                                                            \
    })
#elif defined(__MSP430__)
/* Compilers for the MSP430 clear no registers, so this does. */
#define JM_FORGET(status_, stack_bytes_)                                                           \
    __extension__({                                                                                \
        register jm_status forget_status_ __asm__("r12") = (status_);                              \
        _Static_assert((stack_bytes_) % 16 == 0, "eight words at a time");                         \
        __asm__ volatile("mov %[pieces], r15\n"                                                    \
                         "1:\n\t.rept 8\n\tpush #0\n\t.endr\n\tdec r15\n\tjnz 1b\n\t"              \
                         "add %[stack], r1\n\tclr r11\n\tclr r13\n\tclr r14\n\tclr r15"            \
                         : "+r"(forget_status_)                                                    \
                         : [stack] "i"(stack_bytes_), [pieces] "i"((stack_bytes_) / 16)            \
                         : "r11", "r13", "r14", "r15", "cc", "memory");                            \
        forget_status_;                                                                            \
    })
#else
#define JM_FORGET(status_, stack_bytes_)                                                           \
    __extension__({                                                                                \
        const jm_status forget_status_ = (status_);                                                \
        void *const below_ = __builtin_alloca(stack_bytes_);                                       \
        __builtin_memset(below_, 0, (stack_bytes_));                                               \
        JM_KEEP_STORES(below_);                                                                    \
        forget_status_;                                                                            \
    })
#endif
/* On the other machines of this branch the compiler clears the registers: CMakeLists.txt and the
 * manifests of firmware have its flag, -fzero-call-used-regs=used. */

static inline void jm_copy_secret(void *to, const void *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
        JM_SYNC_MEMORY(); /* or it becomes a call of memcpy */
    }
}

#endif

/* A word of every live key state and stream, whose other words may have any value. Wiped memory has
 * another word in its place, and so, most likely, has memory that was never set. */
#define JM_LIVE UINT64_C(0x4a6f756c654b6579)

/* Clears the tags, so that after JM_ERR_ENDED the outputs hold no tag under a wiped key. */
static inline void jm_take_back(const jm_mac_message *messages, size_t count, size_t tag_bytes) {
    for (size_t i = 0; i < count; i++) __builtin_memset(messages[i].tag, 0, tag_bytes);
}

#endif
