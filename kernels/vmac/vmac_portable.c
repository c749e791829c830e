/* SPDX-License-Identifier: Apache-2.0
 *
 * VMAC over AES-128 (draft-krovetz-vmac-01) in plain C.
 * Technique: products of 64 bits by the compiler's 128-bit integers, or by halves if it has none
 * (common/wide_multiply.h); AES in bit slices for the pad.
 * State layout: the key schedule of the portable AES, the nonce as a block, the keys of the three
 * layers; a chaining value is one number modulo 2^127 - 1 for each tag word. CPU features: none.
 * Constant time: as far as the CPU's multiplication takes constant time; branches depend on lengths
 * alone, and in the key set-up on key numbers that are passed over. Checked by
 * tests/native/constant_time.c. Functions have an outer and an inner half (common/block_mac.h).
 * Best for: CPUs without AES instructions. */
#include "aes/aes.h"
#include "common/words.h"

#define VMAC_SCHEDULE_BYTES JM_AES128_SCHEDULE_BYTES_portable
#define vmac_cipher jm_aes128_portable

static inline void vmac_encrypt(const void *schedule, const uint8_t in[16], uint8_t out[16]) {
    jm_aes128_portable.cipher->encrypt(&jm_aes128_portable, schedule, in, out, 1);
}

static inline void vmac_store_counter(uint8_t counter[16], uint64_t low, uint64_t high) {
    store_le64(counter, low);
    store_le64(counter + 8, high);
}

#include "vmac/vmac_mac.h"

enum { STACK_BYTES = 2048 };

JM_VMACS(portable, 0, true, STACK_BYTES, "64-bit products in plain C, AES in bit slices.")
