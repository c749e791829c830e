/* SPDX-License-Identifier: Apache-2.0
 *
 * Which algorithms have an engine, and with it a place in joulemark/mac.h: those whose keys outlive
 * a message. Poly1305 has none, because a key of it authenticates one message only, nor has
 * CBC-MAC, whose key authenticates messages of one length only, nor HalfSipHash, whose key is too
 * short. */
#include "common/table.h"
#include "engine/engine.h"

#include "engine/engine_costs.h"
#include "joulemark/kernel.h"

enum { HMAC_64_PADDING = 9, HMAC_128_PADDING = 17, HMAC_CLOSING = 1, SIPHASH_PADDING = 1 };
enum { HMAC_SHA3_PADDING = 1, KMAC_PADDING = 4, ASCON_PADDING = 1 };

/* CMAC pads nothing that is whole (SP 800-38B, section 6.2), nor do XCBC, Chaskey, BLAKE2 and
 * BLAKE3. SipHash appends the length, and its last four rounds are the work of two words, as are
 * the four more of a 128-bit tag; the last three rounds of SipHash-1-3 are the work of three words.
 * PMAC enciphers its sum. */
static const jm_engine_work works[] = {
    {"hmac-md5", HMAC_64_PADDING, HMAC_CLOSING},
    {"hmac-sha1", HMAC_64_PADDING, HMAC_CLOSING},
    {"hmac-sha256", HMAC_64_PADDING, HMAC_CLOSING},
    {"hmac-sha384", HMAC_128_PADDING, HMAC_CLOSING},
    {"hmac-sha512", HMAC_128_PADDING, HMAC_CLOSING},
    {"hmac-sha3-256", HMAC_SHA3_PADDING, HMAC_CLOSING},
    {"hmac-sha3-512", HMAC_SHA3_PADDING, HMAC_CLOSING},
    {"cmac-aes128", 0, 0},
    {"cmac-aes192", 0, 0},
    {"cmac-aes256", 0, 0},
    {"cmac-rc6-128", 0, 0},
    {"cmac-serpent128", 0, 0},
    {"cmac-twofish128", 0, 0},
    {"cmac-shacal1", 0, 0},
    {"cmac-shacal2", 0, 0},
    {"siphash-2-4", SIPHASH_PADDING, 2},
    {"siphash-2-4-128", SIPHASH_PADDING, 4},
    {"siphash-1-3", SIPHASH_PADDING, 3},
    {"blake2b-mac", 0, 0},
    {"blake2s-mac", 0, 0},
    {"blake3-keyed", 0, 0},
    {"kmac128", KMAC_PADDING, 0},
    {"kmac256", KMAC_PADDING, 0},
    {"ascon-mac", ASCON_PADDING, 0},
    {"ascon-prf", ASCON_PADDING, 0},
    {"chaskey-8", 0, 0},
    {"chaskey-12", 0, 0},
    {"chaskey-lts", 0, 0},
    {"xcbc-aes128", 0, 0},
    {"pmac-aes128", 0, 1},
};

enum { WORKS = sizeof works / sizeof *works };

static jm_engine engines[WORKS];
static const jm_implementation *made[WORKS];
static jm_table table = {0, made};

const jm_table *jm_engines_over(const jm_implementation *const *implementations, size_t count) {
    const uint32_t features = jm_cpu_features();
    for (size_t i = 0; i < WORKS; i++) {
        jm_engine *engine = &engines[i];
        if (jm_engine_make(engine, &works[i], implementations, count, features, engine_costs,
                           sizeof engine_costs / sizeof *engine_costs))
            made[table.count++] = &engine->implementation;
    }
    return &table;
}
