/* SPDX-License-Identifier: Apache-2.0
 * The source of the kernel itself, every line but its SHA instructions. */
#if defined(__x86_64__)
#include "sha1_instructions.h"
#include "sha256_instructions.h"

#define jm_shacal1_shani emulated_shacal1_shani
#define jm_shacal2_shani emulated_shacal2_shani
#define jm_cmac_shacal1_shani emulated_cmac_shacal1_shani
#define jm_cmac_shacal2_shani emulated_cmac_shacal2_shani
#include "shacal/shacal_shani.c"
#endif
