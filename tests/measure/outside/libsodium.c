/* SPDX-License-Identifier: Apache-2.0
 * HMAC by a kept state, of which each message uses a copy; the copy is wiped, since it holds traces
 * of the key. SipHash and Poly1305 by the one-shot calls, which take the key. */
#include <sodium.h>

#include "plain_loop.h"

static crypto_auth_hmacsha256_state keyed;
static uint8_t kept[32];

static int hmac_key(const uint8_t key[32]) {
    return sodium_init() >= 0 && crypto_auth_hmacsha256_init(&keyed, key, 32) == 0;
}

static int plain_key(const uint8_t key[32]) {
    memcpy(kept, key, sizeof kept);
    return sodium_init() >= 0;
}

static inline int hmac_message(const work *given) {
    crypto_auth_hmacsha256_state state = keyed;
    crypto_auth_hmacsha256_update(&state, given->messages, given->bytes);
    crypto_auth_hmacsha256_final(&state, given->tags);
    sodium_memzero(&state, sizeof state);
    return 1;
}

TURNS(hmac_tag, hmac_message(given))
TURNS(siphash_tag,
      crypto_shorthash_siphash24(given->tags, given->messages, given->bytes, kept) == 0)
TURNS(poly1305_tag, crypto_onetimeauth(given->tags, given->messages, given->bytes, kept) == 0)

static const plain_call calls[] = {
    {"hmac-sha256/libsodium", 1, 32, hmac_key, hmac_tag},
    {"siphash-2-4/libsodium", 1, 8, plain_key, siphash_tag},
    {"poly1305/libsodium", 1, 16, plain_key, poly1305_tag},
};

PLAIN_LOOP_MAIN(calls)
