/* SPDX-License-Identifier: Apache-2.0
 *
 * ipsec_mb_burst_* of HMAC over SHA: IMB_SUBMIT_HASH_BURST_NOCHECK on an array of our jobs.
 * The call returns when all jobs are done; no job stays in a queue. */
#include "ipsec_mb.h"

#if HAVE_BURSTS

static jm_status tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                     size_t message_bytes, uint8_t *out) {
    const IMB_HASH_ALG hash = ((const call *)self->over)->algorithm->hash;
    context *mine = context_of(self);
    if (!mine) return JM_ERR_LIBRARY;
    if (!is_taken(KEYED_HMAC, message_bytes)) return JM_ERR_MESSAGE_BYTES;
    fill_job(mine->jobs, KEYED_HMAC, key_state, message, message_bytes, out);
    const uint32_t done = IMB_SUBMIT_HASH_BURST_NOCHECK(mine->manager, mine->jobs, 1, hash);
    return done == 1 ? JM_OK : JM_ERR_LIBRARY;
}

static jm_status tag_batch(const jm_implementation *self, const jm_mac_message *messages,
                           size_t count) {
    const IMB_HASH_ALG hash = ((const call *)self->over)->algorithm->hash;
    context *mine = context_of(self);
    if (!mine) return JM_ERR_LIBRARY;
    for (size_t at = 0; at < count;) {
        uint32_t jobs = 0;
        for (; at < count && jobs < BURST_JOBS; at++) {
            const jm_mac_message *message = messages + at;
            if (!is_taken(KEYED_HMAC, message->message_bytes)) return JM_ERR_MESSAGE_BYTES;
            fill_job(mine->jobs + jobs++, KEYED_HMAC, message->key_state, message->message,
                     message->message_bytes, message->tag);
        }
        if (IMB_SUBMIT_HASH_BURST_NOCHECK(mine->manager, mine->jobs, jobs, hash) != jobs)
            return JM_ERR_LIBRARY;
    }
    return JM_OK;
}

const jm_mac_functions hash_burst = {
    .key_state_bytes = sizeof(hmac_key),
    .set_key = hmac_set_key,
    .copy_key = copy_key,
    .wipe_key = wipe_key,
    .tag = tag,
    .tag_batch = tag_batch,
};

#endif
