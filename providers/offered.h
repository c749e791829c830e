/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds, when a plugin is loaded, the implementations that the loaded library offers.
 *
 * A build of a library may leave an algorithm out, or forbid it; a version may not have it yet, or
 * no longer; a declared function may be a pointer to nowhere. So each implementation is tried once,
 * with a key, a nonce, a message, a stream and a batch. The trial is made in a child process, which
 * alone dies if a call crashes. An implementation that refuses or dies is told in `lacks`, with the
 * reason, and is never called in this process. The trial does not look at outputs: they are checked
 * before anything is timed, and a wrong output must be seen there.
 *
 * Included by the file of a provider that has joulemark_plugin(), in C or C++. */
#ifndef JM_GATHER_H
#define JM_GATHER_H

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/table.h"
#include "provider.h"

/* The states of keys are contexts of the library, which some libraries write in each call. */
#ifdef __cplusplus
extern "C"
#endif
    JM_API const int joulemark_keys_change = 1;

#ifndef JM_TRIAL_LIMIT_S
#define JM_TRIAL_LIMIT_S 10u /* all trials of a library take milliseconds */
#endif

enum {
    JM_TRIAL_BYTES = 1024,         /* the longest key of a trial */
    JM_TRIAL_MESSAGE_BYTES = 64,   /* taken by every MAC and hash that we know */
    JM_LACK_REASON_BYTES_MAX = 256 /* longer reasons are cut */
};

/* The outcome of a trial: not made yet, or the first step that failed. JM_TRIAL_BEGUN stays where
 * the child died. */
typedef enum {
    JM_TRIAL_NONE,
    JM_TRIAL_BEGUN,
    JM_TRIAL_OFFERED,
    JM_TRIAL_NO_MEMORY,
    JM_TRIAL_NO_KEY,
    JM_TRIAL_NO_COPY,
    JM_TRIAL_NO_NONCE,
    JM_TRIAL_NO_MESSAGE,
    JM_TRIAL_NO_STREAM,
    JM_TRIAL_NO_BATCH
} jm_trial;

static inline void *jm_trial_memory(size_t bytes) {
    return aligned_alloc(JM_STATE_ALIGN, (bytes / JM_STATE_ALIGN + 1) * JM_STATE_ALIGN);
}

static inline jm_trial jm_try_hash(const jm_implementation *implementation,
                                   const uint8_t *message) {
    const jm_hash_functions *hash = implementation->hash;
    uint8_t digest[JM_OUTPUT_BYTES_MAX];
    if (hash->digest(implementation, message, JM_TRIAL_MESSAGE_BYTES, digest))
        return JM_TRIAL_NO_MESSAGE;
    if (!hash->init) return JM_TRIAL_OFFERED;
    void *state = jm_trial_memory(hash->state_bytes);
    if (!state) return JM_TRIAL_NO_MEMORY;
    const bool streams = !hash->init(implementation, state) &&
                         !hash->update(implementation, state, message, JM_TRIAL_MESSAGE_BYTES) &&
                         !hash->final(implementation, state, digest);
    return streams ? JM_TRIAL_OFFERED : JM_TRIAL_NO_STREAM;
}

static inline jm_trial jm_try_mac(const jm_implementation *implementation, const uint8_t *key,
                                  const uint8_t *message) {
    const jm_mac_functions *mac = implementation->mac;
    void *const state = jm_trial_memory(mac->key_state_bytes);
    void *const copy = jm_trial_memory(mac->key_state_bytes);
    void *const stream = jm_trial_memory(mac->stream_bytes);
    uint8_t tags[2][JM_OUTPUT_BYTES_MAX];
    if (!state || !copy || !stream) return JM_TRIAL_NO_MEMORY;
    if (mac->set_key(implementation, state, key, implementation->key_bytes)) return JM_TRIAL_NO_KEY;
    if (implementation->nonce_bytes_max > 0 &&
        mac->set_nonce(implementation, state, message, implementation->nonce_bytes))
        return JM_TRIAL_NO_NONCE;
    if (mac->copy_key(implementation, copy, state)) return JM_TRIAL_NO_COPY;
    if (mac->tag(implementation, state, message, JM_TRIAL_MESSAGE_BYTES, tags[0]))
        return JM_TRIAL_NO_MESSAGE;
    if (mac->stream_begin &&
        (mac->stream_begin(implementation, stream, state) ||
         mac->stream_update(implementation, stream, message, JM_TRIAL_MESSAGE_BYTES) ||
         mac->stream_finish(implementation, stream, tags[0])))
        return JM_TRIAL_NO_STREAM;
    if (mac->tag_batch) {
        const jm_mac_message both[2] = {{state, message, JM_TRIAL_MESSAGE_BYTES, tags[0]},
                                        {copy, message, JM_TRIAL_MESSAGE_BYTES - 1, tags[1]}};
        if (mac->tag_batch(implementation, both, 2)) return JM_TRIAL_NO_BATCH;
    }
    mac->wipe_key(implementation, state);
    mac->wipe_key(implementation, copy);
    return JM_TRIAL_OFFERED;
}

static inline jm_trial jm_try_cipher(const jm_implementation *implementation, const uint8_t *key,
                                     const uint8_t *message) {
    const jm_cipher_functions *cipher = implementation->cipher;
    void *const schedule = jm_trial_memory(cipher->schedule_bytes);
    uint8_t block[JM_OUTPUT_BYTES_MAX] = {0};
    if (!schedule) return JM_TRIAL_NO_MEMORY;
    if (cipher->set_key(implementation, schedule, key, implementation->key_bytes))
        return JM_TRIAL_NO_KEY;
    cipher->encrypt(implementation, schedule, message, block, 1);
    cipher->chain(implementation, schedule, block, message, 1);
    cipher->wipe_key(implementation, schedule);
    return JM_TRIAL_OFFERED;
}

/* Tries an implementation. The child that does it ends soon, and frees no memory. */
static inline jm_trial jm_try(const jm_implementation *implementation) {
    static uint8_t key[JM_TRIAL_BYTES], message[JM_TRIAL_MESSAGE_BYTES];
    if (implementation->key_bytes > sizeof key) return JM_TRIAL_OFFERED;
    for (size_t i = 0; i < sizeof key; i++) key[i] = (uint8_t)(7 * i + 1);
    if (implementation->hash) return jm_try_hash(implementation, message);
    return implementation->mac ? jm_try_mac(implementation, key, message)
                               : jm_try_cipher(implementation, key, message);
}

/* The child: tries what has no outcome yet, silently, and leaves no core file if it dies. */
static inline void jm_try_all(const jm_implementation *const *all, size_t count,
                              volatile unsigned char *outcomes) {
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGALRM};
    const struct rlimit no_core = {0, 0};
    sigset_t none;
    sigemptyset(&none);
    for (size_t i = 0; i < JM_COUNT(deadly); i++) signal(deadly[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    alarm(JM_TRIAL_LIMIT_S);
    for (size_t i = 0; i < count; i++) {
        if (outcomes[i] != JM_TRIAL_NONE) continue;
        outcomes[i] = JM_TRIAL_BEGUN;
        outcomes[i] = (unsigned char)jm_try(all[i]);
    }
    _exit(0);
}

/* Writes why the implementation is not offered. `status` is waitpid's, if the child died. */
static inline void jm_tell_lack(char *text, const char *library, jm_trial outcome, int status) {
    /* From JM_TRIAL_NO_MEMORY on. */
    static const char *const refusals[] = {"there is no memory for its state",
                                           "no key can be set up",
                                           "it refuses to copy a key",
                                           "it refuses the nonce",
                                           "it refuses a message",
                                           "it refuses a message in pieces",
                                           "it refuses a batch"};
    const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const char *why = number == SIGALRM   ? "its first call does not end"
                      : number == SIGSEGV ? "its first call crashes (SIGSEGV)"
                      : number == SIGILL  ? "its first call crashes (SIGILL)"
                      : number == SIGABRT ? "its first call aborts (SIGABRT)"
                                          : "its first call ends the process";
    if (outcome >= JM_TRIAL_NO_MEMORY) why = refusals[outcome - JM_TRIAL_NO_MEMORY];
    snprintf(text, JM_LACK_REASON_BYTES_MAX, "the library that is here (%s) does not offer it: %s",
             library, why);
}

/* Tries all, in a new child after each that dies; sets each outcome, and waitpid's status of those
 * who died. Without a child nothing is tried, and all count as offered. */
static inline void jm_try_in_children(const jm_implementation *const *all, size_t count,
                                      volatile unsigned char *outcomes, int *statuses) {
    for (bool all_tried = false; !all_tried;) {
        int status = 0;
        const pid_t child = fork();
        if (child < 0) return;
        if (child == 0) jm_try_all(all, count, outcomes);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
        all_tried = true;
        for (size_t i = 0; i < count; i++)
            if (outcomes[i] == JM_TRIAL_BEGUN && !statuses[i]) {
                statuses[i] = status ? status : -1; /* -1: another part of the program reaped it */
                all_tried = false;
            }
    }
}

/* Sets `implementations` and `lacks` of the plugin, which live as long as the process. Those for
 * which `is_tried` is false, which may be NULL, are listed untried: their `cpu_features` are not
 * here. Without memory the plugin is empty. */
static inline void jm_gather(jm_plugin *plugin, const jm_implementation *const *all, size_t count,
                             bool (*is_tried)(const jm_implementation *implementation)) {
    const jm_implementation **offered = (const jm_implementation **)calloc(count, sizeof *offered);
    jm_lack *lacks = (jm_lack *)calloc(count, sizeof *lacks);
    int *statuses = (int *)calloc(count, sizeof *statuses);
    void *shared = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    volatile unsigned char *outcomes = (volatile unsigned char *)shared;
    plugin->count = plugin->lack_count = 0;
    if (!offered || !lacks || !statuses || shared == MAP_FAILED) return;
    for (size_t i = 0; i < count; i++)
        if (is_tried && !is_tried(all[i])) outcomes[i] = JM_TRIAL_OFFERED;
    jm_try_in_children(all, count, outcomes, statuses);
    for (size_t i = 0; i < count; i++) {
        const jm_trial outcome = (jm_trial)outcomes[i];
        char *reason = NULL;
        if (outcome != JM_TRIAL_OFFERED && outcome != JM_TRIAL_NONE) {
            reason = (char *)malloc(JM_LACK_REASON_BYTES_MAX);
            if (!reason) continue;
            jm_tell_lack(reason, plugin->library_version(), outcome, statuses[i]);
            const jm_lack lack = {all[i]->algorithm, all[i]->variant, reason};
            lacks[plugin->lack_count++] = lack;
        } else {
            offered[plugin->count++] = all[i];
        }
    }
    plugin->implementations = offered;
    plugin->lacks = lacks;
    munmap(shared, count);
    free(statuses);
}

/* jm_gather for all implementations of several tables. */
static inline void jm_gather_tables(jm_plugin *plugin, const jm_table *const *tables,
                                    size_t table_count) {
    size_t total = 0, joined = 0;
    for (size_t t = 0; t < table_count; t++) total += tables[t]->count;
    const jm_implementation **all = (const jm_implementation **)malloc(total * sizeof *all);
    if (!all) return;
    for (size_t t = 0; t < table_count; t++)
        for (size_t n = 0; n < tables[t]->count; n++) all[joined++] = tables[t]->implementations[n];
    jm_gather(plugin, all, total, NULL);
    free(all);
}

#endif
