/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256's compression function (FIPS 180-4, section 6.2.2) step by step as the standard prints
 * it, in a separate file: both programs of castellon2022 call this one function.
 */
#include "castellon2022/castellon2022.h"

void jm_castellon2022_compress(uint32_t chain[8], uint32_t schedule[64], const uint8_t *block) {
    for (size_t t = 0; t < 16; t++) schedule[t] = load_be32(block + 4 * t);
    for (size_t t = 16; t < 64; t++) {
        const uint32_t w15 = schedule[t - 15], w2 = schedule[t - 2];
        const uint32_t sigma0 = rotr32(w15, 7) ^ rotr32(w15, 18) ^ (w15 >> 3);
        const uint32_t sigma1 = rotr32(w2, 17) ^ rotr32(w2, 19) ^ (w2 >> 10);
        schedule[t] = sigma1 + schedule[t - 7] + sigma0 + schedule[t - 16];
    }
    uint32_t a = chain[SHA256_A], b = chain[SHA256_B], c = chain[SHA256_C], d = chain[SHA256_D];
    uint32_t e = chain[SHA256_E], f = chain[SHA256_F], g = chain[SHA256_G], h = chain[SHA256_H];
    for (size_t t = 0; t < 64; t++) {
        const uint32_t sum1 = rotr32(e, 6) ^ rotr32(e, 11) ^ rotr32(e, 25);
        const uint32_t choice = (e & f) ^ (~e & g);
        const uint32_t t1 = h + sum1 + choice + sha256_k[t] + schedule[t];
        const uint32_t sum0 = rotr32(a, 2) ^ rotr32(a, 13) ^ rotr32(a, 22);
        const uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        const uint32_t t2 = sum0 + majority;
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    chain[SHA256_A] += a;
    chain[SHA256_B] += b;
    chain[SHA256_C] += c;
    chain[SHA256_D] += d;
    chain[SHA256_E] += e;
    chain[SHA256_F] += f;
    chain[SHA256_G] += g;
    chain[SHA256_H] += h;
}

static void init(void *chain) {
    memcpy(chain, sha256_initial, sizeof sha256_initial);
}

static void compress(void *chain, const uint8_t *blocks, size_t count) {
    uint32_t schedule[64];
    for (size_t i = 0; i < count; i++)
        jm_castellon2022_compress(chain, schedule, blocks + CASTELLON2022_BLOCK_BYTES * i);
    jm_wipe(schedule, sizeof schedule);
}

static void output(const void *chain, uint8_t *digest) {
    static const uint8_t order[8] = {SHA256_A, SHA256_B, SHA256_C, SHA256_D,
                                     SHA256_E, SHA256_F, SHA256_G, SHA256_H};
    const uint32_t *word = chain;
    for (size_t i = 0; i < 8; i++) store_be32(digest + 4 * i, word[order[i]]);
}

const jm_compression jm_castellon2022_compression = {
    .chain_bytes = sizeof sha256_initial,
    .block_bytes = CASTELLON2022_BLOCK_BYTES,
    .digest_bytes = CASTELLON2022_DIGEST_BYTES,
    .length_bytes = 8,
    .length_big_endian = true,
    .init = init,
    .compress = compress,
    .output = output,
};
