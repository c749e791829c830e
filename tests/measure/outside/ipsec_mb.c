/* SPDX-License-Identifier: Apache-2.0
 * One job at a time, flushed, and hash bursts of a batch, as libipsec-mb(7) describes them, on the
 * SSE selection, which every CPU with AES instructions runs. */
#include <intel-ipsec-mb.h>

#include "plain_loop.h"

static IMB_MGR *manager;
static IMB_JOB jobs[BATCH];
static uint8_t inner[64] __attribute__((aligned(64))), outer[64] __attribute__((aligned(64)));

static void prepare(IMB_JOB *job) {
    job->cipher_mode = IMB_CIPHER_NULL;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    job->hash_alg = IMB_AUTH_HMAC_SHA_256;
    job->auth_tag_output_len_in_bytes = 32;
}

static int hmac_key(const uint8_t key[32]) {
    uint8_t block[64] = {0};
    manager = alloc_mb_mgr(0);
    if (!manager) return 0;
    init_mb_mgr_sse(manager);
    if (imb_get_errno(manager)) return 0;
    memcpy(block, key, 32);
    for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36;
    IMB_SHA256_ONE_BLOCK(manager, block, inner);
    for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36 ^ 0x5c;
    IMB_SHA256_ONE_BLOCK(manager, block, outer);
    for (size_t i = 0; i < BATCH; i++) prepare(&jobs[i]);
    for (int i = 0; i < IMB_MAX_JOBS; i++) { /* the ring keeps the constant fields */
        IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
        prepare(job);
        job->src = arena;
        job->msg_len_to_hash_in_bytes = 1;
        job->auth_tag_output = tags;
        job->u.HMAC._hashed_auth_key_xor_ipad = inner;
        job->u.HMAC._hashed_auth_key_xor_opad = outer;
        IMB_SUBMIT_JOB_NOCHECK(manager);
        while (IMB_FLUSH_JOB(manager)) continue;
    }
    return 1;
}

static void fill(IMB_JOB *job, const work *given, size_t number) {
    job->src = given->messages + number * given->bytes;
    job->msg_len_to_hash_in_bytes = given->bytes;
    job->auth_tag_output = given->tags + number * TAG_BYTES_MAX;
    job->u.HMAC._hashed_auth_key_xor_ipad = inner;
    job->u.HMAC._hashed_auth_key_xor_opad = outer;
}

static inline int flushed(const work *given) {
    fill(IMB_GET_NEXT_JOB(manager), given, 0);
    (void)IMB_SUBMIT_JOB_NOCHECK(manager);
    while (IMB_FLUSH_JOB(manager)) continue;
    return 1;
}

static inline int filled(const work *given) {
    for (size_t i = 0; i < BATCH; i++) fill(&jobs[i], given, i);
    return IMB_SUBMIT_HASH_BURST_NOCHECK(manager, jobs, BATCH, IMB_AUTH_HMAC_SHA_256) == BATCH;
}

TURNS(one_job, flushed(given))
TURNS(burst, filled(given))

static const plain_call calls[] = {
    {"hmac-sha256/ipsec_mb_job_sse", 1, 32, hmac_key, one_job},
    {"hmac-sha256/ipsec_mb_burst_sse", BATCH, 32, hmac_key, burst},
};

PLAIN_LOOP_MAIN(calls)
