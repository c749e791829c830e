/* SPDX-License-Identifier: Apache-2.0
 *
 * joulemark/mac.h: the public functions for one message and for streams, over the tables of
 * joulemark/kernel.h. Batches are in mac_batch.c. Functions that only call a kernel leave no secret
 * behind because the kernel leaves none; functions that check a tag forget the computed tag
 * (common/secret.h). */
#include "joulemark/mac.h"

#include <stdlib.h>
#include <string.h>

#include "common/secret.h"
#include "hmac/hmac_over_hash.h"
#include "joulemark/kernel.h"
#include "mac/known_answers.h"
#include "mac/mac_verify.h"

const char *jm_version(void) {
    return JOULEMARK_VERSION;
}

static bool runs_here(const jm_implementation *implementation) {
    return !(implementation->cpu_features & ~jm_cpu_features());
}

/* Whether the implementation number `at` of `plugin` gives its known answer. It is asked once in a
 * process; threads that ask at once find the same answer. */
static bool is_right(const jm_plugin *plugin, size_t at) {
    enum { UNKNOWN, RIGHT, WRONG, ROOM = 1024 };
    static uint8_t answers[ROOM];
    if (at >= ROOM) return false;
    uint8_t answer = __atomic_load_n(&answers[at], __ATOMIC_RELAXED);
    if (answer == UNKNOWN) {
        answer = jm_gives_known_answer(plugin->implementations[at]) ? RIGHT : WRONG;
        __atomic_store_n(&answers[at], answer, __ATOMIC_RELAXED);
    }
    return answer == RIGHT;
}

/* The last implementation that this CPU can run, with one lane if `single`, of variable time only
 * if `variable_time`, that gives its known answer; `all_right` becomes whether all others of the
 * algorithm give theirs too. */
static const jm_implementation *last_right(const char *algorithm, bool single, bool variable_time,
                                           bool *all_right) {
    const jm_plugin *plugin = jm_builtin_plugin();
    const jm_implementation *found = NULL;
    *all_right = true;
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *implementation = plugin->implementations[i];
        if (!implementation->mac || strcmp(implementation->algorithm, algorithm) ||
            !runs_here(implementation))
            continue;
        if (implementation->constant_time == JM_TIMING_VARIABLE && !variable_time) continue;
        if (!is_right(plugin, i))
            *all_right = false;
        else if (!single || implementation->lanes == 1)
            found = implementation;
    }
    return found;
}

/* Whether the algorithm has an engine, or is HMAC over a hash that has none. */
static bool is_offered(const char *algorithm) {
    const jm_plugin *plugin = jm_builtin_plugin();
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *implementation = plugin->implementations[i];
        if (implementation->mac && !strcmp(implementation->algorithm, algorithm) &&
            (!strcmp(implementation->variant, "engine") || jm_is_hmac_over_hash(implementation)))
            return true;
    }
    return false;
}

/* The engine is the last of its algorithm. It may choose any implementation, so that one wrong
 * answer among them takes its place away: then a right one with a single lane serves. */
static const jm_mac *find_last(const char *algorithm, bool variable_time) {
    bool all_right;
    if (!is_offered(algorithm)) return NULL;
    const jm_implementation *last = last_right(algorithm, false, variable_time, &all_right);
    if (all_right) return last;
    return last_right(algorithm, true, variable_time, &all_right);
}
const jm_mac *jm_mac_find(const char *algorithm) {
    return find_last(algorithm, false);
}

/* Refuses algorithms that jm_mac_find does not offer. Their key serves one message, or messages of
 * one length, and no function here keeps a caller from tagging two. */
const jm_mac *jm_mac_find_variant(const char *algorithm, const char *variant) {
    const jm_mac *found = jm_mac_find_variable_time(algorithm, variant);
    return found && found->constant_time != JM_TIMING_VARIABLE ? found : NULL;
}

const jm_mac *jm_mac_find_variable_time(const char *algorithm, const char *variant) {
    if (!variant) return find_last(algorithm, true);
    const jm_plugin *plugin = jm_builtin_plugin();
    if (!is_offered(algorithm)) return NULL;
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *implementation = plugin->implementations[i];
        if (implementation->mac && !strcmp(implementation->algorithm, algorithm) &&
            !strcmp(implementation->variant, variant))
            return runs_here(implementation) && is_right(plugin, i) ? implementation : NULL;
    }
    return NULL;
}

const char *jm_mac_algorithm(const jm_mac *mac) {
    return mac->algorithm;
}

const char *jm_mac_variant(const jm_mac *mac) {
    return mac->variant;
}

size_t jm_mac_tag_bytes(const jm_mac *mac) {
    return mac->output_bytes;
}

/* joulemark/mac.h names the sources of these lengths. */
size_t jm_mac_tag_bytes_min(const jm_mac *mac) {
    static const struct {
        const char *prefix;
        size_t prefix_bytes, least;
    } rules[] = {{"cmac-", 5, 8}, {"xcbc-", 5, 12}, {"chaskey-", 8, 8}};
    enum { HMAC_LEAST = 10 };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strncmp(mac->algorithm, rules[i].prefix, rules[i].prefix_bytes)) return rules[i].least;
    if (strncmp(mac->algorithm, "hmac-", 5)) return mac->output_bytes;
    const size_t half = mac->output_bytes / 2;
    return half > HMAC_LEAST ? half : HMAC_LEAST;
}

size_t jm_mac_key_bytes_min(const jm_mac *mac) {
    return mac->key_bytes_min;
}

size_t jm_mac_key_bytes_max(const jm_mac *mac) {
    return mac->key_bytes_max;
}

size_t jm_mac_key_bytes(const jm_mac *mac) {
    return mac->key_bytes;
}

const char *jm_status_text(jm_status status) {
    switch (status) {
    case JM_OK:
        return "no error";
    case JM_ERR_KEY_BYTES:
        return "the key's length is not one that this algorithm takes";
    case JM_ERR_LIBRARY:
        return "an outside library reported a failure";
    case JM_ERR_MEMORY:
        return "there is not enough memory";
    case JM_ERR_MESSAGE_BYTES:
        return "the message is longer than an outside library takes";
    case JM_ERR_TAG:
        return "the message is not authentic: its tag differs from the expected one";
    case JM_ERR_TAG_BYTES:
        return "the expected tag is shorter or longer than this algorithm allows";
    case JM_ERR_ENDED:
        return "the key or stream has been wiped, or is not one of this algorithm";
    case JM_ERR_NONCE_BYTES:
        return "the nonce's length is not one that this algorithm takes";
    case JM_ERR_ALIGNMENT:
        return "the memory for the key or stream is not aligned to 64 bytes";
    }
    return "unknown status";
}

#if defined(_WIN32)
#include <malloc.h>

static void *new_state(size_t bytes) {
    return _aligned_malloc(bytes, JM_STATE_ALIGN);
}
static void free_state(void *state) {
    _aligned_free(state);
}
#else
static void *new_state(size_t bytes) {
    return aligned_alloc(JM_STATE_ALIGN,
                         (bytes + JM_STATE_ALIGN - 1) / JM_STATE_ALIGN * JM_STATE_ALIGN);
}
static void free_state(void *state) {
    free(state);
}
#endif

/* Kernels read and write states by instructions that fault on any other address. */
static bool is_aligned(const void *state) {
    return (uintptr_t)state % JM_STATE_ALIGN == 0;
}

size_t jm_mac_key_state_bytes(const jm_mac *mac) {
    return mac->mac->key_state_bytes;
}

jm_status jm_mac_key_new(const jm_mac *mac, const uint8_t *secret, size_t secret_bytes,
                         jm_mac_key **key) {
    *key = NULL;
    jm_mac_key *made = new_state(mac->mac->key_state_bytes);
    if (!made) return JM_ERR_MEMORY;
    const jm_status status = jm_mac_key_set(mac, made, secret, secret_bytes);
    if (status == JM_OK)
        *key = made;
    else
        free_state(made);
    return status;
}

void jm_mac_key_free(const jm_mac *mac, jm_mac_key *key) {
    if (!key) return;
    jm_mac_key_wipe(mac, key);
    free_state(key);
}

jm_status jm_mac_key_set(const jm_mac *mac, jm_mac_key *key, const uint8_t *secret,
                         size_t secret_bytes) {
    if (!is_aligned(key)) return JM_ERR_ALIGNMENT;
    return mac->mac->set_key(mac, key, secret, secret_bytes);
}

jm_status jm_mac_key_copy(const jm_mac *mac, jm_mac_key *to, const jm_mac_key *from) {
    if (!is_aligned(to)) return JM_ERR_ALIGNMENT;
    return mac->mac->copy_key(mac, to, from);
}

void jm_mac_key_wipe(const jm_mac *mac, jm_mac_key *key) {
    mac->mac->wipe_key(mac, key);
}

jm_status jm_mac_tag(const jm_mac *mac, const jm_mac_key *key, const uint8_t *message,
                     size_t message_bytes, uint8_t *tag) {
    return mac->mac->tag(mac, key, message, message_bytes, tag);
}

/* The tag that was computed, and saved registers. */
enum { VERIFY_STACK_BYTES = 256 };

/* The computed tag would be a forgery if it leaked, so it is forgotten whatever the outcome, also
 * after an error. */
JM_APART jm_status verify_message(const jm_mac *mac, const jm_mac_key *key, const uint8_t *message,
                                  size_t message_bytes, const uint8_t *expected,
                                  size_t expected_bytes) {
    uint8_t tag[JM_OUTPUT_BYTES_MAX];
    const jm_status status = jm_mac_tag(mac, key, message, message_bytes, tag);
    if (status != JM_OK) return status;
    return jm_equal_ct(tag, expected, expected_bytes) ? JM_OK : JM_ERR_TAG;
}

jm_status jm_mac_verify(const jm_mac *mac, const jm_mac_key *key, const uint8_t *message,
                        size_t message_bytes, const uint8_t *expected, size_t expected_bytes) {
    if (!jm_mac_takes_tag_bytes(mac, expected_bytes)) return JM_ERR_TAG_BYTES;
    const jm_status status =
        verify_message(mac, key, message, message_bytes, expected, expected_bytes);
    return JM_FORGET(status, VERIFY_STACK_BYTES);
}

size_t jm_mac_stream_bytes(const jm_mac *mac) {
    return mac->mac->stream_bytes;
}

jm_status jm_mac_stream_new(const jm_mac *mac, const jm_mac_key *key, jm_mac_stream **stream) {
    *stream = NULL;
    jm_mac_stream *made = new_state(mac->mac->stream_bytes);
    if (!made) return JM_ERR_MEMORY;
    const jm_status status = jm_mac_stream_begin(mac, made, key);
    if (status == JM_OK)
        *stream = made;
    else
        free_state(made);
    return status;
}

/* Our own kernels' streams own no memory, so wiping is enough, also for a stream that has ended. */
void jm_mac_stream_free(const jm_mac *mac, jm_mac_stream *stream) {
    if (!stream) return;
    jm_wipe(stream, mac->mac->stream_bytes);
    free_state(stream);
}

jm_status jm_mac_stream_begin(const jm_mac *mac, jm_mac_stream *stream, const jm_mac_key *key) {
    if (!is_aligned(stream)) return JM_ERR_ALIGNMENT;
    return mac->mac->stream_begin(mac, stream, key);
}

jm_status jm_mac_stream_update(const jm_mac *mac, jm_mac_stream *stream, const uint8_t *message,
                               size_t message_bytes) {
    return mac->mac->stream_update(mac, stream, message, message_bytes);
}

jm_status jm_mac_stream_finish(const jm_mac *mac, jm_mac_stream *stream, uint8_t *tag) {
    return mac->mac->stream_finish(mac, stream, tag);
}

JM_APART jm_status verify_stream(const jm_mac *mac, jm_mac_stream *stream, const uint8_t *expected,
                                 size_t expected_bytes) {
    uint8_t tag[JM_OUTPUT_BYTES_MAX];
    const jm_status status = mac->mac->stream_finish(mac, stream, tag);
    if (status != JM_OK) return status;
    return jm_equal_ct(tag, expected, expected_bytes) ? JM_OK : JM_ERR_TAG;
}

jm_status jm_mac_stream_verify(const jm_mac *mac, jm_mac_stream *stream, const uint8_t *expected,
                               size_t expected_bytes) {
    if (!jm_mac_takes_tag_bytes(mac, expected_bytes)) {
        jm_mac_stream_abandon(mac, stream);
        return JM_ERR_TAG_BYTES;
    }
    const jm_status status = verify_stream(mac, stream, expected, expected_bytes);
    return JM_FORGET(status, VERIFY_STACK_BYTES);
}

void jm_mac_stream_abandon(const jm_mac *mac, jm_mac_stream *stream) {
    mac->mac->stream_finish(mac, stream, NULL);
}
