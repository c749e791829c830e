/* SPDX-License-Identifier: Apache-2.0
 * The initial values of SHAvite-3 as its specification derives them, against the tables of the
 * kernels: zeros are compressed with a block of zeros, then with the digest's length in bits. */
#include <stdio.h>

#include "shavite3/shavite3.h"

static unsigned wrong_initial(const jm_implementation *self, const uint32_t *initial,
                              size_t digest_bytes) {
    const jm_block_hash *hash = self->over;
    uint8_t block[SHAVITE3_BLOCK_BYTES_MAX] = {0};
    shavite3_chain chain = {.value = {0}};
    for (unsigned step = 0; step < 2; step++) {
        if (step == 1) store_le32(block, (uint32_t)(8 * digest_bytes));
        /* The counter, which a block's bits are added to first, is to be 0. */
        chain.bits[0] = 0 - (uint64_t)(8 * hash->block_bytes);
        chain.bits[1] = digest_bytes == 64 ? ~UINT64_C(0) : 0;
        hash->absorb(&chain, block, 1);
    }
    if (memcmp(chain.value, initial, digest_bytes) == 0) return 0;
    printf("FAILED %s/%s: the table does not have what is derived\n", self->algorithm,
           self->variant);
    return 1;
}

int main(void) {
    const unsigned wrong =
        wrong_initial(&jm_shavite3_256_portable, shavite3_initial_256,
                      sizeof shavite3_initial_256) +
        wrong_initial(&jm_shavite3_512_portable, shavite3_initial_512, sizeof shavite3_initial_512);
    if (!wrong) puts("The initial values of SHAvite-3 are those that its specification derives.");
    return wrong != 0;
}
