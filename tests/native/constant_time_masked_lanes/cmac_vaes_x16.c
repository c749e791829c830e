/* SPDX-License-Identifier: Apache-2.0
 * The source of the kernel itself over emulated registers. */
#if defined(__x86_64__)
#include "aes_blocks_emulated.h"

#define jm_cmac_aes128_vaes_x16 emulated_cmac_aes128_vaes_x16
#define jm_cmac_aes192_vaes_x16 emulated_cmac_aes192_vaes_x16
#define jm_cmac_aes256_vaes_x16 emulated_cmac_aes256_vaes_x16
#define jm_xcbc_aes128_vaes_x16 emulated_xcbc_aes128_vaes_x16
#endif
#include "cmac/cmac_vaes_x16.c"
