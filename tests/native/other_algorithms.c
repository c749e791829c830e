/* SPDX-License-Identifier: Apache-2.0
 * Keys and streams of one algorithm, given to the functions of each other, are refused as ended
 * ones are, and so is memory for states that is not aligned. Every state has exactly the memory
 * that it asks for, so that the sanitizers see a function that reads more before it refuses. */
#include "joulemark/mac.h"

#include "native_test.h"

enum { MACS_MAX = 600, BATCH = 70, MESSAGE_BYTES = 200, STATE_BYTES_MIN = 64 };

typedef struct {
    const jm_mac *mac;
    void *key, *stream;
    uint8_t tag[JM_OUTPUT_BYTES_MAX];
} subject;

static subject subjects[MACS_MAX];
static size_t subject_count;
static uint8_t message[MESSAGE_BYTES], before[JM_OUTPUT_BYTES_MAX],
    tags[BATCH][JM_OUTPUT_BYTES_MAX];

static bool is_offered(const jm_mac *mac) {
    return jm_mac_find_variable_time(mac->algorithm, mac->variant) == mac;
}

/* States that jm_mac_find does not hand out may be shorter than a line of memory. */
static void *room_for(const jm_mac *mac, size_t bytes) {
    CHECK(bytes >= STATE_BYTES_MIN || !is_offered(mac), mac, "a state of %zu bytes", bytes);
    return exact_state(bytes < STATE_BYTES_MIN ? STATE_BYTES_MIN : bytes);
}

static void begin(subject *tested) {
    CHECK(tested->mac->mac->stream_begin(tested->mac, tested->stream, tested->key) == JM_OK,
          tested->mac, "begin");
}

static void find_subjects(void) {
    const jm_plugin *plugin = jm_builtin_plugin();
    uint8_t secret[256];
    for (size_t i = 0; i < sizeof secret; i++) secret[i] = (uint8_t)(i + 1);
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_mac *mac = plugin->implementations[i];
        if (!mac->mac || (mac->cpu_features & ~jm_cpu_features())) continue;
        if (subject_count == MACS_MAX) abort();
        subject *tested = &subjects[subject_count++];
        tested->mac = mac;
        tested->key = room_for(mac, mac->mac->key_state_bytes);
        tested->stream = room_for(mac, mac->mac->stream_bytes);
        CHECK(mac->mac->set_key(mac, tested->key, secret, mac->key_bytes) == JM_OK, mac, "key");
        CHECK(mac->mac->tag(mac, tested->key, message, MESSAGE_BYTES, tested->tag) == JM_OK, mac,
              "tag");
        begin(tested);
    }
}

static bool is_unwritten(const jm_mac *mac, const uint8_t *tag) {
    uint8_t any = 0;
    for (size_t i = 0; i < mac->output_bytes; i++) any |= tag[i];
    return !any || !memcmp(tag, before, mac->output_bytes);
}

/* `one` takes the key and the stream of `other`. Variants of one algorithm may share them. */
static void take(const subject *tested, subject *other) {
    const jm_mac *mac = tested->mac;
    const bool same = !strcmp(mac->algorithm, other->mac->algorithm);
    uint8_t tag[JM_OUTPUT_BYTES_MAX];
    memcpy(tag, before, sizeof tag);
    jm_status status = mac->mac->tag(mac, other->key, message, MESSAGE_BYTES, tag);
    if (same && status == JM_OK) {
        CHECK(!memcmp(tag, other->tag, mac->output_bytes), mac, "another tag than %s under its key",
              other->mac->variant);
        return;
    }
    const char *name = other->mac->algorithm, *variant = other->mac->variant;
    CHECK(status == JM_ERR_ENDED, mac, "key of %s/%s: %s", name, variant, jm_status_text(status));
    CHECK(is_unwritten(mac, tag), mac, "a tag under a key of %s/%s", name, variant);
    void *key = exact_state(mac->mac->key_state_bytes);
    CHECK(mac->mac->copy_key(mac, key, other->key) == JM_ERR_ENDED, mac, "copy of %s", name);
    free(key);
    void *stream = exact_state(mac->mac->stream_bytes);
    status = mac->mac->stream_begin(mac, stream, other->key);
    CHECK(status == JM_ERR_ENDED, mac, "begin with a key of %s/%s", name, variant);
    free(stream);
    if (mac->mac->set_nonce) {
        status = mac->mac->set_nonce(mac, other->key, message, mac->nonce_bytes);
        CHECK(status == JM_ERR_ENDED, mac, "nonce for a key of %s/%s", name, variant);
    }
    /* A stream of Poly1305-AES is one of Poly1305. */
    if (!strncmp(mac->algorithm, "poly1305", 8) && !strncmp(name, "poly1305", 8)) return;
    status = mac->mac->stream_update(mac, other->stream, message, MESSAGE_BYTES);
    CHECK(status == JM_ERR_ENDED, mac, "update of a stream of %s/%s", name, variant);
    status = mac->mac->stream_finish(mac, other->stream, tag);
    CHECK(status == JM_ERR_ENDED, mac, "finish of a stream of %s/%s", name, variant);
    CHECK(is_unwritten(mac, tag), mac, "a tag of a stream of %s/%s", name, variant);
    mac->mac->stream_finish(mac, other->stream, NULL); /* and it goes on where it belongs */
    CHECK(other->mac->mac->stream_update(other->mac, other->stream, message, 1) == JM_OK,
          other->mac, "a stream that %s/%s refused", mac->algorithm, mac->variant);
}

/* One key of a batch is `other`'s: no message gets a tag under it. */
static void take_in_a_batch(const subject *tested, const subject *other) {
    const jm_mac *mac = tested->mac;
    jm_mac_message batch[BATCH];
    jm_mac_claim claims[BATCH];
    bool authentic[BATCH];
    for (size_t at = 0; at < BATCH; at += BATCH - 1)
        for (unsigned mixed = 0; mixed < 2; mixed++) {
            for (size_t i = 0; i < BATCH; i++) {
                const void *key = i == at ? other->key : tested->key;
                const size_t bytes = mixed ? 2 * i : 48;
                memcpy(tags[i], before, sizeof *tags);
                batch[i] = (jm_mac_message){key, message, bytes, tags[i]};
                claims[i] = (jm_mac_claim){key, message, bytes, before};
            }
            const jm_status status = jm_mac_tag_batch(mac, batch, BATCH);
            CHECK(status == JM_ERR_ENDED, mac, "batch with a key of %s: %s", other->mac->algorithm,
                  jm_status_text(status));
            CHECK(is_unwritten(mac, tags[at]), mac, "batch: a tag for %s", other->mac->algorithm);
            memset(authentic, 1, sizeof authentic);
            CHECK(jm_mac_verify_batch(mac, claims, BATCH, mac->output_bytes, authentic) ==
                      JM_ERR_ENDED,
                  mac, "claims with a key of %s", other->mac->algorithm);
            for (size_t i = 0; i < BATCH; i++) CHECK(!authentic[i], mac, "claim %zu", i);
        }
}

static void refuse_unaligned(const subject *tested) {
    static _Alignas(JM_STATE_ALIGN) uint8_t memory[16384], as_before[sizeof memory];
    const jm_mac *mac = tested->mac;
    const uint8_t secret[256] = {1};
    memset(memory, 0x5a, sizeof memory);
    memcpy(as_before, memory, sizeof memory);
    for (size_t offset = 1; offset < JM_STATE_ALIGN; offset += offset < 8 ? 1 : 8) {
        jm_mac_key *key = (jm_mac_key *)(void *)(memory + offset);
        jm_mac_stream *stream = (jm_mac_stream *)(void *)(memory + offset);
        CHECK(jm_mac_key_set(mac, key, secret, mac->key_bytes) == JM_ERR_ALIGNMENT, mac,
              "key at %zu", offset);
        CHECK(jm_mac_key_copy(mac, key, tested->key) == JM_ERR_ALIGNMENT, mac, "copy at %zu",
              offset);
        CHECK(jm_mac_stream_begin(mac, stream, tested->key) == JM_ERR_ALIGNMENT, mac,
              "stream at %zu", offset);
    }
    CHECK(!memcmp(memory, as_before, sizeof memory), mac, "refused memory was written");
}

/* With an argument of n, each takes the keys and streams of every n-th. */
int main(int count, char **words) {
    const size_t step = count > 1 ? (size_t)strtoul(words[1], NULL, 10) : 1;
    for (size_t i = 0; i < sizeof before; i++) before[i] = (uint8_t)(0xa5 ^ i);
    find_subjects();
    for (size_t i = 0; i < subject_count; i++) {
        const subject *tested = &subjects[i];
        for (size_t k = i % step; k < subject_count; k += step) take(tested, &subjects[k]);
        if (!is_offered(tested->mac)) continue;
        refuse_unaligned(tested);
        for (size_t k = i % 7; k < subject_count; k += 7) {
            if (!strcmp(tested->mac->algorithm, subjects[k].mac->algorithm)) continue;
            if (is_offered(subjects[k].mac)) take_in_a_batch(tested, &subjects[k]);
        }
    }
    return 0;
}
