/* SPDX-License-Identifier: Apache-2.0
 * The constants of Keccak-f[1600] as FIPS 202 derives them, against the tables of the kernels. */
#include <stdio.h>

#include "keccak/keccak.h"

/* Section 3.2.5, algorithm 5: the bit after t steps of the register, whose first bit is R[0]. */
static unsigned shift_register(unsigned t) {
    unsigned r = 1; /* bit i is R[i] */
    for (; t; t--) {
        r <<= 1;
        if (r & 0x100) r ^= 0x171; /* R[8] goes into R[0], R[4], R[5] and R[6] */
    }
    return r & 1;
}

static unsigned wrong_round_constants(void) {
    unsigned wrong = 0;
    for (unsigned i = 0; i < KECCAK_ROUNDS; i++) {
        uint64_t constant = 0;
        for (unsigned j = 0; j <= 6; j++)
            constant |= (uint64_t)shift_register((j + 7 * i) % 255) << ((1u << j) - 1);
        if (constant == keccak_round_constants[i]) continue;
        printf("FAILED round %u: the table has %016llx, the register gives %016llx\n", i,
               (unsigned long long)keccak_round_constants[i], (unsigned long long)constant);
        wrong++;
    }
    return wrong;
}

/* Section 3.2.2, algorithm 2: the walk from (1, 0) meets every word but (0, 0). */
static unsigned wrong_offsets(void) {
    unsigned wrong = keccak_offsets[0] != 0, x = 1, y = 0;
    for (unsigned t = 0; t < 24; t++) {
        const unsigned offset = (t + 1) * (t + 2) / 2 % 64, next = (2 * x + 3 * y) % 5;
        if (keccak_offsets[x + 5 * y] != offset) {
            printf("FAILED word (%u, %u): the table has %u, the walk gives %u\n", x, y,
                   keccak_offsets[x + 5 * y], offset);
            wrong++;
        }
        x = y;
        y = next;
    }
    return wrong;
}

int main(void) {
    const unsigned wrong = wrong_round_constants() + wrong_offsets();
    if (!wrong) puts("The constants of Keccak are those that FIPS 202 derives.");
    return wrong != 0;
}
