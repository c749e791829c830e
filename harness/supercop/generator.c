/* SPDX-License-Identifier: Apache-2.0
 * See generator.h. The generator is Salsa20 (Bernstein, "The Salsa20 family of stream ciphers",
 * 2007); the accumulator is its core as a hash of 16 bytes of input and 32 bytes of state. */
#include "supercop/generator.h"

#include <string.h>

#include "common/words.h"

enum { KEY_BYTES = 32, INPUT_BYTES = 16, CORE_BYTES = 64, SALSA20_ROUNDS = 20 };

static void quarter(uint32_t x[16], unsigned a, unsigned b, unsigned c, unsigned d) {
    x[b] ^= rotl32(x[a] + x[d], 7);
    x[c] ^= rotl32(x[b] + x[a], 9);
    x[d] ^= rotl32(x[c] + x[b], 13);
    x[a] ^= rotl32(x[d] + x[c], 18);
}

/* Salsa20's core with its feed-forward; `out` may overlap the inputs. */
static void core(uint8_t out[CORE_BYTES], const uint8_t input[INPUT_BYTES],
                 const uint8_t key[KEY_BYTES]) {
    static const uint8_t constant[] = "expand 32-byte k";
    uint32_t start[16], x[16];
    for (unsigned i = 0; i < 4; i++) {
        start[5 * i] = load_le32(constant + 4 * i);
        start[1 + i] = load_le32(key + 4 * i);
        start[6 + i] = load_le32(input + 4 * i);
        start[11 + i] = load_le32(key + 16 + 4 * i);
    }
    memcpy(x, start, sizeof x);
    for (unsigned round = 0; round < SALSA20_ROUNDS; round += 2) {
        quarter(x, 0, 4, 8, 12), quarter(x, 5, 9, 13, 1);
        quarter(x, 10, 14, 2, 6), quarter(x, 15, 3, 7, 11);
        quarter(x, 0, 1, 2, 3), quarter(x, 5, 6, 7, 4);
        quarter(x, 10, 11, 8, 9), quarter(x, 15, 12, 13, 14);
    }
    for (unsigned i = 0; i < 16; i++) store_le32(out + 4 * i, x[i] + start[i]);
}

/* Each request is the beginning of the stream of the next nonce. */
void jm_supercop_generate(uint64_t *nonce, uint8_t *to, size_t bytes) {
    static const uint8_t key[] = "generate inputs for test vectors";
    uint8_t input[INPUT_BYTES], block[CORE_BYTES];
    store_le64(input, (*nonce)++);
    for (uint64_t counter = 0; bytes; counter++) {
        const size_t taken = bytes < sizeof block ? bytes : sizeof block;
        store_le64(input + 8, counter);
        core(block, input, key);
        memcpy(to, block, taken);
        to += taken;
        bytes -= taken;
    }
}

uint64_t jm_supercop_generate_number(uint64_t *nonce) {
    uint8_t bytes[8];
    jm_supercop_generate(nonce, bytes, sizeof bytes);
    return load_le64(bytes);
}

/* Absorbs whole pieces of 16 bytes, then always a last piece: the rest, a byte 1, zeros. */
void jm_supercop_accumulate(uint8_t state[JM_SUPERCOP_STATE_BYTES], const uint8_t *output,
                            size_t bytes) {
    uint8_t last[INPUT_BYTES] = {0};
    for (; bytes >= INPUT_BYTES; output += INPUT_BYTES, bytes -= INPUT_BYTES)
        core(state, output, state);
    memcpy(last, output, bytes);
    last[bytes] = 1;
    state[0] ^= 1;
    core(state, last, state);
}
