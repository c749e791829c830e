/* SPDX-License-Identifier: Apache-2.0
 * The modes as microcontrollers get them (JM_NARROW, common/secret.h): the files that variants
 * share, hmac.c, merkle_damgard.c and cmac.c, are compiled into this program with bytes in place of
 * quads, and replace those of the library. One-shot functions of hashes and HMAC are in the files
 * of the variants, with quads: streams, whose code is shared, must agree with them at every length.
 * CMAC and its relatives are compared with their definition, over the cipher. */
#define JM_NARROW
#include "cmac/cmac.c"
#include "common/merkle_damgard.c"
#include "hmac/hmac.c"

#include "native_test.h"

enum { BYTES_MAX = 300, STATE_BYTES_MAX = 4096 };

static _Alignas(64) uint8_t state[STATE_BYTES_MAX], stream[STATE_BYTES_MAX];
static uint8_t message[BYTES_MAX], key[64];

static bool is_of(const jm_implementation *implementation, const char *beginning) {
    return !strncmp(implementation->algorithm, beginning, strlen(beginning));
}

static void check_hash(const jm_implementation *implementation) {
    uint8_t expected[JM_OUTPUT_BYTES_MAX], found[JM_OUTPUT_BYTES_MAX];
    for (size_t bytes = 0; bytes <= BYTES_MAX; bytes++) {
        const size_t first = bytes * 2 / 3;
        implementation->hash->digest(implementation, message, bytes, expected);
        implementation->hash->init(implementation, stream);
        implementation->hash->update(implementation, stream, message, first);
        implementation->hash->update(implementation, stream, message + first, bytes - first);
        implementation->hash->final(implementation, stream, found);
        CHECK(!memcmp(expected, found, implementation->output_bytes), implementation, "%zu bytes",
              bytes);
    }
}

static void check_hmac(const jm_implementation *implementation) {
    uint8_t expected[JM_OUTPUT_BYTES_MAX], found[JM_OUTPUT_BYTES_MAX];
    implementation->mac->set_key(implementation, state, key, implementation->key_bytes);
    for (size_t bytes = 0; bytes <= BYTES_MAX; bytes++) {
        const size_t first = bytes * 2 / 3;
        implementation->mac->tag(implementation, state, message, bytes, expected);
        implementation->mac->stream_begin(implementation, stream, state);
        implementation->mac->stream_update(implementation, stream, message, first);
        implementation->mac->stream_update(implementation, stream, message + first, bytes - first);
        implementation->mac->stream_finish(implementation, stream, found);
        CHECK(!memcmp(expected, found, implementation->output_bytes), implementation, "%zu bytes",
              bytes);
    }
}

/* The last block's key, for a message that ends with a whole block or not (SP 800-38B, section 6.1;
 * RFC 3566, section 4; zeros), and the key of the chain. */
static void subkey(const jm_implementation *cipher, const char *algorithm, bool whole,
                   uint8_t chain_key[16], uint8_t last[16]) {
    memcpy(chain_key, key, 16);
    memset(last, 0, 16);
    if (!strcmp(algorithm, "cbc-mac-aes128")) return;
    cipher->cipher->set_key(cipher, stream, key, cipher->key_bytes);
    if (!strcmp(algorithm, "xcbc-aes128")) {
        memset(chain_key, 1, 16);
        memset(last, whole ? 2 : 3, 16);
        cipher->cipher->encrypt(cipher, stream, chain_key, chain_key, 1);
        cipher->cipher->encrypt(cipher, stream, last, last, 1);
        return;
    }
    cipher->cipher->encrypt(cipher, stream, last, last, 1);
    for (int doublings = whole ? 1 : 2; doublings; doublings--) {
        const uint8_t fell_out = last[0] >> 7;
        for (size_t i = 0; i < 15; i++) last[i] = (uint8_t)(last[i] << 1 | last[i + 1] >> 7);
        last[15] = (uint8_t)(last[15] << 1 ^ fell_out * 0x87);
    }
}

static void check_cmac(const jm_implementation *implementation) {
    const jm_implementation *cipher = implementation->over;
    uint8_t found[16], in_parts[16], chain_key[64], last[16];
    implementation->mac->set_key(implementation, state, key, implementation->key_bytes);
    for (size_t bytes = 0; bytes <= BYTES_MAX; bytes++) {
        const size_t first = bytes * 2 / 3, blocks = bytes ? (bytes + 15) / 16 : 1;
        const bool whole = bytes && bytes % 16 == 0;
        uint8_t padded[BYTES_MAX + 16] = {0}, expected[16] = {0};
        implementation->mac->tag(implementation, state, message, bytes, found);
        implementation->mac->stream_begin(implementation, stream, state);
        implementation->mac->stream_update(implementation, stream, message, first);
        implementation->mac->stream_update(implementation, stream, message + first, bytes - first);
        implementation->mac->stream_finish(implementation, stream, in_parts);

        memcpy(chain_key, key, sizeof key);
        subkey(cipher, implementation->algorithm, whole, chain_key, last);
        cipher->cipher->set_key(cipher, stream, chain_key, cipher->key_bytes);
        memcpy(padded, message, bytes);
        if (!whole && strcmp(implementation->algorithm, "cbc-mac-aes128")) padded[bytes] = 0x80;
        for (size_t i = 0; i < 16; i++) padded[16 * (blocks - 1) + i] ^= last[i];
        for (size_t at = 0; at < 16 * blocks; at += 16) {
            for (size_t i = 0; i < 16; i++) expected[i] ^= padded[at + i];
            cipher->cipher->encrypt(cipher, stream, expected, expected, 1);
        }
        CHECK(!memcmp(expected, found, 16), implementation, "%zu bytes", bytes);
        CHECK(!memcmp(expected, in_parts, 16), implementation, "%zu bytes in parts", bytes);
    }
}

int main(void) {
    const jm_plugin *plugin = jm_builtin_plugin();
    uint64_t seed = 39;
    size_t checked = 0;
    random_bytes(&seed, message, sizeof message);
    random_bytes(&seed, key, sizeof key);
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *implementation = plugin->implementations[i];
        if (strcmp(implementation->variant, "portable")) continue;
        if (implementation->hash && implementation->hash->init == jm_md_init)
            check_hash(implementation);
        else if (implementation->mac && implementation->mac->copy_key == jm_hmac_copy_key)
            check_hmac(implementation);
        else if (is_of(implementation, "cmac-aes") || is_of(implementation, "xcbc") ||
                 is_of(implementation, "cbc-mac"))
            check_cmac(implementation);
        else
            continue;
        checked++;
    }
    CHECK(checked > 15, plugin->implementations[0], "only %zu were checked", checked);
    return 0;
}
