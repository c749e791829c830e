/* SPDX-License-Identifier: Apache-2.0
 * Makes HMAC for hashes that have none, with functions for CPUs without AVX2; hmac_over_hash.h has
 * the method. */
#include "hmac/hmac_over_hash_functions.h"

#include <stdio.h>
#include <stdlib.h>

#include "joulemark/kernel.h"

const jm_mac_functions jm_hmac_over_hash_functions = JM_HMAC_OVER_HASH_FUNCTIONS;

enum { MADE_MAX = 512, NAME_BYTES = 40 };

static jm_implementation implementations[MADE_MAX];
static jm_mac_functions functions[MADE_MAX];
static char names[MADE_MAX][NAME_BYTES];
static const jm_implementation *made[MADE_MAX];
static jm_table table = {0, made};

static const jm_mac_functions *functions_here(void) {
#if defined(__x86_64__)
    const uint32_t features = jm_cpu_features();
    if (features & JM_CPU_AVX512) return &jm_hmac_over_hash_avx512_functions;
    if (features & JM_CPU_AVX2) return &jm_hmac_over_hash_avx2_functions;
#endif
    return &jm_hmac_over_hash_functions;
}

static bool has_hmac(const jm_implementation *hash, const jm_implementation *const *others,
                     size_t count) {
    for (size_t i = 0; i < count; i++)
        if (others[i]->mac && !strncmp(others[i]->algorithm, "hmac-", 5) &&
            !strcmp(others[i]->algorithm + 5, hash->algorithm))
            return true;
    return false;
}

static bool is_served(const jm_implementation *hash) {
    return hash->hash && hash->hash->init && hash->hash->state_bytes <= JM_HASH_STATE_BYTES_MAX &&
           hash->block_bytes <= JM_HASH_BLOCK_BYTES_MAX && hash->block_bytes >= hash->output_bytes;
}

/* JM_LIVE, for names that no compiler knows. */
static uint64_t live_of(const char *algorithm, const char *layout) {
    uint64_t live = JM_LIVE_SEED_;
    for (size_t i = 0; i < 24; i++)
        live = JM_LIVE_NEXT_(live, algorithm[i % (strlen(algorithm) + 1)]);
    for (size_t i = 0; i < 16; i++) live = JM_LIVE_NEXT_(live, layout[i % (strlen(layout) + 1)]);
    return live;
}

/* Aborts rather than hide an HMAC when the tables above have become too small. */
static void make(const jm_implementation *hash) {
    const size_t at = table.count;
    if (at == MADE_MAX) abort();
    const int written = snprintf(names[at], NAME_BYTES, "hmac-%s", hash->algorithm);
    if (written >= NAME_BYTES) abort();
    functions[at] = *functions_here();
    functions[at].key_state_bytes = functions[at].stream_bytes = jm_hash_states_bytes(hash);
    implementations[at] = (jm_implementation){
        .algorithm = names[at],
        .variant = hash->variant,
        .note = hash->note,
        .kind = JM_KIND_MAC,
        .cpu_features = hash->cpu_features,
        .lanes = 1,
        .constant_time = hash->constant_time,
        .block_bytes = hash->block_bytes,
        .output_bytes = hash->output_bytes,
        .key_bytes_min = 0,
        .key_bytes_max = SIZE_MAX,
        .key_bytes = hash->output_bytes,
        .mac = &functions[at],
        .over = hash,
        .live = live_of(names[at], hash->variant),
    };
    made[table.count++] = &implementations[at];
}

const jm_table *jm_hmacs_over(const jm_implementation *const *hashes, size_t count) {
    table.count = 0;
    for (size_t i = 0; i < count; i++)
        if (is_served(hashes[i]) && !has_hmac(hashes[i], hashes, count)) make(hashes[i]);
    return &table;
}

bool jm_is_hmac_over_hash(const jm_implementation *self) {
    for (size_t i = 0; i < table.count; i++)
        if (made[i] == self) return true;
    return false;
}
