/* SPDX-License-Identifier: Apache-2.0
 * The source of the kernel itself, every line but its SHA instructions. */
#if defined(__x86_64__)
#include "sha1_instructions.h"

#define jm_hmac_sha1_shani emulated_hmac_sha1_shani
#define jm_hmac_sha1_shani_x4 emulated_hmac_sha1_shani_x4
#include "sha1/sha1_shani_x4.c"
#endif
