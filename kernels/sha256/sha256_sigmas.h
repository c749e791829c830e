/* SPDX-License-Identifier: Apache-2.0
 * The functions of SHA-256 on one word (FIPS 180-4, section 4.1.2), for common/sha2_rounds.h. */
#ifndef JM_SHA256_SIGMAS_H
#define JM_SHA256_SIGMAS_H

#include "common/words.h"

#define BIG_SIGMA0(x) (rotr32(x, 2) ^ rotr32(x, 13) ^ rotr32(x, 22))
#define BIG_SIGMA1(x) (rotr32(x, 6) ^ rotr32(x, 11) ^ rotr32(x, 25))
#define SIGMA0(x) (rotr32(x, 7) ^ rotr32(x, 18) ^ ((x) >> 3))
#define SIGMA1(x) (rotr32(x, 17) ^ rotr32(x, 19) ^ ((x) >> 10))

#endif
