/* SPDX-License-Identifier: Apache-2.0
 * common/hash_blocks.h: crypto_hashblocks of each variant of ours has the checksum that SUPERCOP's
 * files checksumsmall have. The state is made of random bytes, so that each of its words counts. */
#include "common/hash_blocks.h"

#include "native_test.h"
#include "supercop/generator.h"

enum { ITERATIONS = 4096, MESSAGE_BYTES_MAX = 128, CHECKSUM_BYTES = 32 };

/* SUPERCOP 20190811, crypto_hashblocks/<function>/checksumsmall. */
static const struct {
    const char *algorithm;
    size_t state_bytes;
    const char *checksum;
} known[] = {
    {"md5", 16, "b8df5df45a3ef548d4c969eb01aaacdf698b6e99df40e65dfaf581ee534b15e6"},
    {"sha256", 32, "5a131d2e0d073421b0bacd985298ba780cc835af79f35c379d676d7cf154e4f0"},
    {"sha512", 64, "f0bc623a9033f9f648336540e11e85be21aeb60905c7d8808d10ea20b39d58d1"},
};

static void checksum_of(const jm_implementation *hash, size_t state_bytes,
                        char text[2 * CHECKSUM_BYTES + 1]) {
    uint8_t sum[JM_SUPERCOP_STATE_BYTES] = {0}, message[MESSAGE_BYTES_MAX], state[64];
    uint64_t nonce = 0;
    for (unsigned i = 0; i < ITERATIONS; i++) {
        const size_t bytes = jm_supercop_generate_number(&nonce) % (MESSAGE_BYTES_MAX + 1);
        jm_supercop_generate(&nonce, message, bytes);
        jm_supercop_generate(&nonce, state, state_bytes);
        const size_t left = jm_hash_blocks(hash, state, message, bytes);
        CHECK(left == bytes % hash->block_bytes, hash, "%zu of %zu bytes are left", left, bytes);
        jm_supercop_accumulate(sum, state, state_bytes);
    }
    for (unsigned i = 0; i < CHECKSUM_BYTES; i++) sprintf(text + 2 * i, "%02x", sum[i]);
}

int main(void) {
    const jm_plugin *plugin = jm_builtin_plugin();
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        CHECK(jm_hash_chosen(known[k].algorithm), plugin->implementations[0], "none is chosen");
        for (size_t i = 0; i < plugin->count; i++) {
            const jm_implementation *implementation = plugin->implementations[i];
            char text[2 * CHECKSUM_BYTES + 1];
            if (implementation->kind != JM_KIND_HASH ||
                strcmp(implementation->algorithm, known[k].algorithm))
                continue;
            if (implementation->cpu_features & ~jm_cpu_features()) continue;
            checksum_of(implementation, known[k].state_bytes, text);
            CHECK(!strcmp(text, known[k].checksum), implementation, "the checksum is %s", text);
        }
    }
    return 0;
}
