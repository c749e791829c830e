/* SPDX-License-Identifier: Apache-2.0
 * CPU features on x86-64, by CPUID and XGETBV (Intel SDM vol. 2A, CPUID leaves 1 and 7; vol. 1,
 * section 14.3 for the saved-register test that AVX needs). */
#include "joulemark/kernel.h"

#include <stddef.h>

#if defined(__x86_64__)
#include <cpuid.h>

static uint64_t saved_registers(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return ((uint64_t)high << 32) | low;
}

static uint32_t asked(void) {
    uint32_t eax, ebx, ecx, edx, found = 0;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return 0;
    if (ecx & bit_SSSE3) found |= JM_CPU_SSSE3;
    if (ecx & bit_SSE4_1) found |= JM_CPU_SSE41;
    if (ecx & bit_AES) found |= JM_CPU_AESNI;
    if (ecx & bit_PCLMUL) found |= JM_CPU_PCLMUL;
    uint64_t saved = (ecx & bit_OSXSAVE) ? saved_registers() : 0;
    if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return found;
    if (ebx & bit_SHA) found |= JM_CPU_SHANI;
    if ((ebx & bit_BMI) && (ebx & bit_BMI2)) found |= JM_CPU_BMI2;
    if (ecx & bit_VAES) found |= JM_CPU_VAES;
    if (ecx & bit_GFNI) found |= JM_CPU_GFNI;
    if (ecx & bit_VPCLMULQDQ) found |= JM_CPU_VPCLMUL;
    if (ebx & bit_AVX512IFMA) found |= JM_CPU_IFMA;
    const uint64_t ymm = 0x06, zmm = 0xe6;
    if ((saved & ymm) == ymm && (ebx & bit_AVX2)) found |= JM_CPU_AVX2;
    const uint32_t avx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
    if ((saved & zmm) == zmm && (ebx & avx512) == avx512) found |= JM_CPU_AVX512;
    return found;
}

/* In a virtual machine each CPUID leaves the guest: all of them took 24 us in the machine that was
 * measured (Zen 5). Threads that call this at once write the same answer. */
uint32_t jm_cpu_features(void) {
    static const uint32_t known = UINT32_C(1) << 31;
    static uint32_t kept;
    _Static_assert(JM_CPU_FEATURE_COUNT <= 31, "the highest bit says that the answer is known");
    uint32_t answer = __atomic_load_n(&kept, __ATOMIC_RELAXED);
    if (answer == 0) {
        answer = asked() | known;
        __atomic_store_n(&kept, answer, __ATOMIC_RELAXED);
    }
    return answer & ~known;
}

#else

uint32_t jm_cpu_features(void) {
    return 0;
}

#endif

const char *jm_cpu_feature_name(unsigned index) {
    static const char *const names[JM_CPU_FEATURE_COUNT] = {
        "SSSE3", "SSE4.1",  "AES-NI", "PCLMUL", "SHA-NI", "AVX2",
        "BMI2",  "AVX-512", "VAES",   "GFNI",   "IFMA",   "VPCLMUL",
    };
    return index < JM_CPU_FEATURE_COUNT ? names[index] : NULL;
}
