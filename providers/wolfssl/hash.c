/* SPDX-License-Identifier: Apache-2.0
 *
 * Hashes: init, update, final on a new object for each message. */
#include "wolfssl.h"

#include <wolfssl/wolfcrypt/blake2.h>
#include <wolfssl/wolfcrypt/hash.h>
#include <wolfssl/wolfcrypt/ripemd.h>

/* `init_call` prepares `state`, `final_call` writes `digest` and frees the memory of `state`. */
#define HASH_FUNCTIONS(name, type, init_call, update_call, final_call)                             \
    static jm_status name##_init(const jm_implementation *self, void *state) {                     \
        (void)self;                                                                                \
        return status_of(init_call);                                                               \
    }                                                                                              \
    static jm_status name##_update(const jm_implementation *self, void *state,                     \
                                   const uint8_t *message, size_t message_bytes) {                 \
        (void)self;                                                                                \
        IN_PIECES(message, message_bytes, update_call);                                            \
        return JM_OK;                                                                              \
    }                                                                                              \
    static jm_status name##_final(const jm_implementation *self, void *state, uint8_t *digest) {   \
        (void)self;                                                                                \
        const int code = final_call;                                                               \
        jm_wipe(state, sizeof(type));                                                              \
        return status_of(code);                                                                    \
    }                                                                                              \
    static jm_status name##_digest(const jm_implementation *self, const uint8_t *message,          \
                                   size_t message_bytes, uint8_t *digest) {                        \
        type state;                                                                                \
        jm_status status = name##_init(self, &state);                                              \
        if (status == JM_OK) status = name##_update(self, &state, message, message_bytes);         \
        return status == JM_OK ? name##_final(self, &state, digest) : status;                      \
    }                                                                                              \
    static const jm_hash_functions name = {                                                        \
        .state_bytes = sizeof(type),                                                               \
        .init = name##_init,                                                                       \
        .update = name##_update,                                                                   \
        .final = name##_final,                                                                     \
        .digest = name##_digest,                                                                   \
    };

static enum wc_HashType type_of(const jm_implementation *self) {
    return *(const enum wc_HashType *)self->over;
}

static int final_and_free(wc_HashAlg *hash, enum wc_HashType type, uint8_t *digest) {
    const int code = wc_HashFinal(hash, type, digest);
    wc_HashFree(hash, type);
    return code;
}

HASH_FUNCTIONS(generic, wc_HashAlg, wc_HashInit(state, type_of(self)),
               wc_HashUpdate(state, type_of(self), bytes, count),
               final_and_free(state, type_of(self), digest))
#ifdef WOLFSSL_SHAKE256
static int squeeze(wc_Shake *shake, uint8_t *digest, word32 digest_bytes) {
    const int code = wc_Shake256_Final(shake, digest, digest_bytes);
    wc_Shake256_Free(shake);
    return code;
}

HASH_FUNCTIONS(shake256, wc_Shake, wc_InitShake256(state, NULL, INVALID_DEVID),
               wc_Shake256_Update(state, bytes, count),
               squeeze(state, digest, (word32)self->output_bytes))
#endif
#ifdef WOLFSSL_RIPEMD
HASH_FUNCTIONS(ripemd160, RipeMd, wc_InitRipeMd(state), wc_RipeMdUpdate(state, bytes, count),
               wc_RipeMdFinal(state, digest))
#endif
#ifdef HAVE_BLAKE2B
HASH_FUNCTIONS(blake2b_hash, Blake2b, wc_InitBlake2b(state, (word32)self->output_bytes),
               wc_Blake2bUpdate(state, bytes, count),
               wc_Blake2bFinal(state, digest, (word32)self->output_bytes))
#endif
#ifdef HAVE_BLAKE2S
HASH_FUNCTIONS(blake2s_hash, Blake2s, wc_InitBlake2s(state, (word32)self->output_bytes),
               wc_Blake2sUpdate(state, bytes, count),
               wc_Blake2sFinal(state, digest, (word32)self->output_bytes))
#endif

#define HASH_OF(id, functions, sentence, block, digest_bytes, ...)                                 \
    &(const jm_implementation){.algorithm = id,                                                    \
                               .variant = "wolfssl",                                               \
                               .note = sentence,                                                   \
                               .kind = JM_KIND_HASH,                                               \
                               .lanes = 1,                                                         \
                               .block_bytes = block,                                               \
                               .output_bytes = digest_bytes,                                       \
                               .hash = &functions,                                                 \
                               __VA_ARGS__}
#define GENERIC(id, type, block, digest_bytes)                                                     \
    HASH_OF(id, generic, "wc_HashInit, update, final", block, digest_bytes,                        \
            .over = &(const enum wc_HashType){WC_HASH_TYPE_##type})
#define DIRECT(id, functions, block, digest_bytes)                                                 \
    HASH_OF(id, functions, "the hash's init, update, final", block, digest_bytes, .over = NULL)

static const jm_implementation *const implementations[] = {
    GENERIC("md5", MD5, 64, 16),
    GENERIC("sha1", SHA, 64, 20),
    GENERIC("sha256", SHA256, 64, 32),
#ifdef WOLFSSL_SHA224
    GENERIC("sha224", SHA224, 64, 28),
#endif
#ifdef WOLFSSL_SHA384
    GENERIC("sha384", SHA384, 128, 48),
#endif
#ifdef WOLFSSL_SHA512
    GENERIC("sha512", SHA512, 128, 64),
#ifndef WOLFSSL_NOSHA512_256
    GENERIC("sha512-256", SHA512_256, 128, 32),
#endif
#endif
#ifdef WOLFSSL_SHA3
    GENERIC("sha3-224", SHA3_224, 144, 28),
    GENERIC("sha3-256", SHA3_256, 136, 32),
    GENERIC("sha3-384", SHA3_384, 104, 48),
    GENERIC("sha3-512", SHA3_512, 72, 64),
#endif
#ifdef WOLFSSL_SHAKE256
    DIRECT("shake256-512", shake256, 136, 64),
#endif
#ifdef WOLFSSL_RIPEMD
    DIRECT("ripemd160", ripemd160, 64, 20),
#endif
#ifdef HAVE_BLAKE2B
    DIRECT("blake2b-512", blake2b_hash, 128, 64),
#endif
#ifdef HAVE_BLAKE2S
    DIRECT("blake2s-256", blake2s_hash, 64, 32),
#endif
};

const jm_table jm_wolfssl_hash = {JM_COUNT(implementations), implementations};
