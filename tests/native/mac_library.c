/* SPDX-License-Identifier: Apache-2.0
 * joulemark/mac.h: every function, and every refusal, for every algorithm that it offers. This
 * program compares tags with RFC 4231; the other programs check the tags of all algorithms. */
#include "joulemark/mac.h"

#include "native_test.h"

enum { MESSAGES = 300, ROOM = 600 };

static uint64_t seed = 42;
static uint8_t content[ROOM];

static const char *const algorithms[] = {
    "hmac-md5",    "hmac-sha1",   "hmac-sha256", "hmac-sha384", "hmac-sha512",
    "cmac-aes128", "cmac-aes192", "cmac-aes256", "siphash-2-4", "siphash-2-4-128",
};
static const size_t least_tag_bytes[] = {10, 10, 16, 24, 32, 8, 8, 8, 8, 16};

/* RFC 4231, section 4.3, test case 2. */
static void check_published(void) {
    static const uint8_t expected[32] = {0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e,
                                         0x6a, 0x04, 0x24, 0x26, 0x08, 0x95, 0x75, 0xc7,
                                         0x5a, 0x00, 0x3f, 0x08, 0x9d, 0x27, 0x39, 0x83,
                                         0x9d, 0xec, 0x58, 0xb9, 0x64, 0xec, 0x38, 0x43};
    const jm_mac *mac = jm_mac_find("hmac-sha256");
    const uint8_t *message = (const uint8_t *)"what do ya want for nothing?";
    jm_mac_key *key;
    CHECK(jm_mac_key_new(mac, (const uint8_t *)"Jefe", 4, &key) == JM_OK, mac, "key");
    CHECK(jm_mac_verify(mac, key, message, 28, expected, 32) == JM_OK, mac, "published tag");
    CHECK(jm_mac_verify(mac, key, message, 28, expected, 16) == JM_OK, mac, "truncated to 128");
    CHECK(jm_mac_verify(mac, key, message, 27, expected, 32) == JM_ERR_TAG, mac, "other message");
    jm_mac_key_free(mac, key);
}

static void check_keys(const jm_mac *mac) {
    uint8_t secret[65] = {1}, tag[JM_OUTPUT_BYTES_MAX], again[JM_OUTPUT_BYTES_MAX];
    jm_mac_key *key, *refused = (jm_mac_key *)secret;
    const size_t bytes = jm_mac_key_bytes(mac);
    CHECK(bytes >= jm_mac_key_bytes_min(mac) && bytes <= jm_mac_key_bytes_max(mac), mac, "bytes");
    if (jm_mac_key_bytes_max(mac) != SIZE_MAX) {
        CHECK(jm_mac_key_new(mac, secret, bytes + 1, &refused) == JM_ERR_KEY_BYTES, mac, "length");
        CHECK(!refused, mac, "a refused key is not NULL");
    }
    const bool takes_none = jm_mac_key_bytes_min(mac) == 0;
    CHECK(jm_mac_key_new(mac, NULL, 0, &key) == (takes_none ? JM_OK : JM_ERR_KEY_BYTES), mac,
          "a key of zero bytes");
    CHECK(!key == !takes_none, mac, "a key of zero bytes");
    jm_mac_key_free(mac, key);
    CHECK(jm_mac_key_new(mac, secret, bytes, &key) == JM_OK, mac, "key");
    jm_mac_key *own = exact_state(jm_mac_key_state_bytes(mac));
    CHECK(jm_mac_key_copy(mac, own, key) == JM_OK, mac, "copy");
    jm_mac_tag(mac, key, NULL, 0, tag);
    jm_mac_key_free(mac, key);
    jm_mac_key_free(mac, NULL);
    CHECK(jm_mac_verify(mac, own, NULL, 0, tag, mac->output_bytes) == JM_OK, mac, "copied key");
    jm_mac_key_wipe(mac, own);
    secret[0] ^= 1;
    CHECK(jm_mac_key_set(mac, own, secret, bytes) == JM_OK, mac, "set again");
    jm_mac_tag(mac, own, NULL, 0, again);
    CHECK(memcmp(tag, again, mac->output_bytes), mac, "another key, the same tag");
    jm_mac_key_wipe(mac, own);
    free(own);
}

/* Every bit of a tag counts, and every length but those allowed is refused. */
static void check_verify(const jm_mac *mac, const jm_mac_key *key, size_t least) {
    uint8_t tag[JM_OUTPUT_BYTES_MAX + 1] = {0};
    const size_t whole = jm_mac_tag_bytes(mac);
    CHECK(jm_mac_tag_bytes_min(mac) == least, mac, "least tag %zu", jm_mac_tag_bytes_min(mac));
    CHECK(jm_mac_tag(mac, key, content, 100, tag) == JM_OK, mac, "tag");
    for (size_t bytes = 0; bytes <= whole + 1; bytes++) {
        const jm_status status = jm_mac_verify(mac, key, content, 100, tag, bytes);
        const bool allowed = bytes >= least && bytes <= whole;
        CHECK(status == (allowed ? JM_OK : JM_ERR_TAG_BYTES), mac, "%zu bytes: %s", bytes,
              jm_status_text(status));
    }
    for (size_t bit = 0; bit < 8 * whole; bit++) {
        tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK(jm_mac_verify(mac, key, content, 100, tag, whole) == JM_ERR_TAG, mac, "bit %zu", bit);
        tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

static void check_streams(const jm_mac *mac, const jm_mac_key *key) {
    uint8_t tag[JM_OUTPUT_BYTES_MAX], streamed[JM_OUTPUT_BYTES_MAX];
    const size_t whole = jm_mac_tag_bytes(mac);
    jm_mac_stream *stream;
    jm_mac_tag(mac, key, content, ROOM, tag);
    CHECK(jm_mac_stream_new(mac, key, &stream) == JM_OK, mac, "stream");
    jm_mac_stream_update(mac, stream, content, 99);
    jm_mac_stream_update(mac, stream, NULL, 0);
    jm_mac_stream_update(mac, stream, content + 99, ROOM - 99);
    CHECK(jm_mac_stream_finish(mac, stream, streamed) == JM_OK, mac, "finish");
    CHECK(!memcmp(tag, streamed, whole), mac, "streamed tag");

    for (unsigned wrong = 0; wrong < 3; wrong++) {
        tag[whole - 1] ^= wrong == 1;
        CHECK(jm_mac_stream_begin(mac, stream, key) == JM_OK, mac, "begin again");
        jm_mac_stream_update(mac, stream, content, ROOM);
        const jm_status status = jm_mac_stream_verify(mac, stream, tag, wrong == 2 ? 1 : whole);
        CHECK(status == (wrong == 2 ? JM_ERR_TAG_BYTES
                         : wrong    ? JM_ERR_TAG
                                    : JM_OK),
              mac, "verify %u: %s", wrong, jm_status_text(status));
        for (size_t i = 0; i < jm_mac_stream_bytes(mac); i++)
            CHECK(!((uint8_t *)stream)[i], mac, "byte %zu of a stream that ended", i);
    }
    jm_mac_stream_begin(mac, stream, key);
    jm_mac_stream_abandon(mac, stream);
    jm_mac_stream_free(mac, stream);
    jm_mac_stream_free(mac, NULL);
}

static void check_batches(const jm_mac *mac, const jm_mac_key *key) {
    static uint8_t tags[MESSAGES][JM_OUTPUT_BYTES_MAX];
    static jm_mac_message messages[MESSAGES];
    static jm_mac_claim claims[MESSAGES];
    bool authentic[MESSAGES];
    const size_t whole = jm_mac_tag_bytes(mac);
    for (size_t i = 0; i < MESSAGES; i++) {
        const size_t bytes = random_word(&seed) % (ROOM / 2), at = random_word(&seed) % (ROOM / 2);
        messages[i] = (jm_mac_message){key, bytes ? content + at : NULL, bytes, tags[i]};
        claims[i] = (jm_mac_claim){key, messages[i].message, bytes, tags[i]};
    }
    CHECK(jm_mac_tag_batch(mac, NULL, 0) == JM_OK, mac, "no message");
    CHECK(jm_mac_verify_batch(mac, NULL, 0, whole, NULL) == JM_OK, mac, "no claim");
    CHECK(jm_mac_tag_batch(mac, messages, MESSAGES) == JM_OK, mac, "tags");
    for (size_t i = 0; i < MESSAGES; i++)
        CHECK(jm_mac_verify(mac, key, claims[i].message, claims[i].message_bytes, tags[i], whole) ==
                  JM_OK,
              mac, "tag %zu of the batch", i);
    for (size_t n = 1; n <= MESSAGES; n += 1 + n / 4) {
        memset(authentic, 0, sizeof authentic);
        CHECK(jm_mac_verify_batch(mac, claims, n, whole, authentic) == JM_OK, mac, "%zu", n);
        for (size_t i = 0; i < MESSAGES; i++)
            CHECK(authentic[i] == (i < n), mac, "claim %zu of %zu", i, n);
        const size_t forged = random_word(&seed) % n;
        tags[forged][whole - 1] ^= 0x80;
        CHECK(jm_mac_verify_batch(mac, claims, n, whole, authentic) == JM_ERR_TAG, mac, "forged");
        for (size_t i = 0; i < n; i++)
            CHECK(authentic[i] == (i != forged), mac, "claim %zu, forged %zu", i, forged);
        tags[forged][whole - 1] ^= 0x80;
    }
    memset(authentic, 1, sizeof authentic);
    CHECK(jm_mac_verify_batch(mac, claims, MESSAGES, 1, authentic) == JM_ERR_TAG_BYTES, mac, "1 B");
    for (size_t i = 0; i < MESSAGES; i++) CHECK(!authentic[i], mac, "unchecked, yet authentic");
}

/* ---- a jm_mac that fails ---- */

static size_t tags_before_failure;

/* Fails after it has written the tag, which is the worst case. */
static jm_status tag_or_fail(const jm_implementation *self, const void *key_state,
                             const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    const jm_mac *sound = jm_mac_find_variant(self->algorithm, "portable");
    jm_mac_tag(sound, key_state, message, message_bytes, tag);
    return tags_before_failure-- ? JM_OK : JM_ERR_LIBRARY;
}
static jm_status finish_and_fail(const jm_implementation *self, void *stream, uint8_t *tag) {
    const jm_mac *sound = jm_mac_find_variant(self->algorithm, "portable");
    jm_mac_stream_finish(sound, stream, tag);
    return JM_ERR_LIBRARY;
}

/* If the tag could not be computed, no expected tag is authentic, even if right. */
static void check_failures(void) {
    const jm_mac *sound = jm_mac_find_variant("hmac-sha256", "portable");
    jm_mac_functions functions = *sound->mac;
    jm_mac failing = *sound;
    failing.mac = &functions;
    functions.tag = tag_or_fail;
    functions.stream_finish = finish_and_fail;
    functions.tag_batch = NULL;
    const uint8_t secret[32] = {3};
    uint8_t tag[JM_OUTPUT_BYTES_MAX];
    jm_mac_claim claims[MESSAGES];
    bool authentic[MESSAGES];
    jm_mac_key *key;
    jm_mac_stream *stream;
    CHECK(jm_mac_key_new(sound, secret, sizeof secret, &key) == JM_OK, sound, "key");
    CHECK(jm_mac_stream_new(sound, key, &stream) == JM_OK, sound, "stream");
    jm_mac_tag(sound, key, NULL, 0, tag);
    for (size_t i = 0; i < MESSAGES; i++) claims[i] = (jm_mac_claim){key, NULL, 0, tag};
    CHECK(jm_mac_stream_verify(&failing, stream, tag, 32) == JM_ERR_LIBRARY, &failing, "stream");
    jm_mac_stream_free(sound, stream);
    tags_before_failure = 0;
    CHECK(jm_mac_verify(&failing, key, NULL, 0, tag, 32) == JM_ERR_LIBRARY, &failing, "verify");
    for (size_t sound_tags = 0; sound_tags <= MESSAGES; sound_tags++) {
        const bool fails = sound_tags < MESSAGES;
        memset(authentic, fails, sizeof authentic);
        tags_before_failure = sound_tags;
        CHECK(jm_mac_verify_batch(&failing, claims, MESSAGES, 32, authentic) ==
                  (fails ? JM_ERR_LIBRARY : JM_OK),
              &failing, "a batch that fails after %zu tags", sound_tags);
        for (size_t i = 0; i < MESSAGES; i++)
            CHECK(authentic[i] == !fails, &failing, "claim %zu after %zu tags", i, sound_tags);
    }
    jm_mac_key_free(sound, key);
}

int main(void) {
    random_bytes(&seed, content, sizeof content);
    const jm_mac *single = jm_mac_find_variant("hmac-sha256", "portable");
    CHECK(!strcmp(jm_mac_variant(single), "portable"), single, "variant");
    CHECK(!jm_mac_find("sha256") && !jm_mac_find("poly1305") && !jm_mac_find(""), single,
          "found what is not offered");
    CHECK(!jm_mac_find_variant("hmac-sha256", "none"), single, "found what is not there");
    CHECK(!jm_mac_find_variant("poly1305", "portable"), single, "keys for one message only");
    CHECK(!jm_mac_find_variant("sha256", "portable"), single, "a hash is not a MAC");
    CHECK(!jm_mac_find("cmac-twofish128") && !jm_mac_find("hmac-whirlpool"), single,
          "variable time without a word");
    CHECK(!jm_mac_find_variant("cmac-twofish128", "portable") &&
              !jm_mac_find_variant("cmac-aes128", "mcu8"),
          single, "a variant of variable time without a word");
    CHECK(jm_mac_find_variable_time("cmac-twofish128", NULL) &&
              jm_mac_find_variable_time("hmac-whirlpool", NULL) &&
              jm_mac_find_variable_time("cmac-aes128", "mcu8"),
          single, "asked for by a name that says so");
    CHECK(jm_mac_find_variable_time("hmac-sha256", NULL) == jm_mac_find("hmac-sha256"), single,
          "constant time is found by either name");
    for (int status = JM_OK; status <= JM_ERR_ALIGNMENT; status++)
        CHECK(strcmp(jm_status_text((jm_status)status), jm_status_text((jm_status)99)), single,
              "status %d has no text", status);
    check_published();
    check_failures();
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
        const uint8_t secret[64] = {7};
        const jm_mac *macs[] = {jm_mac_find(algorithms[a]),
                                jm_mac_find_variant(algorithms[a], "portable")};
        for (size_t i = 0; i < 2; i++) {
            const jm_mac *mac = macs[i];
            jm_mac_key *key;
            CHECK(mac && !strcmp(jm_mac_algorithm(mac), algorithms[a]), single, "%s",
                  algorithms[a]);
            check_keys(mac);
            CHECK(jm_mac_key_new(mac, secret, jm_mac_key_bytes(mac), &key) == JM_OK, mac, "key");
            check_verify(mac, key, least_tag_bytes[a]);
            check_streams(mac, key);
            check_batches(mac, key);
            jm_mac_key_free(mac, key);
        }
    }
    return 0;
}
