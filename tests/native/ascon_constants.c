/* SPDX-License-Identifier: Apache-2.0
 * The initial values of Ascon's hashes: a word of parameters and zeros, permuted. The permutation
 * is done by absorbing a block of zeros, which is the same in any order of bytes. */
#include <stdio.h>

#include "ascon/ascon.h"

static unsigned check(const jm_implementation *self, uint64_t parameters,
                      const uint64_t expected[ASCON_WORDS]) {
    static const uint8_t zeros[ASCON_RATE_BYTES];
    _Alignas(JM_STATE_ALIGN) uint64_t state[ASCON_WORDS] = {parameters};
    const jm_block_hash *hash = self->over;
    unsigned wrong = 0;
    hash->absorb(state, zeros, 1);
    for (size_t i = 0; i < ASCON_WORDS; i++)
        if (state[i] != expected[i]) {
            printf("FAILED %s: word %zu is %016llx\n", self->algorithm, i,
                   (unsigned long long)state[i]);
            wrong++;
        }
    return wrong;
}

int main(void) {
    return (
        int)(check(&jm_ascon_hash256_portable, ASCON_HASH256_PARAMETERS, ascon_hash256_initial) +
             check(&jm_ascon_hash_v12_portable, ASCON_HASH_V12_PARAMETERS, ascon_hash_v12_initial));
}
