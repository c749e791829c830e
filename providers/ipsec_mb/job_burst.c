/* SPDX-License-Identifier: Apache-2.0
 *
 * ipsec_mb_burst_* of HMAC-MD5 and CMAC, which have no hash burst: IMB_GET_NEXT_BURST, fill in,
 * IMB_SUBMIT_BURST_NOCHECK, and IMB_FLUSH_BURST at the end until no job is left. For CMAC of short
 * messages this costs a fifth less than single jobs (AMD EPYC). */
#include "ipsec_mb.h"

#if HAVE_BURSTS

/* The library takes 128 jobs; two bursts of 127 fit into its ring of 256 without filling it. */
#define JOBS_AT_ONCE ((size_t)IMB_MAX_BURST_SIZE - 1)

static inline void finish_all(IMB_MGR *manager, IMB_JOB **jobs) {
    while (IMB_FLUSH_BURST(manager, JOBS_AT_ONCE, jobs) > 0) continue;
}

/* `keyed` is a constant in each instance. */
static inline jm_status tag_many(const jm_implementation *self, keyed_by keyed,
                                 const jm_mac_message *messages, size_t count) {
    const context *mine = context_of(self);
    IMB_JOB *jobs[JOBS_AT_ONCE];
    jm_status status = JM_OK;
    uint32_t in_ring = 0;
    if (!mine) return JM_ERR_LIBRARY;
    for (size_t at = 0; at < count && status == JM_OK;) {
        const uint32_t most = (uint32_t)(count - at < JOBS_AT_ONCE ? count - at : JOBS_AT_ONCE);
        uint32_t filled = 0;
        /* Version 1.3 gives wrong tags once its ring of jobs has wrapped round in bursts. The ring
         * is emptied before, which puts it back to its beginning. */
        if (in_ring + most >= IMB_MAX_JOBS) {
            finish_all(mine->manager, jobs);
            in_ring = 0;
        }
        in_ring += most;
        if (IMB_GET_NEXT_BURST(mine->manager, most, jobs) < most) return JM_ERR_LIBRARY;
        for (uint32_t i = 0; i < most && status == JM_OK; i++, at++) {
            const jm_mac_message *message = messages + at;
            if (is_taken(keyed, message->message_bytes))
                fill_job(jobs[filled++], keyed, message->key_state, message->message,
                         message->message_bytes, message->tag);
            else
                status = JM_ERR_MESSAGE_BYTES;
        }
        if (filled > 0) (void)IMB_SUBMIT_BURST_NOCHECK(mine->manager, filled, jobs);
    }
    finish_all(mine->manager, jobs); /* after a refusal too: the next call needs an empty ring */
    return status;
}

#define JOB_BURST(name, keyed, state_bytes, set_key_call)                                          \
    static jm_status name##_tag_batch(const jm_implementation *self,                               \
                                      const jm_mac_message *messages, size_t count) {              \
        return tag_many(self, keyed, messages, count);                                             \
    }                                                                                              \
    static jm_status name##_tag(const jm_implementation *self, const void *key_state,              \
                                const uint8_t *message, size_t message_bytes, uint8_t *tag) {      \
        const jm_mac_message item = {key_state, message, message_bytes, tag};                      \
        return tag_many(self, keyed, &item, 1);                                                    \
    }                                                                                              \
    const jm_mac_functions name = {                                                                \
        .key_state_bytes = state_bytes,                                                            \
        .set_key = set_key_call,                                                                   \
        .copy_key = copy_key,                                                                      \
        .wipe_key = wipe_key,                                                                      \
        .tag = name##_tag,                                                                         \
        .tag_batch = name##_tag_batch,                                                             \
    };

JOB_BURST(hmac_job_burst, KEYED_HMAC, sizeof(hmac_key), hmac_set_key)
JOB_BURST(cmac_job_burst, KEYED_CMAC, sizeof(cmac_key), cmac_set_key)

#endif
