/* SPDX-License-Identifier: Apache-2.0
 * The functions of hmac_over_hash.h on CPUs with AVX-512. */
#if defined(__x86_64__)
#include "hmac/hmac_over_hash_functions.h"

const jm_mac_functions jm_hmac_over_hash_avx512_functions = JM_HMAC_OVER_HASH_FUNCTIONS;
#endif
