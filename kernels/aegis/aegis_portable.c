/* SPDX-License-Identifier: Apache-2.0
 *
 * AEGISMAC-128L and AEGISMAC-256 (draft-irtf-cfrg-aegis-aead-18, section 8) in portable C.
 * Technique: an update takes two times four rounds side by side (aes/aes_round.h); AEGIS-256 has
 * six blocks, so that two places stay empty. State layout: the state after Init, and the key; a
 * chaining value is a state. CPU features: none. Constant time: no table look-up and no branch on
 * data; checked by tests/native/constant_time.c. Functions have an outer and an inner half
 * (common/block_mac.h). Best for: CPUs without AES instructions. */
#include "aes/aes_round.h"
#include "common/words.h"

typedef struct {
    uint64_t word[AES_BLOCK_WORDS];
} aegis_block;

JM_INLINE aegis_block aegis_load(const uint8_t *from) {
    return (aegis_block){{load_le64(from), load_le64(from + 8)}};
}
JM_INLINE void aegis_store(uint8_t *to, aegis_block block) {
    store_le64(to, block.word[0]);
    store_le64(to + 8, block.word[1]);
}
JM_INLINE aegis_block aegis_xor(aegis_block a, aegis_block b) {
    return (aegis_block){{a.word[0] ^ b.word[0], a.word[1] ^ b.word[1]}};
}
JM_INLINE aegis_block aegis_words(uint64_t low, uint64_t high) {
    return (aegis_block){{low, high}};
}
JM_INLINE void aegis_rounds(aegis_block *to, const aegis_block *from, const aegis_block *key,
                            size_t count) {
    for (size_t first = 0; first < count; first += 4) {
        uint64_t words[AES_FOUR_BLOCKS_WORDS] = {0};
        const size_t here = count - first < 4 ? count - first : 4;
        for (size_t i = 0; i < here; i++) {
            words[2 * i] = from[first + i].word[0];
            words[2 * i + 1] = from[first + i].word[1];
        }
        aes_round_of_four(words);
        for (size_t i = 0; i < here; i++)
            to[first + i] =
                aegis_xor(key[first + i], (aegis_block){{words[2 * i], words[2 * i + 1]}});
    }
}

#include "aegis/aegis_mac.h"

enum { STACK_BYTES = 1408 };

JM_AEGIS_MACS(portable, 0, STACK_BYTES, "Four rounds of AES side by side in plain C.")
