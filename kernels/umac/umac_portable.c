/* SPDX-License-Identifier: Apache-2.0
 *
 * UMAC over AES-128 (RFC 4418) in plain C.
 * Technique: products of 32 bits one by one, all iterations over a chunk while it is loaded; AES in
 * bit slices for the pad.
 * State layout: words of NH's key in order, the schedule of the portable AES under the key of the
 * pads, the nonce as a block, the keys of the other layers. CPU features: none. Constant time: as
 * far as the CPU's multiplication takes constant time; branches depend on lengths alone. Checked by
 * tests/native/constant_time.c. Functions have an outer and an inner half (common/block_mac.h).
 * Best for: CPUs without AES instructions. */
#include "aes/aes.h"
#include "common/words.h"
#include "umac/umac.h"

#define UMAC_SCHEDULE_BYTES JM_AES128_SCHEDULE_BYTES_portable
#define umac_cipher jm_aes128_portable

static inline void umac_encrypt(const void *schedule, const uint8_t in[16], uint8_t out[16]) {
    jm_aes128_portable.cipher->encrypt(&jm_aes128_portable, schedule, in, out, 1);
}

static inline void umac_store_counter(uint8_t counter[16], uint64_t low, uint64_t high) {
    store_le64(counter, low);
    store_le64(counter + 8, high);
}

typedef uint32_t umac_nh_key;
#define UMAC_NH_KEYS(iterations) (4 * UMAC_NH_BLOCKS(iterations))

JM_INLINE void umac_nh_place(umac_nh_key *to, size_t index, const uint32_t words[4],
                             size_t iterations) {
    (void)iterations;
    for (size_t i = 0; i < 4; i++) to[4 * index + i] = words[i];
}

JM_INLINE void umac_nh_chunk(uint64_t *sums, const umac_nh_key *key, const uint8_t *in,
                             size_t iterations) {
    uint32_t m[8];
    for (size_t i = 0; i < 8; i++) m[i] = load_le32(in + 4 * i);
    for (size_t n = 0; n < iterations; n++)
        for (size_t i = 0; i < 4; i++) {
            const uint32_t *k = key + 4 * n + i;
            sums[n] += (uint64_t)(uint32_t)(m[i] + k[0]) * (uint32_t)(m[i + 4] + k[4]);
        }
}

JM_INLINE void umac_nh(uint64_t *sums, const umac_nh_key *key, const uint8_t *in, size_t bytes,
                       size_t iterations) {
    for (size_t n = 0; n < iterations; n++) sums[n] = 0;
    for (; bytes >= UMAC_CHUNK_BYTES; bytes -= UMAC_CHUNK_BYTES, in += UMAC_CHUNK_BYTES, key += 8)
        umac_nh_chunk(sums, key, in, iterations);
    if (bytes) {
        uint8_t padded[UMAC_CHUNK_BYTES];
        jm_pad_block(padded, sizeof padded, in, bytes, 0);
        umac_nh_chunk(sums, key, padded, iterations);
    }
}

#include "umac/umac_mac.h"

enum { STACK_BYTES = 2048 };

JM_UMACS(portable, 0, true, STACK_BYTES, "32-bit products in plain C, AES in bit slices.")
