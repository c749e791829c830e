/* SPDX-License-Identifier: Apache-2.0
 * VMAC over AES-128, slowest first. */
#include "common/table.h"
#include "vmac/vmac.h"

static const jm_implementation *const implementations[] = {
    &jm_vmac_64_portable,         &jm_vmac_128_portable,
#if defined(__x86_64__)
    &jm_vmac_64_aesni_bmi2,       &jm_vmac_128_aesni_bmi2,
    &jm_vmac_64_aesni_avx512ifma, &jm_vmac_128_aesni_avx512ifma,
#endif
};

const jm_table jm_vmac_table = {sizeof implementations / sizeof *implementations, implementations};
