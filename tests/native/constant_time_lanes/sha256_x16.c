/* SPDX-License-Identifier: Apache-2.0
 * The source of sha256_avx512_x16.c over vectors in plain C. */
#define LANES 16
#include "common/v32_generic.h"

#include "sha256/sha256_lanes.h"

JM_SHA256_LANES(generic_x16, 0, "AVX-512's source in plain C")
