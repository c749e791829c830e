// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "checker.h"
#include "common/secret.h"
#include "loop.h"

/* No message of 4 GiB fits the memory that 32 bits can address. */
#if SIZE_MAX > UINT32_MAX
#define HUGE_BYTES ((UINT64_C(1) << 32) + (UINT64_C(1) << 20))
#else
#define HUGE_BYTES (UINT64_C(1) << 30)
#endif
#define PATTERN_BYTES (4 * JM_CHECK_LONGEST)
#define KEPT 64u

size_t jm_round_up_64(size_t bytes) {
    return (bytes + 63) / 64 * 64;
}

size_t jm_state_bytes(const jm_implementation *self) {
    size_t bytes = 0;
    if (self->kind == JM_KIND_HASH && self->hash->init) bytes = self->hash->state_bytes;
    if (self->kind == JM_KIND_MAC) bytes = self->mac->key_state_bytes;
    if (self->kind == JM_KIND_MAC && self->mac->stream_bytes > bytes)
        bytes = self->mac->stream_bytes;
    if (self->kind == JM_KIND_CIPHER) bytes = self->cipher->schedule_bytes;
    return bytes;
}

size_t jm_nonce_bytes(const jm_implementation *self, const jm_implementation *other,
                      uint64_t key_seed) {
    const size_t least = self->nonce_bytes_min > other->nonce_bytes_min ? self->nonce_bytes_min
                                                                        : other->nonce_bytes_min;
    const size_t most = self->nonce_bytes_max < other->nonce_bytes_max ? self->nonce_bytes_max
                                                                       : other->nonce_bytes_max;
    uint64_t chance = key_seed;
    if (least > most || jm_next_below(&chance, 2)) return self->nonce_bytes;
    const size_t few = most - least < 20 ? most - least + 1 : 20;
    return least + jm_next_below(&chance, jm_next_below(&chance, 4) ? few : most - least + 1);
}

/* For a MAC with nonces, each key has a nonce of this length, made from the key. Another nonce, of
 * any allowed length, is set before it and must leave no trace. The first key keeps the nonce of
 * zeros, for which outputs of every length are known. */
static jm_status set_nonce(const jm_implementation *self, void *state, const uint8_t *key,
                           size_t bytes, size_t nonce_bytes) {
    uint8_t nonce[UINT8_MAX];
    bool first = true;
    for (size_t i = 0; i < bytes; i++) first &= key[i] == jm_case_key_byte(0, i);
    if (first) return JM_OK;
    for (size_t i = 0; i < sizeof nonce; i++) nonce[i] = (uint8_t)(key[i % bytes] * 29 + i);
    const size_t lengths = self->nonce_bytes_max - self->nonce_bytes_min + 1u;
    const size_t before = self->nonce_bytes_min + key[0] % lengths;
    const jm_status status = self->mac->set_nonce(self, state, nonce, before);
    if (status != JM_OK) return status;
    return self->mac->set_nonce(self, state, nonce + sizeof nonce - nonce_bytes, nonce_bytes);
}

jm_status jm_set_key(const jm_implementation *self, void *state, const uint8_t *key, size_t bytes,
                     size_t nonce_bytes) {
    if (self->kind == JM_KIND_MAC) {
        const jm_status status = self->mac->set_key(self, state, key, bytes);
        if (status != JM_OK || !self->nonce_bytes_max || !bytes) return status;
        return set_nonce(self, state, key, bytes, nonce_bytes);
    }
    if (self->kind == JM_KIND_CIPHER) return self->cipher->set_key(self, state, key, bytes);
    return JM_OK;
}

void jm_wipe_key(const jm_implementation *self, void *state) {
    if (self->kind == JM_KIND_MAC) self->mac->wipe_key(self, state);
    if (self->kind == JM_KIND_CIPHER) self->cipher->wipe_key(self, state);
}

uint64_t jm_pattern_bytes(char pattern) {
    if (pattern == 's') return JM_STRUCTURED_BYTES;
    return pattern == 'z' ? HUGE_BYTES : PATTERN_BYTES;
}

static uint8_t structured[JM_STRUCTURED_BYTES];

const uint8_t *jm_pattern(char pattern, uint64_t bytes) {
    static uint8_t *messages, *ones;
    static const uint8_t *zeros;
    static uint64_t filled;
    if (pattern == 's') return structured;
    if (pattern == 'z') {
        /* The kernel maps one page of zeros again and again, so that they take no memory. */
        if (!zeros) {
            void *mapped = mmap(NULL, HUGE_BYTES, PROT_READ,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (mapped != MAP_FAILED) zeros = mapped;
        }
        return zeros;
    }
    if (pattern == 'f') {
        if (!ones && (ones = malloc(PATTERN_BYTES))) memset(ones, 0xff, PATTERN_BYTES);
        return ones;
    }
    if (!messages) messages = malloc(PATTERN_BYTES);
    /* Fills only the bytes needed: a spot check needs few, and the whole takes milliseconds. */
    for (; messages && filled < bytes; filled++) messages[filled] = jm_message_byte(filled);
    return messages;
}

const uint8_t *jm_case_source(const jm_case *check_case) {
    return jm_pattern(check_case->pattern, 0) +
           (check_case->pattern == 's' ? 0 : check_case->message_start);
}

static jm_status output_of(const jm_implementation *self, const void *state, jm_case_call call,
                           const uint8_t *message, uint64_t bytes, uint8_t *output) {
    if (self->kind == JM_KIND_HASH) return self->hash->digest(self, message, bytes, output);
    if (self->kind == JM_KIND_MAC) return self->mac->tag(self, state, message, bytes, output);
    if (call == JM_CALL_CHAIN) {
        memset(output, 0, self->output_bytes);
        self->cipher->chain(self, state, output, message, bytes / self->block_bytes);
    } else {
        self->cipher->encrypt(self, state, message, output, bytes / self->block_bytes);
    }
    return JM_OK;
}

void jm_write_structured(const jm_implementation *self, const jm_case *check_case, uint64_t bytes) {
    uint8_t key[JM_CASE_KEY_BYTES_MAX];
    const uint64_t whole = jm_structured_message_bytes(self, check_case->message_start);
    jm_case_key(check_case->key_seed, key, check_case->key_bytes);
    jm_structured_message(self, key, check_case->key_bytes, check_case->message_start, structured,
                          bytes > whole ? bytes : whole);
}

/* Computes the outputs of all lengths by one call for each length. */
static bool every_by_calls(const jm_implementation *self, const void *state, uint8_t *outputs) {
    const uint8_t *message = jm_pattern('m', JM_CHECK_EVERY_LENGTH + 1);
    for (size_t n = 0; n <= JM_CHECK_EVERY_LENGTH; n++)
        if (output_of(self, state, JM_CALL_ONE, message, n, outputs + n * self->output_bytes))
            return false;
    return true;
}

/* States of our own kernels may be copied byte for byte. A stream is fed byte by byte, and a copy
 * of it is finished at every length, so that each output costs only the end of a stream. */
static bool every_by_stream(const jm_implementation *self, const void *key_state,
                            uint8_t *outputs) {
    const jm_mac_functions *mac = self->mac;
    const uint8_t *message = jm_pattern('m', JM_CHECK_EVERY_LENGTH + 1);
    const size_t bytes = mac ? mac->stream_bytes : self->hash->state_bytes;
    const size_t stride = jm_round_up_64(bytes);
    uint8_t *stream = aligned_alloc(JM_STATE_ALIGN, 2 * stride), *copy = stream + stride;
    if (!stream) return false;
    unsigned status =
        mac ? mac->stream_begin(self, stream, key_state) : self->hash->init(self, stream);
    for (size_t n = 0; n <= JM_CHECK_EVERY_LENGTH; n++) {
        uint8_t *output = outputs + n * self->output_bytes;
        memcpy(copy, stream, bytes);
        status |=
            mac ? mac->stream_finish(self, copy, output) : self->hash->final(self, copy, output);
        status |= mac ? mac->stream_update(self, stream, message + n, 1)
                      : self->hash->update(self, stream, message + n, 1);
    }
    jm_wipe(stream, 2 * stride);
    free(stream);
    return status == JM_OK;
}

static bool is_ours(const jm_implementation *self) {
    const jm_plugin *ours = jm_builtin_plugin();
    for (size_t i = 0; i < ours->count; i++)
        if (ours->implementations[i] == self) return true;
    return false;
}

static uint8_t *every_output(const jm_implementation *self, bool by_calls, size_t *bytes) {
    const size_t whole = JM_CHECK_EVERY_LENGTH / self->block_bytes * self->block_bytes;
    const bool cipher = self->kind == JM_KIND_CIPHER, mac = self->kind == JM_KIND_MAC;
    uint8_t key[JM_CASE_KEY_BYTES_MAX];
    *bytes = cipher ? whole : (JM_CHECK_EVERY_LENGTH + 1) * self->output_bytes;
    uint8_t *outputs = malloc(*bytes);
    uint8_t *state = aligned_alloc(JM_STATE_ALIGN, jm_round_up_64(jm_state_bytes(self) + 1));
    const uint8_t *message = jm_pattern('m', JM_CHECK_EVERY_LENGTH + 1);
    bool right = outputs && state && message && self->key_bytes <= sizeof key;
    if (right) jm_case_key(0, key, self->key_bytes);
    const bool key_set =
        right && jm_set_key(self, state, key, self->key_bytes, self->nonce_bytes) == JM_OK;
    right = right && key_set;
    if (right && cipher)
        right = !output_of(self, state, JM_CALL_ONE, message, whole, outputs);
    else if (right && !by_calls && (mac ? self->mac->stream_bytes != 0 : self->hash->init != NULL))
        right = every_by_stream(self, state, outputs);
    else if (right)
        right = every_by_calls(self, state, outputs);
    if (key_set) jm_wipe_key(self, state);
    free(state);
    if (right) return outputs;
    free(outputs);
    return NULL;
}

uint8_t *jm_check_every_output(const jm_implementation *self, size_t *bytes) {
    return every_output(self, true, bytes);
}

const uint8_t *jm_every_output(const jm_implementation *table) {
    static struct {
        const jm_implementation *table;
        const uint8_t *outputs;
    } kept[KEPT];
    size_t at = 0, bytes;
    while (at < KEPT && kept[at].table && kept[at].table != table) at++;
    if (at == KEPT) return NULL; /* each trusted output then costs a call; verdicts are the same */
    if (!kept[at].table) {
        kept[at].outputs = every_output(table, !is_ours(table), &bytes);
        kept[at].table = table;
    }
    return kept[at].outputs;
}

bool jm_trusted_open(jm_trusted *trusted, const jm_implementation *table,
                     const jm_implementation *checked) {
    const bool cipher = table->kind == JM_KIND_CIPHER;
    memset(trusted, 0, sizeof *trusted);
    trusted->table = table;
    trusted->checked = checked;
    trusted->state = aligned_alloc(JM_STATE_ALIGN, jm_round_up_64(jm_state_bytes(table) + 1));
    trusted->long_output = malloc(cipher ? JM_CHECK_LONGEST + 64 : JM_OUTPUT_BYTES_MAX);
    return trusted->state && trusted->long_output;
}

void jm_trusted_close(jm_trusted *trusted) {
    if (trusted->key_set) jm_wipe_key(trusted->table, trusted->state);
    free(trusted->state);
    free(trusted->long_output);
}

const uint8_t *jm_trusted_output(jm_trusted *trusted, const jm_case *check_case, uint64_t key_seed,
                                 const uint8_t *message, uint64_t bytes) {
    const jm_implementation *table = trusted->table;
    uint8_t key[JM_CASE_KEY_BYTES_MAX];
    const bool usual_key = key_seed == 0 && check_case->key_bytes == table->key_bytes;
    if (bytes <= JM_CHECK_EVERY_LENGTH && check_case->call != JM_CALL_CHAIN &&
        message == jm_pattern('m', 0) && (usual_key || table->kind == JM_KIND_HASH)) {
        if (trusted->every)
            return trusted->every +
                   (table->kind == JM_KIND_CIPHER ? 0 : bytes * table->output_bytes);
    }
    if (table->kind != JM_KIND_HASH && !(trusted->key_set && trusted->key_seed == key_seed &&
                                         trusted->key_bytes == check_case->key_bytes)) {
        if (trusted->key_set) jm_wipe_key(table, trusted->state);
        jm_case_key(key_seed, key, check_case->key_bytes);
        trusted->kept_bytes = 0;
        trusted->key_set = jm_set_key(table, trusted->state, key, check_case->key_bytes,
                                      jm_nonce_bytes(table, trusted->checked, key_seed)) == JM_OK;
        trusted->key_seed = key_seed;
        trusted->key_bytes = check_case->key_bytes;
        if (!trusted->key_set) return NULL;
    }
    /* A message of minutes is computed once, however its streams are cut. */
    if (bytes > JM_CHECK_LONGEST && bytes == trusted->kept_bytes) return trusted->long_output;
    trusted->kept_bytes = 0;
    if (output_of(table, trusted->state, check_case->call, message, bytes, trusted->long_output))
        return NULL;
    if (check_case->pattern == 'z' && check_case->message_start == 0) trusted->kept_bytes = bytes;
    return trusted->long_output;
}
