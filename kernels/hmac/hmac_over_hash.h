/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC (RFC 2104, section 2) over any hash of ours that has none, through its jm_hash_functions.
 * kernels/registry.c has it made for each variant of such a hash: `hmac-<hash>/<variant>`, whose
 * `over` is the hash's jm_implementation.
 *
 * The key state is the hash's two states after the padded key's block (RFC 2104, section 4). A hash
 * that holds its last block back, as BLAKE2 does, absorbs that block with every message.
 *
 * A hash may spill where it likes and give a digest to memcpy of a C library, which takes the
 * widest registers of the CPU. So the CPU, not the hash, decides which of three files the functions
 * are from: each clears all registers that its instructions know (common/secret.h). */
#ifndef JM_HMAC_OVER_HASH_H
#define JM_HMAC_OVER_HASH_H

#include "common/secret.h"
#include "common/table.h"

enum {
    JM_HASH_STATE_BYTES_MAX = 2048, /* of a hash that is served */
    JM_HASH_BLOCK_BYTES_MAX = 256,
    JM_HMAC_OVER_HASH_STACK_BYTES = 8192, /* the deepest is BLAKE3's digest, in 16 lanes */
};

/* HMAC over every hash of `implementations` without one, in their order. A hash whose block is
 * shorter than its digest has none: the digest of a long key would not fit its block. Nor has a
 * hash without init. The table stays valid until the next call. */
const jm_table *jm_hmacs_over(const jm_implementation *const *implementations, size_t count);

/* Whether jm_hmacs_over made an implementation. */
bool jm_is_hmac_over_hash(const jm_implementation *self);

/* The functions; key_state_bytes and stream_bytes are left to be filled in. */
extern const jm_mac_functions jm_hmac_over_hash_functions;
#if defined(__x86_64__)
extern const jm_mac_functions jm_hmac_over_hash_avx2_functions, jm_hmac_over_hash_avx512_functions;
#endif

/* The first line of a key state and of a stream: the mark. The hash's two states follow. */
typedef struct {
    _Alignas(JM_STATE_ALIGN) uint64_t live; /* JM_LIVE of the algorithm and the variant */
} jm_hash_states;

JM_INLINE size_t jm_hash_state_room(const jm_implementation *hash) {
    return (hash->hash->state_bytes + JM_STATE_ALIGN - 1) / JM_STATE_ALIGN * JM_STATE_ALIGN;
}
JM_INLINE size_t jm_hash_states_bytes(const jm_implementation *hash) {
    return sizeof(jm_hash_states) + 2 * jm_hash_state_room(hash);
}

#endif
