/* SPDX-License-Identifier: Apache-2.0
 *
 * AES with keys of 128, 192 and 256 bits (FIPS 197), encryption direction only.
 *
 * Each variant file exports jm_aes<bits>_<variant> for the three key lengths and states the size of
 * its key schedules here, because CMAC's key state contains one. Schedules hold no pointers and may
 * be copied byte for byte. */
#ifndef JM_AES_H
#define JM_AES_H

#include "joulemark/kernel.h"

#define JM_AES_BLOCK_BYTES 16u
#define JM_AES128_KEY_BYTES 16u
#define JM_AES192_KEY_BYTES 24u
#define JM_AES256_KEY_BYTES 32u
#define JM_AES128_ROUNDS 10u
#define JM_AES192_ROUNDS 12u
#define JM_AES256_ROUNDS 14u

/* One round key is eight 64-bit planes (portable), eight of 32 bits (mcu32), 16 bytes (mcu8 and
 * mcu8_avr), or one 128-bit register (aesni). */
enum {
    JM_AES128_SCHEDULE_BYTES_mcu8 = (JM_AES128_ROUNDS + 1) * 16,
    JM_AES192_SCHEDULE_BYTES_mcu8 = (JM_AES192_ROUNDS + 1) * 16,
    JM_AES256_SCHEDULE_BYTES_mcu8 = (JM_AES256_ROUNDS + 1) * 16,
    JM_AES128_SCHEDULE_BYTES_mcu8_avr = JM_AES128_SCHEDULE_BYTES_mcu8,
    JM_AES192_SCHEDULE_BYTES_mcu8_avr = JM_AES192_SCHEDULE_BYTES_mcu8,
    JM_AES256_SCHEDULE_BYTES_mcu8_avr = JM_AES256_SCHEDULE_BYTES_mcu8,
    JM_AES128_SCHEDULE_BYTES_mcu32 = (JM_AES128_ROUNDS + 1) * 32,
    JM_AES192_SCHEDULE_BYTES_mcu32 = (JM_AES192_ROUNDS + 1) * 32,
    JM_AES256_SCHEDULE_BYTES_mcu32 = (JM_AES256_ROUNDS + 1) * 32,
    JM_AES128_SCHEDULE_BYTES_portable = (JM_AES128_ROUNDS + 1) * 64,
    JM_AES192_SCHEDULE_BYTES_portable = (JM_AES192_ROUNDS + 1) * 64,
    JM_AES256_SCHEDULE_BYTES_portable = (JM_AES256_ROUNDS + 1) * 64,
    JM_AES128_SCHEDULE_BYTES_aesni = (JM_AES128_ROUNDS + 1) * 16,
    JM_AES192_SCHEDULE_BYTES_aesni = (JM_AES192_ROUNDS + 1) * 16,
    JM_AES256_SCHEDULE_BYTES_aesni = (JM_AES256_ROUNDS + 1) * 16,
};

extern const jm_implementation jm_aes128_mcu8, jm_aes192_mcu8, jm_aes256_mcu8;
extern const jm_implementation jm_aes128_mcu8_avr, jm_aes192_mcu8_avr, jm_aes256_mcu8_avr;
extern const jm_implementation jm_aes128_mcu32, jm_aes192_mcu32, jm_aes256_mcu32;
extern const jm_implementation jm_aes128_portable, jm_aes192_portable, jm_aes256_portable;
extern const jm_implementation jm_aes128_aesni, jm_aes192_aesni, jm_aes256_aesni;

/* Initialiser of one AES implementation; `bits` is 128, 192 or 256, `note_` a sentence. */
#define JM_AES_CIPHER_CLAIMING(constant_time_, bits, variant_, features_, note_, functions_)       \
    {.algorithm = "aes" #bits,                                                                     \
     .variant = (variant_),                                                                        \
     .note = (note_),                                                                              \
     .kind = JM_KIND_CIPHER,                                                                       \
     .cpu_features = (features_),                                                                  \
     .lanes = 1,                                                                                   \
     .constant_time = (constant_time_),                                                            \
     .block_bytes = JM_AES_BLOCK_BYTES,                                                            \
     .output_bytes = JM_AES_BLOCK_BYTES,                                                           \
     .key_bytes_min = JM_AES##bits##_KEY_BYTES,                                                    \
     .key_bytes_max = JM_AES##bits##_KEY_BYTES,                                                    \
     .key_bytes = JM_AES##bits##_KEY_BYTES,                                                        \
     .cipher = &(functions_)}

/* The same for an implementation that runs in constant time. */
#define JM_AES_CIPHER(bits, variant_, features_, note_, functions_)                                \
    JM_AES_CIPHER_CLAIMING(true, bits, variant_, features_, note_, functions_)

/* CMAC over a cipher (aes_table.c), and CMAC in lanes (cmac/cmac_<variant>.c), which shares the key
 * states of CMAC over `aesni`. */
#define JM_AES_MACS(variant)                                                                       \
    extern const jm_implementation jm_cmac_aes128_##variant, jm_cmac_aes192_##variant,             \
        jm_cmac_aes256_##variant, jm_xcbc_aes128_##variant, jm_cbc_mac_aes128_##variant,           \
        jm_pmac_aes128_##variant;
JM_AES_MACS(mcu8)
JM_AES_MACS(mcu8_avr)
JM_AES_MACS(mcu32)
extern const jm_implementation jm_cmac_aes128_portable, jm_cmac_aes192_portable;
extern const jm_implementation jm_cmac_aes256_portable;
extern const jm_implementation jm_cmac_aes128_aesni, jm_cmac_aes192_aesni;
extern const jm_implementation jm_cmac_aes256_aesni;
extern const jm_implementation jm_cmac_aes128_aesni_x8, jm_cmac_aes192_aesni_x8;
extern const jm_implementation jm_cmac_aes256_aesni_x8;
extern const jm_implementation jm_cmac_aes128_vaes_x16, jm_cmac_aes192_vaes_x16;
extern const jm_implementation jm_cmac_aes256_vaes_x16;
extern const jm_implementation jm_cmac_aes128_vaes_x32, jm_cmac_aes192_vaes_x32;
extern const jm_implementation jm_cmac_aes256_vaes_x32;

/* XCBC, CBC-MAC and PMAC over AES-128, and XCBC in CMAC's lanes. */
extern const jm_implementation jm_xcbc_aes128_portable, jm_xcbc_aes128_aesni;
extern const jm_implementation jm_xcbc_aes128_aesni_x8, jm_xcbc_aes128_vaes_x16;
extern const jm_implementation jm_xcbc_aes128_vaes_x32;
extern const jm_implementation jm_cbc_mac_aes128_portable, jm_cbc_mac_aes128_aesni;
extern const jm_implementation jm_pmac_aes128_portable, jm_pmac_aes128_aesni;

/* The ciphers, and the MACs over them. */

#endif
