/* SPDX-License-Identifier: Apache-2.0
 * Every SipHash variant, slowest first. */
#include "siphash/siphash.h"

static const jm_implementation *const implementations[] = {
    &jm_siphash_2_4_portable,
    &jm_siphash_2_4_128_portable,
};

const jm_table jm_siphash_table = {sizeof implementations / sizeof *implementations,
                                   implementations};
