/* SPDX-License-Identifier: Apache-2.0
 * Update and digest on a kept context, which digest restores to its keyed state. */
#include <nettle/cmac.h>
#include <nettle/hmac.h>

#include "plain_loop.h"

static struct hmac_sha256_ctx hmac;
static struct cmac_aes128_ctx cmac;

static int hmac_key(const uint8_t key[32]) {
    hmac_sha256_set_key(&hmac, 32, key);
    return 1;
}

static int cmac_key(const uint8_t key[32]) {
    cmac_aes128_set_key(&cmac, key);
    return 1;
}

static inline int hmac_message(const work *given) {
    hmac_sha256_update(&hmac, given->bytes, given->messages);
    hmac_sha256_digest(&hmac, 32, given->tags);
    return 1;
}

static inline int cmac_message(const work *given) {
    cmac_aes128_update(&cmac, given->bytes, given->messages);
    cmac_aes128_digest(&cmac, 16, given->tags);
    return 1;
}

TURNS(hmac_tag, hmac_message(given))
TURNS(cmac_tag, cmac_message(given))

static const plain_call calls[] = {
    {"hmac-sha256/nettle", 1, 32, hmac_key, hmac_tag},
    {"cmac-aes128/nettle", 1, 16, cmac_key, cmac_tag},
};

PLAIN_LOOP_MAIN(calls)
