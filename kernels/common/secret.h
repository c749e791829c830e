/* SPDX-License-Identifier: Apache-2.0
 *
 * Secrets and the compiler: hints, erasing and comparing, and leaving nothing behind in the stack
 * and in registers. */
#ifndef JM_SECRET_H
#define JM_SECRET_H

#include "joulemark/kernel.h"

#include <string.h>

/* ---- hints to the compiler ----
 *
 * Each use says what the compiler would do without the hint. The hints steer optimisations, never
 * results: with every macro empty, tags would be the same. */

#define JM_INLINE static inline __attribute__((always_inline))
/* For large functions that several places call: inlined into each, they fill the instruction
 * cache. */
#define JM_ONCE static __attribute__((noinline))

/* Defined for CPUs whose registers hold no quad: code that all variants share then moves single
 * bytes. The variants mcu8 and mcu32 define it on any machine, so that the host tests this code. */
#if defined(JM_FREESTANDING) && !defined(JM_NARROW)
#define JM_NARROW
#endif

/* The value of `target_` for code that any CPU runs. */
#define JM_TARGET_ANY

/* `x` keeps its value, but the compiler forgets all that it knows of the value. `where_` is the
 * place of `x` meanwhile: "r" for a general register, "x" or "v" for a vector register of AVX2 or
 * AVX-512, "m" for memory. The compiler regroups no sum across a JM_PIN, but may move it or leave
 * it out. A JM_HIDE stays where it stands. */
#define JM_PIN(where_, x) __asm__("" : "+" where_(x))
#define JM_HIDE(where_, x) __asm__ volatile("" : "+" where_(x))

/* A JM_HIDE of the pointer `x` and of the memory that it points to. */
#define JM_HIDE_WITH_MEMORY(x) __asm__ volatile("" : "+r"(x) : : "memory")

/* `vec_pin` of a header of lanes/, for Clang alone: GCC leaves the vector `x` as it is written. */
#if defined(__clang__)
#define VEC_PIN_IN_CLANG(x) vec_pin(x)
#else
#define VEC_PIN_IN_CLANG(x) (x)
#endif

/* The compiler stores all values of memory before this point, and loads them again after it. */
#define JM_SYNC_MEMORY() __asm__ volatile("" : : : "memory")
/* To the compiler, the memory that `secret` points to is read here: stores to it remain. */
#define JM_KEEP_STORES(secret) __asm__ volatile("" : : "r"(secret) : "memory")
/* Unrolls the loop that follows, if its number of turns, up to `count_`, is constant once its
 * function is inlined. With "GCC unroll" Clang leaves such a loop with single turns. */
#define JM_PRAGMA_(text_) _Pragma(#text_)
#if defined(__clang__)
#define JM_UNROLL(count_) JM_PRAGMA_(clang loop unroll(full))
#else
#define JM_UNROLL(count_) JM_PRAGMA_(GCC unroll count_)
#endif
/* The compiler neither merges nor interchanges loops across this place. */
#define JM_KEEP_LOOP() __asm__ volatile("")

/* ---- erasing and comparing ---- */

/* Erases `bytes` at `secret` in a way the compiler may not remove. Inlined, because short states
 * are wiped once per message and a call would cost as much as the stores. `secret` may be NULL when
 * bytes is 0. */
static inline void jm_wipe(void *secret, size_t bytes) {
    if (bytes) memset(secret, 0, bytes);
    JM_KEEP_STORES(secret);
}

/* All bits set if `condition` is 1, none if it is 0. The compiler does not see that the mask comes
 * from a comparison: of `x & (0 - (a < b))` GCC 14 makes a branch. */
JM_INLINE uint64_t jm_mask_if(uint64_t condition) {
    JM_PIN("r", condition);
    return 0 - condition;
}

/* 1 if the `bytes` at `a` and `b` are equal, else 0; 1 for zero bytes. The time depends on
 * `bytes` alone: differences are gathered with OR, and the accumulator's value is hidden so
 * that no compiler turns the loop into a loop that stops early. */
static inline int jm_equal_ct(const uint8_t *a, const uint8_t *b, size_t bytes) {
    uint64_t different = 0;
    size_t at = 0;
    for (; bytes - at >= sizeof different; at += sizeof different) {
        uint64_t word_a, word_b;
        memcpy(&word_a, a + at, sizeof word_a);
        memcpy(&word_b, b + at, sizeof word_b);
        different |= word_a ^ word_b;
        JM_HIDE("r", different);
    }
    for (; at < bytes; at++) {
        different |= (uint64_t)(a[at] ^ b[at]);
        JM_HIDE("r", different);
    }
    /* Of a number and its negative at least one has bit 63 set, unless the number is 0. */
    return (int)(((different | (0 - different)) >> 63) ^ 1);
}

/* ---- leaving nothing behind ----
 *
 * A compiler copies secrets to places that no C program can name: spilled registers, frames of
 * functions that have returned, vector registers that nobody has used since. So every function of a
 * MAC that sees a secret has two halves. The inner half, JM_APART, does the work. The outer half
 * holds the large objects that are wiped by name, calls the inner half, and ends with
 *
 *     return JM_FORGET(status, STACK_BYTES);
 *
 * which overwrites the STACK_BYTES below the outer half's frame, where all frames of the inner half
 * were, and every register that the ABI lets a function change, except the one with the result:
 * general registers, all vectors that this CPU has, whichever of them the file itself may use, and
 * masks.
 *
 * How deep the frames of an inner half are is the compiler's choice. So each JM_FORGET notes its
 * STACK_BYTES in the section `jm_forget_depths` of the object file, and the build compares it with
 * the frames that this compiler made (tools/measure_frames.py). Where a frame is deeper, and on
 * machines for which nothing is written here, jm_mac_wiping_doubt() says so.
 *
 * Secrets of variable length are copied by jm_copy_secret, since memcpy of a C library may be bound
 * late, by a linker that stores registers on the stack. (A copy of constant length is a few moves;
 * a loop over words would become memcpy again.) Decision 17 has the reasons and the costs. */

/* An inner half, no part of which becomes a part of another function. GCC's `noipa` would do this
 * too, but GCC then knows less of the callees: CMAC in 32 lanes spills vectors. */
#if defined(__clang__)
#define JM_APART JM_ONCE
#else
#define JM_APART static __attribute__((noinline, noclone))
#endif

#if defined(JM_FREESTANDING) || defined(__AVR__) || defined(__MSP430__)
#include "common/forget_firmware.h"
#else

#define JM_TEXT_OF_(x) #x
#define JM_TEXT_(x) JM_TEXT_OF_(x)
/* As the linker knows the function: some systems put an underscore before each name. */
#define JM_FORGET_BELOW_ JM_TEXT_(__USER_LABEL_PREFIX__) "jm_forget_below"

/* For each machine: the register with a function's result, the call of jm_forget_below (forget.c),
 * which takes the depth in a register, and all registers that the ABI lets a function change. */
#if defined(__x86_64__)
#define JM_RESULT_ "eax"
#define JM_CALL_FORGET_BELOW_ "movl %[stack], %%ecx\n\tcall " JM_FORGET_BELOW_
#define JM_CHANGED_                                                                                \
    "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "xmm0", "xmm1", "xmm2", "xmm3",    \
        "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",        \
        "xmm14", "xmm15" JM_CHANGED_BY_AVX512_
#if defined(__AVX512F__)
#define JM_CHANGED_BY_AVX512_                                                                      \
    , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",    \
        "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5",  \
        "k6", "k7"
#else
#define JM_CHANGED_BY_AVX512_
#endif
#elif defined(__i386__)
#define JM_RESULT_ "eax"
#define JM_CALL_FORGET_BELOW_ "movl %[stack], %%ecx\n\tcall " JM_FORGET_BELOW_
#if defined(__SSE__)
#define JM_CHANGED_                                                                                \
    "ecx", "edx", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"
#else
#define JM_CHANGED_ "ecx", "edx", "cc"
#endif
#elif defined(__aarch64__)
#define JM_RESULT_ "w0"
#define JM_CALL_FORGET_BELOW_ "mov w1, %[stack]\n\tbl " JM_FORGET_BELOW_
#define JM_CHANGED_                                                                                \
    "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",       \
        "x15", "x16", "x17", "x30", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16",   \
        "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", \
        "v30", "v31"
#elif defined(__riscv) && __riscv_xlen == 64
#define JM_RESULT_ "a0"
#define JM_CALL_FORGET_BELOW_ "li t0, %[stack]\n\tcall " JM_FORGET_BELOW_
#define JM_CHANGED_                                                                                \
    "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a1", "a2", "a3", "a4", "a5", "a6", "a7",            \
        "ra" JM_CHANGED_BY_FLOATS_
#if defined(__riscv_flen)
#define JM_CHANGED_BY_FLOATS_                                                                      \
    , "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "ft8", "ft9", "ft10", "ft11", "fa0", \
        "fa1", "fa2", "fa3", "fa4", "fa5", "fa6", "fa7"
#else
#define JM_CHANGED_BY_FLOATS_
#endif
#elif defined(__s390x__)
#define JM_RESULT_ "r2"
#define JM_CALL_FORGET_BELOW_ "lgfi %%r1, %[stack]\n\tbrasl %%r14, " JM_FORGET_BELOW_
#define JM_CHANGED_                                                                                \
    "r0", "r1", "r3", "r4", "r5", "r14", "cc", "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"
#elif defined(__arm__) && __ARM_ARCH >= 7
#define JM_RESULT_ "r0"
#define JM_CALL_FORGET_BELOW_ "movw r3, %[stack]\n\tbl " JM_FORGET_BELOW_
#if defined(__ARM_FP)
#define JM_CHANGED_                                                                                \
    "r1", "r2", "r3", "r12", "lr", "cc", "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7"
#else
#define JM_CHANGED_ "r1", "r2", "r3", "r12", "lr", "cc"
#endif
#endif

/* STACK_BYTES are written for GCC and Clang on x86-64. Frames on other machines are larger, and
 * most where registers have 32 bits. jm_forget_below takes steps of 64 bytes. */
#if defined(__x86_64__)
#define JM_STACK_BYTES_(stack_bytes_) (((stack_bytes_) + 63) / 64 * 64)
#elif defined(__LP64__)
#define JM_STACK_BYTES_(stack_bytes_) ((2 * (stack_bytes_) + 319) / 64 * 64)
#else
#define JM_STACK_BYTES_(stack_bytes_) ((4 * (stack_bytes_) + 319) / 64 * 64)
#endif

#if defined(__LP64__)
#define JM_ADDRESS_ ".quad"
#else
#define JM_ADDRESS_ ".long"
#endif
/* For riscv64 `%c` is refused, and on s390x it prints a signed byte. */
#if defined(__riscv) || defined(__s390x__)
#define JM_DEPTH_ "%[stack]"
#else
#define JM_DEPTH_ "%c[stack]"
#endif
#if defined(__ELF__)
#define JM_NOTE_DEPTH_(without_)                                                                   \
    ".pushsection jm_forget_depths\n\t" JM_ADDRESS_ " 661f, " JM_DEPTH_ "\n\t"                     \
    ".asciz \"" without_ "\"\n\t.balign 16\n\t.popsection\n661:\n\t"
#else
#define JM_NOTE_DEPTH_(without_)
#endif

/* The value of `status_` of type jm_status. `stack_bytes_` is a constant; it is deep enough if none
 * of the functions named in the text `without_` was called. */
#if defined(JM_CALL_FORGET_BELOW_)
#define JM_FORGET_WITHOUT(status_, stack_bytes_, without_)                                         \
    __extension__({                                                                                \
        register jm_status forget_status_ __asm__(JM_RESULT_) = (status_);                         \
        _Static_assert(JM_STACK_BYTES_(stack_bytes_) < 65536, "a constant of 16 bits");            \
        __asm__ volatile(JM_NOTE_DEPTH_(without_) JM_CALL_FORGET_BELOW_                            \
                         : "+r"(forget_status_)                                                    \
                         : [stack] "i"(JM_STACK_BYTES_(stack_bytes_))                              \
                         : JM_CHANGED_, "memory");                                                 \
        forget_status_;                                                                            \
    })
#else
/* On any other machine the compiler clears the registers, by the flag that CMakeLists.txt adds, and
 * the stack is overwritten as far as C can: the build does not promise that nothing is left. */
#define JM_FORGET_WITHOUT(status_, stack_bytes_, without_)                                         \
    __extension__({                                                                                \
        const jm_status forget_status_ = (status_);                                                \
        void *const below_ = __builtin_alloca(JM_STACK_BYTES_(stack_bytes_));                      \
        __builtin_memset(below_, 0, JM_STACK_BYTES_(stack_bytes_));                                \
        JM_KEEP_STORES(below_);                                                                    \
        forget_status_;                                                                            \
    })
#endif
#define JM_FORGET(status_, stack_bytes_) JM_FORGET_WITHOUT(status_, stack_bytes_, "")
#endif

static inline void jm_copy_secret(void *to, const void *from, size_t bytes) {
#if defined(__x86_64__) || defined(__i386__)
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#elif defined(__AVR__)
    __builtin_memcpy(to, from, bytes);
#else
    for (size_t i = 0; i < bytes; i++) {
        ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
        JM_SYNC_MEMORY(); /* or it becomes a call of memcpy */
    }
#endif
}

/* The mark of live key states and streams, a word that names their algorithm and, where variants of
 * the algorithm have different states, the layout: two string literals, of which the first 24 and
 * 16 bytes count. Other words of a state may have any value. Wiped memory has another word in its
 * place, so has a state of another algorithm or layout, and so, most likely, has memory that was
 * never set. The mark is in the first 64 bytes, which every state of joulemark/mac.h has: a wrong
 * mark is seen before more is read, which may not be there. Compilers compute the constant, but
 * for GCC before 8, which takes no byte of a literal for one (the compiler for AVR is such a GCC):
 * there all states have one mark. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 8
#define JM_LIVE(algorithm_, layout_) JM_LIVE_SEED_
#else
#define JM_LIVE(algorithm_, layout_)                                                               \
    JM_LIVE_8_(layout_, 8,                                                                         \
               JM_LIVE_8_(layout_, 0,                                                              \
                          JM_LIVE_8_(algorithm_, 16,                                               \
                                     JM_LIVE_8_(algorithm_, 8,                                     \
                                                JM_LIVE_8_(algorithm_, 0, JM_LIVE_SEED_)))))
#endif
#define JM_LIVE_SEED_ UINT64_C(0x4a6f756c654b6579)
#define JM_LIVE_NEXT_(sum_, byte_) ((sum_) * UINT64_C(0x100000001b3) + (uint8_t)(byte_))
#define JM_LIVE_1_(text_, at_, sum_) JM_LIVE_NEXT_(sum_, (text_)[(at_) % sizeof(text_)])
#define JM_LIVE_2_(text_, at_, sum_) JM_LIVE_1_(text_, (at_) + 1, JM_LIVE_1_(text_, at_, sum_))
#define JM_LIVE_4_(text_, at_, sum_) JM_LIVE_2_(text_, (at_) + 2, JM_LIVE_2_(text_, at_, sum_))
#define JM_LIVE_8_(text_, at_, sum_) JM_LIVE_4_(text_, (at_) + 4, JM_LIVE_4_(text_, at_, sum_))

#endif
