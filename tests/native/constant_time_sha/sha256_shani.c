/* SPDX-License-Identifier: Apache-2.0
 * The source of the kernel itself, every line but its SHA instructions. */
#if defined(__x86_64__)
#include "sha256_instructions.h"

#define jm_sha224_shani emulated_sha224_shani
#define jm_sha256_shani emulated_sha256_shani
#define jm_hmac_sha256_shani emulated_hmac_sha256_shani
#include "sha256/sha256_shani.c"
#endif
