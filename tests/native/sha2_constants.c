/* SPDX-License-Identifier: Apache-2.0
 * The initial value of SHA-512/256 by the algorithm of FIPS 180-4, section 5.3.6: the digest of its
 * name by a SHA-512 in whose initial value each byte is XORed with 0xa5. */
#include <stdio.h>

#include "sha512/sha512.h"

int main(void) {
    static const char name[] = "SHA-512/256";
    const jm_compression *sha512 = jm_sha512_portable.over;
    _Alignas(JM_STATE_ALIGN) uint64_t chain[8];
    _Alignas(JM_STATE_ALIGN) uint8_t block[JM_BLOCK_BYTES_MAX];
    for (size_t i = 0; i < 8; i++) chain[i] = sha512_initial[i] ^ UINT64_C(0xa5a5a5a5a5a5a5a5);
    jm_md_finish(sha512, chain, block, 0, (const uint8_t *)name, sizeof name - 1);
    for (size_t i = 0; i < 8; i++)
        if (chain[i] != sha512_256_initial[i]) {
            printf("FAILED: word %zu is %016llx\n", i, (unsigned long long)chain[i]);
            return 1;
        }
    return 0;
}
