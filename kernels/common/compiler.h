/* SPDX-License-Identifier: Apache-2.0
 *
 * What kernels tell the compiler beside the algorithm. Each use says what the compiler would do
 * without it. Optimisations are steered here, never results: with every macro empty, all tags would
 * be the same. */
#ifndef JM_COMPILER_H
#define JM_COMPILER_H

#define JM_INLINE static inline __attribute__((always_inline))
/* For large functions that several places call: inlined into each, they fill the instruction
 * cache. */
#define JM_ONCE static __attribute__((noinline))

/* For CPUs whose registers hold no quad: what is written once for all variants then moves bytes.
 * The variants mcu8 define it on any machine, so that the host tests it. */
#if defined(JM_FREESTANDING) && !defined(JM_NARROW)
#define JM_NARROW
#endif

/* The `target_` of code that any CPU runs. */
#define JM_TARGET_ANY

/* `x` keeps its value, of which the compiler henceforth knows nothing. `where_` is where it lies
 * meanwhile: "r" for a general register, "x" or "v" for a vector register of AVX2 or AVX-512, "m"
 * for memory. Of JM_PIN the result may still be moved or left out: a sum is not regrouped across
 * it. JM_HIDE happens where it stands. */
#define JM_PIN(where_, x) __asm__("" : "+" where_(x))
#define JM_HIDE(where_, x) __asm__ volatile("" : "+" where_(x))

/* The same of the pointer `x` and of what it points to. */
#define JM_HIDE_WITH_MEMORY(x) __asm__ volatile("" : "+r"(x) : : "memory")

/* `vec_pin` of a header of lanes/, for Clang alone: GCC leaves the vector `x` as it is written. */
#if defined(__clang__)
#define VEC_PIN_IN_CLANG(x) vec_pin(x)
#else
#define VEC_PIN_IN_CLANG(x) (x)
#endif

/* What lies in memory is written there before, and read again after. */
#define JM_SYNC_MEMORY() __asm__ volatile("" : : : "memory")
/* The `secret` behind a pointer is read here, as far as the compiler knows: stores to it remain. */
#define JM_KEEP_STORES(secret) __asm__ volatile("" : : "r"(secret) : "memory")
/* Writes out the loop that follows, which has a constant number of turns, up to `count_`, once its
 * function is inlined. Of such a loop Clang leaves single turns under "GCC unroll". */
#define JM_PRAGMA_(text_) _Pragma(#text_)
#if defined(__clang__)
#define JM_UNROLL(count_) JM_PRAGMA_(clang loop unroll(full))
#else
#define JM_UNROLL(count_) JM_PRAGMA_(GCC unroll count_)
#endif
/* A place that loops are neither merged nor turned inside out across. */
#define JM_KEEP_LOOP() __asm__ volatile("")

#endif
