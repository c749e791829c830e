/* SPDX-License-Identifier: Apache-2.0
 * Our engine as a C program calls it, by joulemark/mac.h: one message and a batch. */
#include <joulemark/mac.h>

#include "plain_loop.h"

static const jm_mac *mac;
static jm_mac_key *keyed;
static jm_mac_message messages[BATCH];

static int hmac_key(const uint8_t key[32]) {
    mac = jm_mac_find("hmac-sha256");
    return jm_mac_key_new(mac, key, 32, &keyed) == JM_OK;
}

static int cmac_key(const uint8_t key[32]) {
    mac = jm_mac_find("cmac-aes128");
    return jm_mac_key_new(mac, key, 16, &keyed) == JM_OK;
}

TURNS(tag_each, jm_mac_tag(mac, keyed, given->messages, given->bytes, given->tags) == JM_OK)

TURNS(prepared, jm_mac_tag_batch(mac, messages, BATCH) == JM_OK)

static int batch(const work *given, uint64_t turns) {
    for (size_t i = 0; i < BATCH; i++)
        messages[i] = (jm_mac_message){keyed, given->messages + i * given->bytes, given->bytes,
                                       given->tags + i * TAG_BYTES_MAX};
    return prepared(given, turns);
}

static const plain_call calls[] = {
    {"hmac-sha256/engine", 1, 32, hmac_key, tag_each},
    {"cmac-aes128/engine", 1, 16, cmac_key, tag_each},
    {"hmac-sha256/engine", BATCH, 32, hmac_key, batch},
};

PLAIN_LOOP_MAIN(calls)
