/* SPDX-License-Identifier: Apache-2.0
 * Features of this CPU. kernels/common/cpu.c is the only file that queries the CPU. */
#ifndef JOULEMARK_CPU_H
#define JOULEMARK_CPU_H

#include <stdint.h>

/* Marks a declaration that the C library (libjoulemark.so) exports. */
#if defined(_WIN32) && defined(JM_BUILDING_LIBRARY)
#define JM_API __declspec(dllexport)
#elif defined(_WIN32)
#define JM_API
#else
#define JM_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define JM_CPU_SSSE3 (UINT32_C(1) << 0)
#define JM_CPU_SSE41 (UINT32_C(1) << 1)
#define JM_CPU_AESNI (UINT32_C(1) << 2)
#define JM_CPU_PCLMUL (UINT32_C(1) << 3)
#define JM_CPU_SHANI (UINT32_C(1) << 4)
#define JM_CPU_AVX2 (UINT32_C(1) << 5)
#define JM_CPU_BMI2 (UINT32_C(1) << 6)     /* and BMI1: no CPU has one without the other */
#define JM_CPU_AVX512 (UINT32_C(1) << 7)   /* F, BW, DQ and VL together */
#define JM_CPU_VAES (UINT32_C(1) << 8)     /* on 512-bit registers: needs AVX512 as well */
#define JM_CPU_GFNI (UINT32_C(1) << 9)     /* on 512-bit registers: needs AVX512 as well */
#define JM_CPU_IFMA (UINT32_C(1) << 10)    /* on 512-bit registers: needs AVX512 as well */
#define JM_CPU_VPCLMUL (UINT32_C(1) << 11) /* on 512-bit registers: needs AVX512 as well */
#define JM_CPU_FEATURE_COUNT 12u

/* Features that both the CPU and the operating system (saved registers) provide. The CPU is queried
 * once in a process. The value is 0 on architectures without a probe. Any thread may call this. */
JM_API uint32_t jm_cpu_features(void);

/* Upper-case name of feature number `index` (bit 1 << index), or NULL past the last. */
JM_API const char *jm_cpu_feature_name(unsigned index);

#ifdef __cplusplus
}
#endif
#endif
