/* SPDX-License-Identifier: Apache-2.0
 *
 * Which algorithms have an engine: those whose keys outlive a message. Poly1305 has none, because a
 * key of it authenticates one message only. */
#include "engine/engine.h"

#include "engine/engine_costs.h"
#include "joulemark/cpu.h"

enum { HMAC_64_PADDING = 9, HMAC_128_PADDING = 17, HMAC_CLOSING = 1, SIPHASH_PADDING = 1 };
enum { HMAC_SHA3_PADDING = 1 };

/* CMAC pads nothing that is whole (SP 800-38B, section 6.2); SipHash appends the length, and its
 * last four rounds are the work of two words, as are the four more of a 128-bit tag. */
static const jm_engine_work works[] = {
    {"hmac-md5", HMAC_64_PADDING, HMAC_CLOSING},
    {"hmac-sha1", HMAC_64_PADDING, HMAC_CLOSING},
    {"hmac-sha256", HMAC_64_PADDING, HMAC_CLOSING},
    {"hmac-sha384", HMAC_128_PADDING, HMAC_CLOSING},
    {"hmac-sha512", HMAC_128_PADDING, HMAC_CLOSING},
    {"hmac-sha3-256", HMAC_SHA3_PADDING, HMAC_CLOSING},
    {"hmac-sha3-512", HMAC_SHA3_PADDING, HMAC_CLOSING},
    {"cmac-aes128", 0, 0},
    {"cmac-aes256", 0, 0},
    {"cmac-rc6-128", 0, 0},
    {"cmac-serpent128", 0, 0},
    {"cmac-twofish128", 0, 0},
    {"siphash-2-4", SIPHASH_PADDING, 2},
    {"siphash-2-4-128", SIPHASH_PADDING, 4},
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
