/* SPDX-License-Identifier: Apache-2.0
 *
 * Poly1305-AES (aes_nonce.h) over the portable Poly1305 and the portable AES.
 * State layout: the key schedule, the nonce, and a key of Poly1305 without s; a stream is a stream
 * of Poly1305. CPU features: none, but a compiler with 128-bit integers. Constant time: as Poly1305
 * and AES are; checked by tests/native/constant_time.c. Best for: CPUs without AES instructions. */
#include "poly1305/poly1305.h"

#if defined(__SIZEOF_INT128__)
#include "aes/aes.h"

#define POLY1305_AES_LAYOUT "portable"
#define POLY1305_AES_SCHEDULE_BYTES JM_AES128_SCHEDULE_BYTES_portable
#define poly1305_aes_cipher jm_aes128_portable
enum { STACK_BYTES = 2048 };

static inline void poly1305_aes_encrypt(const void *schedule, const uint8_t in[16],
                                        uint8_t out[16]) {
    jm_aes128_portable.cipher->encrypt(&jm_aes128_portable, schedule, in, out, 1);
}

#include "poly1305/aes_nonce.h"

JM_POLY1305_AES(portable, 0, true, "Poly1305 in 64-bit limbs, AES in bit slices.");
#else
typedef int jm_poly1305_aes_portable_needs_int128;
#endif
