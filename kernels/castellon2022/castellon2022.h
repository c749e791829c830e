/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC-SHA256 as C. Castellon, S. Roy, O. P. Kreidl, A. Dutta and L. Boloni, "Towards an
 * Energy-Efficient Hash-based Message Authentication Code (HMAC)", 2022, measured it: the part that
 * all variants share. The variants are specimens of a study, not code to use.
 *
 * The paper gives Algorithm 1 and a figure, not its programs. With one filling (filling.h), ours
 * differ in one thing only, the place of the input's chunks in memory: same compression (one
 * function, so the same machine code). Key states are those of every HMAC-SHA256 here.
 */
#ifndef JM_CASTELLON2022_H
#define JM_CASTELLON2022_H

#include "sha256/sha256.h"

enum { CASTELLON2022_BLOCK_BYTES = 64, CASTELLON2022_DIGEST_BYTES = 32 };
#define CASTELLON2022_LIVE JM_LIVE("hmac-sha256", "")

/* One SHA-256 compression (FIPS 180-4, section 6.2.2) as a textbook writes it: first the whole
 * message schedule, then 64 rounds that move all eight working variables. `chain` is in the order
 * of sha256.h; the caller wipes `schedule`. */
void jm_castellon2022_compress(uint32_t chain[8], uint32_t schedule[64], const uint8_t *block);

/* This compression function as a jm_compression, for key set-up and streams. */
extern const jm_compression jm_castellon2022_compression;

/* The eight bytes that end the padding after `total_bytes` (FIPS 180-4, section 5.1.1). */
static inline void castellon2022_length(uint8_t field[8], uint64_t total_bytes) {
    for (size_t i = 0; i < 8; i++) field[i] = (uint8_t)(total_bytes << 3 >> (56 - 8 * i));
}

/* Defines jm_hmac_sha256_castellon2022_<variant_> from its tag function. */
#define JM_CASTELLON2022(variant_, tag_, note_)                                                    \
    JM_HMAC_KEYS_AND_STREAMS(variant_)                                                             \
    static const jm_mac_functions variant_##_functions = {                                         \
        .key_state_bytes = JM_HMAC_KEY_BYTES(CASTELLON2022_BLOCK_BYTES),                           \
        .stream_bytes = sizeof(jm_hmac_stream),                                                    \
        .set_key = variant_##_set_key,                                                             \
        .copy_key = jm_hmac_copy_key,                                                              \
        .wipe_key = jm_hmac_wipe_key,                                                              \
        .tag = (tag_),                                                                             \
        .stream_begin = variant_##_stream_begin,                                                   \
        .stream_update = variant_##_stream_update,                                                 \
        .stream_finish = variant_##_stream_finish,                                                 \
    };                                                                                             \
    const jm_implementation jm_hmac_sha256_castellon2022_##variant_ = {                            \
        .algorithm = "hmac-sha256",                                                                \
        .variant = "castellon2022_" #variant_,                                                     \
        .note = (note_),                                                                           \
        .kind = JM_KIND_MAC,                                                                       \
        .lanes = 1,                                                                                \
        .constant_time = true,                                                                     \
        .block_bytes = CASTELLON2022_BLOCK_BYTES,                                                  \
        .output_bytes = CASTELLON2022_DIGEST_BYTES,                                                \
        .key_bytes_max = SIZE_MAX,                                                                 \
        .key_bytes = CASTELLON2022_DIGEST_BYTES,                                                   \
        .mac = &variant_##_functions,                                                              \
        .over = &jm_castellon2022_compression,                                                     \
        .live = CASTELLON2022_LIVE,                                                                \
    };

extern const jm_implementation jm_hmac_sha256_castellon2022_standard;
extern const jm_implementation jm_hmac_sha256_castellon2022_standard_chunks;
extern const jm_implementation jm_hmac_sha256_castellon2022_ecm_j1;
extern const jm_implementation jm_hmac_sha256_castellon2022_ecm_j2;
extern const jm_implementation jm_hmac_sha256_castellon2022_ecm_j4;
extern const jm_implementation jm_hmac_sha256_castellon2022_ecm_j8;
extern const jm_implementation jm_hmac_sha256_castellon2022_ecm_j16;
extern const jm_implementation jm_hmac_sha256_castellon2022_ecm_chunks_j1;
extern const jm_implementation jm_hmac_sha256_castellon2022_ecm_chunks_j2;
extern const jm_implementation jm_hmac_sha256_castellon2022_ecm_chunks_j4;
extern const jm_implementation jm_hmac_sha256_castellon2022_ecm_chunks_j8;
extern const jm_implementation jm_hmac_sha256_castellon2022_ecm_chunks_j16;

#endif
