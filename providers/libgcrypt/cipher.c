/* SPDX-License-Identifier: Apache-2.0
 *
 * gcry_cipher (manual, "Working with cipher handles"): two handles keyed once. `encrypt` is ECB;
 * `chain` is CBC with the flag GCRY_CIPHER_CBC_MAC, which writes the last block alone, and with the
 * chain as its IV. Neither call can fail once keyed; if one fails, the output is zeroed, and no
 * check accepts zeros. */
#include "libgcrypt.h"

enum { BLOCK = 16 };

/* The handles change with every call; the state itself does not. */
typedef struct {
    gcry_cipher_hd_t ecb, cbc_mac;
} cipher_state;

static void wipe_key(const jm_implementation *self, void *schedule) {
    cipher_state *state = schedule;
    (void)self;
    gcry_cipher_close(state->ecb);
    gcry_cipher_close(state->cbc_mac);
    jm_wipe(state, sizeof *state);
}

static jm_status set_key(const jm_implementation *self, void *schedule, const uint8_t *key,
                         size_t key_bytes) {
    cipher_state *state = schedule;
    const gcrypt_number *of = self->over;
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    *state = (cipher_state){0};
    if (!gcry_cipher_open(&state->ecb, of->number, GCRY_CIPHER_MODE_ECB, 0) &&
        !gcry_cipher_open(&state->cbc_mac, of->number, GCRY_CIPHER_MODE_CBC, GCRY_CIPHER_CBC_MAC) &&
        !gcry_cipher_setkey(state->ecb, key, key_bytes) &&
        !gcry_cipher_setkey(state->cbc_mac, key, key_bytes))
        return JM_OK;
    wipe_key(self, schedule);
    return JM_ERR_LIBRARY;
}

static void encrypt(const jm_implementation *self, const void *schedule, const uint8_t *in,
                    uint8_t *out, size_t blocks) {
    const cipher_state *state = schedule;
    const size_t bytes = blocks * BLOCK;
    (void)self;
    if (blocks == 0) return;
    /* For a call in place the library takes NULL as input. */
    const bool in_place = in == out;
    if (gcry_cipher_encrypt(state->ecb, out, bytes, in_place ? NULL : in, in_place ? 0 : bytes))
        memset(out, 0, bytes);
}

static void chain(const jm_implementation *self, const void *schedule, uint8_t *value,
                  const uint8_t *in, size_t blocks) {
    const cipher_state *state = schedule;
    (void)self;
    if (blocks == 0) return;
    if (gcry_cipher_setiv(state->cbc_mac, value, BLOCK) ||
        gcry_cipher_encrypt(state->cbc_mac, value, BLOCK, in, blocks * BLOCK))
        memset(value, 0, BLOCK);
}

static const jm_cipher_functions functions = {
    .schedule_bytes = sizeof(cipher_state),
    .set_key = set_key,
    .wipe_key = wipe_key,
    .encrypt = encrypt,
    .chain = chain,
};

#define CIPHER(id, gcrypt, size)                                                                   \
    &(const jm_implementation){                                                                    \
        .algorithm = id,                                                                           \
        .variant = "libgcrypt",                                                                    \
        .note = "gcry_cipher in ECB mode on a kept handle; chain is CBC-MAC on another",           \
        .kind = JM_KIND_CIPHER,                                                                    \
        .lanes = 1,                                                                                \
        .block_bytes = BLOCK,                                                                      \
        .output_bytes = BLOCK,                                                                     \
        .key_bytes_min = size,                                                                     \
        .key_bytes_max = size,                                                                     \
        .key_bytes = size,                                                                         \
        .cipher = &functions,                                                                      \
        .over = &(const gcrypt_number){GCRY_CIPHER_##gcrypt},                                      \
    }

static const jm_implementation *const implementations[] = {
    CIPHER("aes128", AES128, 16),         CIPHER("aes192", AES192, 24),
    CIPHER("aes256", AES256, 32),         CIPHER("serpent128", SERPENT128, 16),
    CIPHER("serpent256", SERPENT256, 32), CIPHER("twofish128", TWOFISH128, 16),
    CIPHER("twofish256", TWOFISH, 32),
};

const jm_table jm_gcrypt_cipher = {JM_COUNT(implementations), implementations};
