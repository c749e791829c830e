/* SPDX-License-Identifier: Apache-2.0
 * Managers and prepared jobs: one set for each implementation and thread, made when the thread
 * first sets up a key or computes a tag, so that nothing is allocated per message. */
#include <pthread.h>
#include <stdlib.h>

#include "ipsec_mb.h"

_Thread_local thread_contexts *own_contexts __attribute__((tls_model("initial-exec")));

static pthread_key_t at_thread_end;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

IMB_MGR *open_manager(const selection *wanted) {
    IMB_MGR *manager = alloc_mb_mgr(0);
    if (!manager) return NULL;
    wanted->init(manager);
    if (imb_get_errno(manager) == 0) return manager;
    free_mb_mgr(manager);
    return NULL;
}

void prepare_job(IMB_MGR *manager, IMB_JOB *job, const algorithm *of) {
    memset(job, 0, sizeof *job);
    job->cipher_mode = IMB_CIPHER_NULL;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    job->hash_alg = of->hash;
    job->auth_tag_output_len_in_bytes = of->tag_bytes;
    if (imb_set_session) (void)imb_set_session(manager, job);
}

static void close_contexts(void *of_thread) {
    thread_contexts *ending = of_thread;
    for (size_t i = 0; i < IMPLEMENTATIONS_MAX; i++) {
        if (!ending->of[i]) continue;
        free_mb_mgr(ending->of[i]->manager);
        free(ending->of[i]);
    }
    free(ending);
    own_contexts = NULL;
}

static void make_key(void) {
    (void)pthread_key_create(&at_thread_end, close_contexts);
}

context *open_context(const call *of) {
    pthread_once(&key_once, make_key);
    if (!own_contexts) {
        own_contexts = calloc(1, sizeof *own_contexts);
        if (!own_contexts) return NULL;
        /* After a failure only this thread's memory is leaked when the thread ends. */
        (void)pthread_setspecific(at_thread_end, own_contexts);
    }
    context *made = aligned_alloc(JM_STATE_ALIGN, sizeof *made);
    if (!made) return NULL;
    made->manager = open_manager(of->selection);
    if (!made->manager) {
        free(made);
        return NULL;
    }
    for (size_t i = 0; i < BURST_JOBS; i++)
        prepare_job(made->manager, &made->jobs[i], of->algorithm);
    for (size_t i = 0; i < IMB_MAX_JOBS; i++)
        prepare_job(made->manager, &made->manager->jobs[i], of->algorithm);
    own_contexts->of[of->index] = made;
    return made;
}
