// SPDX-License-Identifier: Apache-2.0
// SHA-256 by a user who knows nothing of Joulemark, with a fault if FAULT names one.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NONE 0
#define WRONG_AT_200 1
#define CRASHES_AT_64 2
#define HANGS 3
#define WRITES_BEHIND_OUTPUT 4
#define FOREIGN_INSTRUCTION 5
#define FORKS_AND_EXITS 6
#define LEAVES_CHILDREN 7
#ifndef FAULT
#define FAULT NONE
#endif

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t word, int bits) {
    return word >> bits | word << (32 - bits);
}

static void compress(uint32_t hash[8], const uint8_t *from) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++, from += 4)
        w[i] = (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
    for (int i = 16; i < 64; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) +
               (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    memcpy(v, hash, sizeof v);
    for (int i = 0; i < 64; i++) {
        const uint32_t a = v[0], e = v[4];
        const uint32_t first = v[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
                               ((e & v[5]) ^ (~e & v[6])) + constants[i] + w[i];
        const uint32_t second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) +
                                ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += first;
        v[0] = first + second;
    }
    for (int i = 0; i < 8; i++) hash[i] += v[i];
}

static void misbehave(size_t length, uint8_t *out) {
    (void)length, (void)out;
#if FAULT == CRASHES_AT_64
    if (length == 64) *(volatile int *)8 = 1;
#elif FAULT == HANGS
    for (;;) pause();
#elif FAULT == WRITES_BEHIND_OUTPUT
    out[32] = 1;
#elif FAULT == FOREIGN_INSTRUCTION
    __builtin_trap(); // ud2 on x86
#elif FAULT == FORKS_AND_EXITS
    if (fork() == 0)
        for (;;) pause();
    _exit(3);
#elif FAULT == LEAVES_CHILDREN
    static int made;
    if (!made++ && fork() == 0) {
        setsid();
        for (;;) pause();
    }
#endif
}

static void whole_hash(const uint8_t *in, size_t length, uint8_t *out) {
    uint32_t hash[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const uint64_t bits = (uint64_t)length * 8 + (FAULT == WRONG_AT_200 && length == 200);
    misbehave(length, out);
    for (; length >= 64; in += 64, length -= 64) compress(hash, in);
    uint8_t last[128] = {0};
    const size_t end = length < 56 ? 64 : 128;
    memcpy(last, in, length);
    last[length] = 0x80;
    for (int i = 0; i < 8; i++) last[end - 1 - (size_t)i] = (uint8_t)(bits >> (8 * i));
    for (size_t at = 0; at < end; at += 64) compress(hash, last + at);
    for (int i = 0; i < 32; i++) out[i] = (uint8_t)(hash[i / 4] >> (24 - i % 4 * 8));
}
