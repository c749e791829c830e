/* SPDX-License-Identifier: Apache-2.0
 * The constants of Luffa's steps as its specification derives them (section 4.4), against the table
 * of the kernels: a register of 64 bits for each permutation, whose halves change places after each
 * step. */
#include <stdio.h>

#include "luffa/luffa.h"
#include "luffa/luffa_constants.h"

int main(void) {
    static const uint64_t seeds[LUFFA_WIDTH_MAX] = {0x181cca53380cde06, 0x5b6f0876f16f8594,
                                                    0x7e106ce938979cb0, 0xbb62f36492e93c29,
                                                    0x9a025047cff2a940};
    unsigned wrong = 0;
    for (unsigned j = 0; j < LUFFA_WIDTH_MAX; j++) {
        uint64_t state = seeds[j];
        for (unsigned i = 0; i < 2 * LUFFA_STEPS; i++) {
            state = (state << 1) ^ (state >> 63 ? UINT64_C(0xc4d6496c55c61c8d) : 0);
            const uint32_t constant = (uint32_t)(state >> 32);
            state = state << 32 | constant;
            if (constant == luffa_step_constants[i / 2][i % 2][j]) continue;
            printf("FAILED permutation %u, step %u: the table has %08x, the register gives %08x\n",
                   j, i / 2, luffa_step_constants[i / 2][i % 2][j], constant);
            wrong++;
        }
    }
    if (!wrong) puts("The constants of Luffa are those that its specification derives.");
    return wrong != 0;
}
