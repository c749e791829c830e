/* SPDX-License-Identifier: Apache-2.0
 *
 * ipsec_mb_job_*: IMB_GET_NEXT_JOB, fill in, IMB_SUBMIT_JOB_NOCHECK for each message, and
 * IMB_FLUSH_JOB at the end until no job is left. The library writes each tag where its job says, so
 * that the finished jobs which the calls return can be ignored. */
#include "ipsec_mb.h"

static inline void submit(IMB_MGR *manager, keyed_by keyed, const void *key_state,
                          const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    fill_job(IMB_GET_NEXT_JOB(manager), keyed, key_state, message, message_bytes, tag);
    (void)IMB_SUBMIT_JOB_NOCHECK(manager);
}

static inline void finish_all(IMB_MGR *manager) {
    while (IMB_FLUSH_JOB(manager)) continue;
}

/* `keyed` is a constant in each instance. */
static inline jm_status tag_one(const jm_implementation *self, keyed_by keyed,
                                const void *key_state, const uint8_t *message, size_t message_bytes,
                                uint8_t *tag) {
    const context *mine = context_of(self);
    if (!mine) return JM_ERR_LIBRARY;
    if (!is_taken(keyed, message_bytes)) return JM_ERR_MESSAGE_BYTES;
    submit(mine->manager, keyed, key_state, message, message_bytes, tag);
    finish_all(mine->manager);
    return JM_OK;
}

static inline jm_status tag_many(const jm_implementation *self, keyed_by keyed,
                                 const jm_mac_message *messages, size_t count) {
    const context *mine = context_of(self);
    jm_status status = JM_OK;
    if (!mine) return JM_ERR_LIBRARY;
    for (size_t i = 0; i < count && status == JM_OK; i++) {
        const jm_mac_message *message = messages + i;
        if (is_taken(keyed, message->message_bytes))
            submit(mine->manager, keyed, message->key_state, message->message,
                   message->message_bytes, message->tag);
        else
            status = JM_ERR_MESSAGE_BYTES;
    }
    finish_all(mine->manager); /* after a refusal too: the next call needs an empty manager */
    return status;
}

#define JOB_TAG(name, keyed)                                                                       \
    static jm_status name##_tag(const jm_implementation *self, const void *key_state,              \
                                const uint8_t *message, size_t message_bytes, uint8_t *tag) {      \
        return tag_one(self, keyed, key_state, message, message_bytes, tag);                       \
    }

#define JOB_TAG_BATCH(name, keyed)                                                                 \
    static jm_status name##_tag_batch(const jm_implementation *self,                               \
                                      const jm_mac_message *messages, size_t count) {              \
        return tag_many(self, keyed, messages, count);                                             \
    }

#define JOB_FUNCTIONS(name, state_bytes, set_key_call, batch_call)                                 \
    const jm_mac_functions name = {                                                                \
        .key_state_bytes = state_bytes,                                                            \
        .set_key = set_key_call,                                                                   \
        .copy_key = copy_key,                                                                      \
        .wipe_key = wipe_key,                                                                      \
        .tag = name##_tag,                                                                         \
        .tag_batch = batch_call,                                                                   \
    };

JOB_TAG(hmac_job, KEYED_HMAC)
JOB_TAG_BATCH(hmac_job, KEYED_HMAC)
JOB_FUNCTIONS(hmac_job, sizeof(hmac_key), hmac_set_key, hmac_job_tag_batch)

JOB_TAG(cmac_job, KEYED_CMAC)
JOB_TAG_BATCH(cmac_job, KEYED_CMAC)
JOB_FUNCTIONS(cmac_job, sizeof(cmac_key), cmac_set_key, cmac_job_tag_batch)

/* The library computes each Poly1305 job when it is submitted, so there is no batch to offer. */
JOB_TAG(poly1305_job, KEYED_POLY1305)
JOB_FUNCTIONS(poly1305_job, POLY1305_KEY_BYTES, poly1305_set_key, NULL)

/* GMAC jobs are computed one by one like those of Poly1305. */
JOB_TAG(gmac_job, KEYED_GMAC)
const jm_mac_functions gmac_job = {
    .key_state_bytes = sizeof(gmac_key),
    .set_key = gmac_set_key,
    .copy_key = copy_key,
    .wipe_key = wipe_key,
    .tag = gmac_job_tag,
    .set_nonce = gmac_set_nonce,
};
