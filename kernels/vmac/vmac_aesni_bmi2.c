/* SPDX-License-Identifier: Apache-2.0
 *
 * VMAC over AES-128 (draft-krovetz-vmac-01) with MULX and AES-NI.
 * Technique: MULX does not change the flags, so that sums of products keep their carries in them;
 * the rounds of AES for the pad are computed beside the products. State layout: as in
 * vmac_portable.c, with the schedule of AES-NI.
 * CPU features: AES-NI, SSE4.1, BMI2. Constant time: as in vmac_portable.c. Best for: CPUs without
 * AVX-512 IFMA. */
#if defined(__x86_64__)
#include "vmac/vmac_mac.h"

JM_VMACS(aesni_bmi2, JM_CPU_AESNI | JM_CPU_SSE41 | JM_CPU_BMI2, true, VMAC_AESNI_STACK_BYTES,
         "64-bit products with MULX, AES instructions for the pad.")
#else
typedef int jm_vmac_aesni_bmi2_needs_x86_64;
#endif
