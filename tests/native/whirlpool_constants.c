/* SPDX-License-Identifier: Apache-2.0
 * Whirlpool's constants by the rules of its paper: the S-box made of three boxes of four bits
 * (section 3.2), of which one box is also inverted, the diffusion layer over GF(2^8) (section 3.4),
 * and the round constants (section 3.6). */
#include <stdio.h>

#include "whirlpool/whirlpool_constants.h"

static const unsigned e_box[16] = {0x1, 0xb, 0x9, 0xc, 0xd, 0x6, 0xf, 0x3,
                                   0xe, 0x8, 0x7, 0x4, 0xa, 0x2, 0x5, 0x0};
static const unsigned r_box[16] = {0x7, 0xc, 0xb, 0xd, 0xe, 0x4, 0x9, 0xf,
                                   0x6, 0x3, 0x8, 0xa, 0x2, 0x5, 0x1, 0x0};

static unsigned backwards(unsigned value) {
    unsigned i = 0;
    while (e_box[i] != value) i++;
    return i;
}

static unsigned substitute(unsigned byte) {
    const unsigned high = e_box[byte >> 4], low = backwards(byte & 15), middle = r_box[high ^ low];
    return e_box[high ^ middle] << 4 | backwards(low ^ middle);
}

static unsigned times(unsigned x, unsigned factor) {
    unsigned product = 0;
    for (; factor; factor /= 2) {
        if (factor % 2) product ^= x;
        x = x << 1 ^ (x & 0x80 ? 0x11d : 0);
    }
    return product;
}

int main(void) {
    static const unsigned row[8] = {1, 1, 4, 1, 8, 5, 2, 9};
    unsigned wrong = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        uint64_t word = 0;
        for (unsigned i = 0; i < 8; i++) word = word << 8 | times(substitute(byte), row[i]);
        wrong += word != whirlpool_products[byte][0] || word != whirlpool_products[byte][1];
    }
    for (unsigned round = 0; round < 10; round++) {
        uint64_t word = 0;
        for (unsigned i = 0; i < 8; i++) word = word << 8 | substitute(8 * round + i);
        wrong += word != whirlpool_round_constants[round];
    }
    if (wrong) printf("FAILED: %u constants are wrong\n", wrong);
    return wrong != 0;
}
