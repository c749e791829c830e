/* SPDX-License-Identifier: Apache-2.0
 * The functions of hash_blocks.h. */
#include "common/hash_blocks.h"

#include "common/merkle_damgard.h"

const jm_implementation *jm_hash_chosen(const char *algorithm) {
    const jm_plugin *ours = jm_builtin_plugin();
    const jm_implementation *chosen = NULL;
    for (size_t i = 0; i < ours->count; i++) {
        const jm_implementation *implementation = ours->implementations[i];
        if (implementation->kind == JM_KIND_HASH && !strcmp(implementation->algorithm, algorithm) &&
            !(implementation->cpu_features & ~jm_cpu_features()))
            chosen = implementation;
    }
    return chosen;
}

static uint64_t load_word(const uint8_t *from, size_t bytes, bool big_endian) {
    if (bytes == 8) return big_endian ? load_be64(from) : load_le64(from);
    return big_endian ? load_be32(from) : load_le32(from);
}

/* For each word of the chaining value, the number of its word in the state. Only `output` knows the
 * variant's order, so it is called with chaining values in which all words but one are 0. The
 * answer is kept: finding it again in each call would show in the caller's times. */
static const uint8_t *places_of(const jm_compression *compression, size_t word_bytes,
                                size_t words) {
    static _Thread_local const jm_compression *known;
    static _Thread_local uint8_t places[JM_CHAIN_BYTES_MAX / 4];
    for (size_t i = 0; known != compression && i < words; i++) {
        _Alignas(JM_STATE_ALIGN) uint8_t chain[JM_CHAIN_BYTES_MAX] = {0};
        uint8_t digest[JM_OUTPUT_BYTES_MAX];
        memset(chain + i * word_bytes, 0xff, word_bytes);
        compression->output(chain, digest);
        places[i] = 0;
        while (places[i] + 1u < words && !digest[places[i] * word_bytes]) places[i]++;
    }
    known = compression;
    return places;
}

size_t jm_hash_blocks(const jm_implementation *hash, uint8_t *state, const uint8_t *message,
                      size_t message_bytes) {
    const jm_compression *compression = hash->over;
    const size_t word_bytes = compression->block_bytes / 16;
    const size_t words = compression->digest_bytes / word_bytes;
    const uint8_t *places = places_of(compression, word_bytes, words);
    _Alignas(JM_STATE_ALIGN) uint8_t chain[JM_CHAIN_BYTES_MAX];
    for (size_t i = 0; i < words; i++) {
        const uint8_t *from = state + word_bytes * places[i];
        const uint64_t word = load_word(from, word_bytes, compression->length_big_endian);
        const uint32_t half = (uint32_t)word;
        if (word_bytes == sizeof word)
            memcpy(chain + i * word_bytes, &word, sizeof word);
        else
            memcpy(chain + i * word_bytes, &half, sizeof half);
    }
    compression->compress(chain, message, message_bytes / compression->block_bytes);
    compression->output(chain, state);
    jm_wipe(chain, sizeof chain);
    return message_bytes % compression->block_bytes;
}
