/* SPDX-License-Identifier: Apache-2.0
 *
 * BLAKE2 with a key, by gcry_md (manual, "Working with hash algorithms"): a handle in the key
 * state; per message gcry_md_reset, which forgets the key, then gcry_md_setkey, write, read. */
#include "libgcrypt.h"

enum { KEY_BYTES_MAX = 64 };

typedef struct {
    gcry_md_hd_t handle; /* changes with every message; the state itself does not */
    size_t key_bytes;
    uint8_t key[KEY_BYTES_MAX];
} keyed_state;

static jm_status begin(const keyed_state *state) {
    gcry_md_reset(state->handle);
    return status_of(gcry_md_setkey(state->handle, state->key, state->key_bytes));
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    keyed_state *state = key_state;
    (void)self;
    gcry_md_close(state->handle);
    jm_wipe(state, sizeof *state);
}

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    keyed_state *state = key_state;
    const gcrypt_number *of = self->over;
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    memcpy(state->key, key, key_bytes);
    state->key_bytes = key_bytes;
    state->handle = NULL;
    if (!gcry_md_open(&state->handle, of->number, 0) && begin(state) == JM_OK) return JM_OK;
    wipe_key(self, key_state);
    return JM_ERR_LIBRARY;
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    const keyed_state *source = from;
    return set_key(self, to, source->key, source->key_bytes);
}

static jm_status add(const jm_implementation *self, void *stream, const uint8_t *message,
                     size_t message_bytes) {
    (void)self;
    gcry_md_write(((keyed_state *)stream)->handle, some_bytes(message), message_bytes);
    return JM_OK;
}

static jm_status take(const jm_implementation *self, const keyed_state *state, uint8_t *tag) {
    const uint8_t *read = gcry_md_read(state->handle, 0);
    if (!read) return JM_ERR_LIBRARY;
    memcpy(tag, read, self->output_bytes);
    return JM_OK;
}

static jm_status finish(const jm_implementation *self, void *stream, uint8_t *tag) {
    const jm_status status = tag ? take(self, stream, tag) : JM_OK;
    wipe_key(self, stream);
    return status;
}

static jm_status tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                     size_t message_bytes, uint8_t *out) {
    const keyed_state *state = key_state;
    const jm_status status = begin(state);
    if (status != JM_OK) return status;
    gcry_md_write(state->handle, some_bytes(message), message_bytes);
    return take(self, state, out);
}

static const jm_mac_functions functions = {
    .key_state_bytes = sizeof(keyed_state),
    .stream_bytes = sizeof(keyed_state),
    .set_key = set_key,
    .copy_key = copy_key,
    .wipe_key = wipe_key,
    .tag = tag,
    .stream_begin = copy_key,
    .stream_update = add,
    .stream_finish = finish,
};

#define KEYED(id, gcrypt, block, tag)                                                              \
    &(const jm_implementation){                                                                    \
        .algorithm = id,                                                                           \
        .variant = "libgcrypt",                                                                    \
        .note = "gcry_md handle kept; per message reset, setkey, write, read",                     \
        .kind = JM_KIND_MAC,                                                                       \
        .lanes = 1,                                                                                \
        .block_bytes = block,                                                                      \
        .output_bytes = tag,                                                                       \
        .key_bytes_min = 1,                                                                        \
        .key_bytes_max = tag,                                                                      \
        .key_bytes = tag,                                                                          \
        .mac = &functions,                                                                         \
        .over = &(const gcrypt_number){GCRY_MD_##gcrypt},                                          \
    }

static const jm_implementation *const implementations[] = {
    KEYED("blake2b-mac", BLAKE2B_512, 128, 64),
    KEYED("blake2s-mac", BLAKE2S_256, 64, 32),
};

const jm_table jm_gcrypt_keyed_hash = {JM_COUNT(implementations), implementations};
