/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE3's own C library (tried: 1.3, 1.8). Call style, from its README and blake3.h: a hasher is a
 * plain struct; blake3_hasher_init_keyed once, then for each message update, finalize, which does
 * not change the hasher, and blake3_hasher_reset, which restores the keyed state. The library
 * chooses its code by CPU. */
#include <blake3.h>
#include <pthread.h>

#include "offered.h"
#include "provider.h"

enum { CHUNK_BLOCK_BYTES = 64 };

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    blake3_hasher_init_keyed(key_state, key);
    return JM_OK;
}

static jm_status copy(const jm_implementation *self, void *to, const void *from) {
    (void)self;
    memcpy(to, from, sizeof(blake3_hasher));
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    (void)self;
    jm_wipe(key_state, sizeof(blake3_hasher));
}

static jm_status add(const jm_implementation *self, void *hasher, const uint8_t *message,
                     size_t message_bytes) {
    (void)self;
    if (message_bytes > 0) blake3_hasher_update(hasher, message, message_bytes);
    return JM_OK;
}

static jm_status finish(const jm_implementation *self, void *hasher, uint8_t *tag) {
    if (tag) blake3_hasher_finalize(hasher, tag, self->output_bytes);
    jm_wipe(hasher, sizeof(blake3_hasher));
    return JM_OK;
}

static jm_status tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                     size_t message_bytes, uint8_t *out) {
    blake3_hasher *hasher = (blake3_hasher *)key_state; /* `reset` restores it */
    add(self, hasher, message, message_bytes);
    blake3_hasher_finalize(hasher, out, self->output_bytes);
    blake3_hasher_reset(hasher);
    return JM_OK;
}

static const jm_mac_functions keyed = {
    .key_state_bytes = sizeof(blake3_hasher),
    .stream_bytes = sizeof(blake3_hasher),
    .set_key = set_key,
    .copy_key = copy,
    .wipe_key = wipe_key,
    .tag = tag,
    .stream_begin = copy,
    .stream_update = add,
    .stream_finish = finish,
};

static jm_status init(const jm_implementation *self, void *hasher) {
    (void)self;
    blake3_hasher_init(hasher);
    return JM_OK;
}

static jm_status digest(const jm_implementation *self, const uint8_t *message, size_t message_bytes,
                        uint8_t *out) {
    blake3_hasher hasher;
    blake3_hasher_init(&hasher);
    add(self, &hasher, message, message_bytes);
    blake3_hasher_finalize(&hasher, out, self->output_bytes);
    return JM_OK;
}

static const jm_hash_functions plain = {
    .state_bytes = sizeof(blake3_hasher),
    .init = init,
    .update = add,
    .final = finish,
    .digest = digest,
};

static const jm_implementation *const implementations[] = {
    &(const jm_implementation){
        .algorithm = "blake3-keyed",
        .variant = "blake3",
        .note = "hasher keyed once; per message update, finalize, reset",
        .kind = JM_KIND_MAC,
        .lanes = 1,
        .block_bytes = CHUNK_BLOCK_BYTES,
        .output_bytes = BLAKE3_OUT_LEN,
        .key_bytes_min = BLAKE3_KEY_LEN,
        .key_bytes_max = BLAKE3_KEY_LEN,
        .key_bytes = BLAKE3_KEY_LEN,
        .mac = &keyed,
    },
    &(const jm_implementation){
        .algorithm = "blake3",
        .variant = "blake3",
        .note = "init, update, finalize",
        .kind = JM_KIND_HASH,
        .lanes = 1,
        .block_bytes = CHUNK_BLOCK_BYTES,
        .output_bytes = BLAKE3_OUT_LEN,
        .hash = &plain,
    },
};

static jm_plugin plugin = {
    .abi_version = JM_ABI_VERSION,
    .provider = "blake3",
    .library_version = blake3_version,
    .compiler = JM_BUILD_COMPILER,
    .flags = JM_BUILD_FLAGS,
};

static void gather(void) {
    jm_gather(&plugin, implementations, JM_COUNT(implementations), NULL);
}

JM_EXPORT const jm_plugin *joulemark_plugin(void);

const jm_plugin *joulemark_plugin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, gather);
    return &plugin;
}
