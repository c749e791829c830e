/* SPDX-License-Identifier: Apache-2.0
 * Shared by the parts of the IPsec-MB plugin: algorithms, code selections, managers, keys. */
#ifndef JM_IPSEC_MB_H
#define JM_IPSEC_MB_H

#include <intel-ipsec-mb.h>

#include "provider.h"

/* The bursts are new in 1.3; an older library offers single jobs only. */
#define HAVE_BURSTS (IMB_VERSION_NUM >= IMB_VERSION(1, 3, 0))

/* NULL in versions before sessions, such as 1.3. Later versions demand the call for bursts of jobs,
 * in which they jump by what it writes into the job, and advise it for single jobs. */
uint32_t imb_set_session(IMB_MGR *manager, IMB_JOB *job) __attribute__((weak));

/* Jobs of one burst: as many as a manager has room for. Lanes run half empty at the end of each
 * burst: bursts of 128 jobs cost 2 to 3 % more per short message, bursts of 64 cost 6 % more (on
 * AMD EPYC). */
#define BURST_JOBS ((uint32_t)IMB_MAX_JOBS)

/* The library's checked calls refuse more than 2^16 - 2 bytes (IMB_ERR_JOB_AUTH_LEN). Its unchecked
 * calls are right up to 2^16 bytes, where the lengths that CMAC's managers keep begin again at 0;
 * provider_check compares this length too. Poly1305 and GMAC have no such limit (is_taken). */
#define LANE_MESSAGE_BYTES_MAX 65536u

#define HMAC_BLOCK_BYTES_MAX 128u

/* Both chaining values of a keyed HMAC, as the library's *_one_block functions leave them. */
typedef struct {
    _Alignas(16) uint8_t inner[IMB_SHA512_DIGEST_SIZE_IN_BYTES];
    _Alignas(16) uint8_t outer[IMB_SHA512_DIGEST_SIZE_IN_BYTES];
} hmac_key;

typedef struct {
    _Alignas(16) uint8_t schedule[15 * IMB_AES_BLOCK_SIZE];
    _Alignas(16) uint8_t whole[IMB_AES_BLOCK_SIZE];  /* K1 of SP 800-38B */
    _Alignas(16) uint8_t padded[IMB_AES_BLOCK_SIZE]; /* K2 */
} cmac_key;

#define POLY1305_KEY_BYTES 32u
#define GMAC_NONCE_BYTES 12u

typedef struct {
    struct gcm_key_data key;
    uint8_t nonce[GMAC_NONCE_BYTES];
} gmac_key;

/* The kind of key that the library gets with each message. */
typedef enum { KEYED_HMAC, KEYED_CMAC, KEYED_POLY1305, KEYED_GMAC } keyed_by;

typedef struct {
    const char *id;
    IMB_HASH_ALG hash;
    keyed_by keyed;
    size_t block_bytes, tag_bytes, key_bytes_min, key_bytes_max;
    const jm_mac_functions *burst, *job; /* burst may be NULL */
} algorithm;

/* A selection of the library's code, as init_mb_mgr_* makes it. */
typedef struct {
    const char *burst_variant, *job_variant;
    const char *hash_burst_note, *job_burst_note, *job_note;
    void (*init)(IMB_MGR *manager);
    uint64_t library_features; /* IMB_FEATURE_ bits without which init refuses */
    uint32_t cpu_features;     /* the same as JM_CPU_ bits */
} selection;

/* `over` of an implementation points to a call. */
typedef struct {
    const algorithm *algorithm;
    const selection *selection;
    size_t index; /* place of the implementation, and of its context in each thread */
} call;

/* One implementation's working memory in one thread. The fields of a job that are the same for all
 * messages are filled in when the context is made: in `jobs` for bursts, in the manager's own ring
 * of jobs for single jobs. */
typedef struct {
    IMB_MGR *manager;
    _Alignas(JM_STATE_ALIGN) IMB_JOB jobs[BURST_JOBS];
} context;

enum { ALGORITHMS = 11, SELECTIONS = 3, IMPLEMENTATIONS_MAX = 2 * ALGORITHMS * SELECTIONS };

/* ---- context.c ---- */

/* A manager for the selection; NULL if there is no memory or the library refuses. */
IMB_MGR *open_manager(const selection *wanted);

/* Fills in the fields that are the same for all messages of an algorithm. */
void prepare_job(IMB_MGR *manager, IMB_JOB *job, const algorithm *of);

/* Makes this thread's context for an implementation, which lives until the thread ends. NULL if
 * there is no memory or the library refuses. */
context *open_context(const call *of);

typedef struct {
    context *of[IMPLEMENTATIONS_MAX];
} thread_contexts;

/* Initial-exec costs one load instead of a function call, whose time would be charged to the
 * library. */
extern _Thread_local thread_contexts *own_contexts __attribute__((tls_model("initial-exec")));

/* This thread's context for the implementation; NULL only if it could not be made. */
static inline context *context_of(const jm_implementation *self) {
    const call *of = self->over;
    context *found = own_contexts ? own_contexts->of[of->index] : NULL;
    return found ? found : open_context(of);
}

/* ---- keys.c ---- */

jm_status hmac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                       size_t key_bytes);
jm_status cmac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                       size_t key_bytes);
jm_status poly1305_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                           size_t key_bytes);
jm_status gmac_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                       size_t key_bytes);
jm_status gmac_set_nonce(const jm_implementation *self, void *key_state, const uint8_t *nonce,
                         size_t nonce_bytes);
jm_status copy_key(const jm_implementation *self, void *to, const void *from);
void wipe_key(const jm_implementation *self, void *key_state);

/* Whether the library takes a message of this length under this kind of key; all other messages are
 * refused with JM_ERR_MESSAGE_BYTES. An empty message makes the library's HMAC managers pad in the
 * wrong place, then and for later messages; the library's checked calls refuse it. */
static inline bool is_taken(keyed_by keyed, size_t message_bytes) {
    if (keyed == KEYED_HMAC) return message_bytes - 1 < LANE_MESSAGE_BYTES_MAX;
    return keyed == KEYED_POLY1305 || keyed == KEYED_GMAC ||
           message_bytes <= LANE_MESSAGE_BYTES_MAX;
}

/* Adds a message to a prepared job; `keyed` is a constant wherever this function is inlined. */
static inline void fill_job(IMB_JOB *job, keyed_by keyed, const void *key_state,
                            const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    job->src = message ? message : (const uint8_t *)"";
    job->msg_len_to_hash_in_bytes = message_bytes;
    job->auth_tag_output = tag;
    if (keyed == KEYED_HMAC) {
        const hmac_key *key = key_state;
        job->u.HMAC._hashed_auth_key_xor_ipad = key->inner;
        job->u.HMAC._hashed_auth_key_xor_opad = key->outer;
    } else if (keyed == KEYED_CMAC) {
        const cmac_key *key = key_state;
        job->u.CMAC._key_expanded = key->schedule;
        job->u.CMAC._skey1 = key->whole;
        job->u.CMAC._skey2 = key->padded;
    } else if (keyed == KEYED_GMAC) {
        const gmac_key *key = key_state;
        job->u.GMAC._key = &key->key;
        job->u.GMAC._iv = key->nonce;
        job->u.GMAC.iv_len_in_bytes = GMAC_NONCE_BYTES;
    } else {
        job->u.POLY1305._key = key_state;
    }
}

/* ---- hash_burst.c, job_burst.c, job.c ---- */

extern const jm_mac_functions hash_burst, hmac_job_burst, cmac_job_burst;
extern const jm_mac_functions hmac_job, cmac_job, poly1305_job, gmac_job;

#endif
