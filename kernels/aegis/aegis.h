/* SPDX-License-Identifier: Apache-2.0
 *
 * AEGISMAC-128L and AEGISMAC-256 (draft-irtf-cfrg-aegis-aead-18, section 8): the MACs made of the
 * rounds of AES (FIPS 197, section 5.1) as AEGIS-128L and AEGIS-256 chain them. Here tags of the
 * first have 128 bits, tags of the second 256; with the draft's other lengths of tags they are
 * other functions. A nonce is as long as the key. The draft lets messages share a nonce under a
 * key. */
#ifndef JM_AEGIS_H
#define JM_AEGIS_H

#include "joulemark/kernel.h"

#define JM_AEGIS_128L_KEY_BYTES 16u /* and of a nonce */
#define JM_AEGIS_128L_BLOCK_BYTES 32u
#define JM_AEGIS_128L_TAG_BYTES 16u
#define JM_AEGIS_256_KEY_BYTES 32u /* and of a nonce */
#define JM_AEGIS_256_BLOCK_BYTES 16u
#define JM_AEGIS_256_TAG_BYTES 32u

extern const jm_implementation jm_aegismac_128l_portable, jm_aegismac_256_portable;
extern const jm_implementation jm_aegismac_128l_aesni, jm_aegismac_256_aesni;

#endif
