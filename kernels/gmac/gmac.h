/* SPDX-License-Identifier: Apache-2.0
 * GMAC over AES (NIST SP 800-38D): GCM without a plaintext. The nonce is the standard's IV; 12
 * bytes are the usual length.
 *
 * GHASH is computed as POLYVAL (RFC 8452, appendix A): blocks with their bytes reversed are
 * polynomials whose coefficient of x^i is bit i of a little-endian number, the key is H x, and the
 * product of a and b is a b x^-128 modulo x^128 + x^127 + x^126 + x^121 + 1. */
#ifndef JM_GMAC_H
#define JM_GMAC_H

#include "aes/aes.h"
#include "joulemark/kernel.h"

#define JM_GMAC_BLOCK_BYTES 16u
#define JM_GMAC_NONCE_BYTES 12u
#define JM_GMAC_NONCE_BYTES_MAX 255u /* the limit of kernel.h; the standard allows 2^61 - 1 */

extern const jm_implementation jm_gmac_aes128_portable, jm_gmac_aes192_portable;
extern const jm_implementation jm_gmac_aes256_portable;
extern const jm_implementation jm_gmac_aes128_pclmul, jm_gmac_aes192_pclmul;
extern const jm_implementation jm_gmac_aes256_pclmul;
extern const jm_implementation jm_gmac_aes128_vpclmul, jm_gmac_aes192_vpclmul;
extern const jm_implementation jm_gmac_aes256_vpclmul;

#endif
