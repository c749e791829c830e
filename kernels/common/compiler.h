/* SPDX-License-Identifier: Apache-2.0
 *
 * Hints of the kernels to the compiler. Each use says what the compiler would do without the hint.
 * The hints steer optimisations, never results: with every macro empty, tags would be the same. */
#ifndef JM_COMPILER_H
#define JM_COMPILER_H

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

#endif
