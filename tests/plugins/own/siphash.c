// SPDX-License-Identifier: Apache-2.0
// SipHash-2-4 by a user who knows nothing of Joulemark.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint64_t turned(uint64_t word, int bits) {
    return word << bits | word >> (64 - bits);
}

static void sip_round(uint64_t v[4]) {
    v[0] += v[1], v[1] = turned(v[1], 13) ^ v[0], v[0] = turned(v[0], 32);
    v[2] += v[3], v[3] = turned(v[3], 16) ^ v[2];
    v[0] += v[3], v[3] = turned(v[3], 21) ^ v[0];
    v[2] += v[1], v[1] = turned(v[1], 17) ^ v[2], v[2] = turned(v[2], 32);
}

static void whole_mac(const uint8_t *key, const uint8_t *in, size_t length, uint8_t *out) {
    uint64_t k[2], word;
    memcpy(k, key, 16);
    uint64_t v[4] = {k[0] ^ 0x736f6d6570736575, k[1] ^ 0x646f72616e646f6d,
                     k[0] ^ 0x6c7967656e657261, k[1] ^ 0x7465646279746573};
    const uint64_t end = (uint64_t)length << 56;
    for (int last = 0; !last; in += 8, length -= 8) {
        last = length < 8;
        word = last ? end : 0;
        if (last) {
            uint8_t bytes[8] = {0};
            memcpy(bytes, in, length);
            for (int i = 0; i < 7; i++) word |= (uint64_t)bytes[i] << (8 * i);
        } else {
            memcpy(&word, in, 8);
        }
        v[3] ^= word;
        sip_round(v), sip_round(v);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    for (int i = 0; i < 4; i++) sip_round(v);
    word = v[0] ^ v[1] ^ v[2] ^ v[3];
    memcpy(out, &word, 8);
}
