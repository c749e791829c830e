/* SPDX-License-Identifier: Apache-2.0
 *
 * gcry_md (manual, "Hashing"): a whole message by gcry_md_hash_buffer, the call that the manual
 * calls quicker than a handle. Streams, and SHAKE, whose output has no fixed length, have a handle:
 * gcry_md_open, write, read (or extract), close. */
#include "libgcrypt.h"

typedef struct {
    gcry_md_hd_t handle;
} hash_state;

static jm_status init(const jm_implementation *self, void *state) {
    const gcrypt_number *of = self->over;
    return status_of(gcry_md_open(&((hash_state *)state)->handle, of->number, 0));
}

static jm_status update(const jm_implementation *self, void *state, const uint8_t *message,
                        size_t message_bytes) {
    (void)self;
    gcry_md_write(((hash_state *)state)->handle, some_bytes(message), message_bytes);
    return JM_OK;
}

static jm_status close_state(hash_state *state, jm_status status) {
    gcry_md_close(state->handle);
    jm_wipe(state, sizeof *state);
    return status;
}

static jm_status final(const jm_implementation *self, void *state, uint8_t *digest) {
    const uint8_t *read = gcry_md_read(((hash_state *)state)->handle, 0);
    if (read) memcpy(digest, read, self->output_bytes);
    return close_state(state, read ? JM_OK : JM_ERR_LIBRARY);
}

static jm_status final_extendable(const jm_implementation *self, void *state, uint8_t *digest) {
    gcry_md_hd_t handle = ((hash_state *)state)->handle;
    return close_state(state, status_of(gcry_md_extract(handle, 0, digest, self->output_bytes)));
}

static jm_status whole(const jm_implementation *self, const uint8_t *message, size_t message_bytes,
                       uint8_t *digest) {
    const gcrypt_number *of = self->over;
    gcry_md_hash_buffer(of->number, digest, some_bytes(message), message_bytes);
    return JM_OK;
}

static jm_status whole_extendable(const jm_implementation *self, const uint8_t *message,
                                  size_t message_bytes, uint8_t *digest) {
    hash_state state;
    const jm_status status = init(self, &state);
    if (status != JM_OK) return status;
    update(self, &state, message, message_bytes);
    return final_extendable(self, &state, digest);
}

static const jm_hash_functions fixed = {
    .state_bytes = sizeof(hash_state),
    .init = init,
    .update = update,
    .final = final,
    .digest = whole,
};

static const jm_hash_functions extendable = {
    .state_bytes = sizeof(hash_state),
    .init = init,
    .update = update,
    .final = final_extendable,
    .digest = whole_extendable,
};

#define HASH_OF(id, functions, sentence, gcrypt, block, digest_bytes)                              \
    &(const jm_implementation){                                                                    \
        .algorithm = id,                                                                           \
        .variant = "libgcrypt",                                                                    \
        .note = sentence,                                                                          \
        .kind = JM_KIND_HASH,                                                                      \
        .lanes = 1,                                                                                \
        .block_bytes = block,                                                                      \
        .output_bytes = digest_bytes,                                                              \
        .hash = &functions,                                                                        \
        .over = &(const gcrypt_number){GCRY_MD_##gcrypt},                                          \
    }
#define HASH(id, gcrypt, block, digest_bytes)                                                      \
    HASH_OF(id, fixed, "gcry_md_hash_buffer", gcrypt, block, digest_bytes)
#define SHAKE(id, gcrypt, block, digest_bytes)                                                     \
    HASH_OF(id, extendable, "a gcry_md handle for each message: open, write, extract, close",      \
            gcrypt, block, digest_bytes)

static const jm_implementation *const implementations[] = {
    HASH("md5", MD5, 64, 16),
    HASH("sha1", SHA1, 64, 20),
    HASH("sha224", SHA224, 64, 28),
    HASH("sha256", SHA256, 64, 32),
    HASH("sha384", SHA384, 128, 48),
    HASH("sha512", SHA512, 128, 64),
    HASH("sha512-256", SHA512_256, 128, 32),
    HASH("sha3-224", SHA3_224, 144, 28),
    HASH("sha3-256", SHA3_256, 136, 32),
    HASH("sha3-384", SHA3_384, 104, 48),
    HASH("sha3-512", SHA3_512, 72, 64),
    SHAKE("shake128-256", SHAKE128, 168, 32),
    SHAKE("shake256-512", SHAKE256, 136, 64),
    HASH("blake2b-512", BLAKE2B_512, 128, 64),
    HASH("blake2s-256", BLAKE2S_256, 64, 32),
    HASH("ripemd160", RMD160, 64, 20),
    HASH("sm3", SM3, 64, 32),
    HASH("whirlpool", WHIRLPOOL, 64, 64),
};

const jm_table jm_gcrypt_hash = {JM_COUNT(implementations), implementations};
