/* SPDX-License-Identifier: Apache-2.0
 * The programs of castellon2022. kernels/registry.c lists them before sha256, so that `auto`, which
 * prefers the last, never chooses one of them. */
#include "castellon2022/castellon2022.h"
#include "common/table.h"

static const jm_implementation *const implementations[] = {
    &jm_hmac_sha256_castellon2022_standard,      &jm_hmac_sha256_castellon2022_standard_chunks,
    &jm_hmac_sha256_castellon2022_ecm_j1,        &jm_hmac_sha256_castellon2022_ecm_j2,
    &jm_hmac_sha256_castellon2022_ecm_j4,        &jm_hmac_sha256_castellon2022_ecm_j8,
    &jm_hmac_sha256_castellon2022_ecm_j16,       &jm_hmac_sha256_castellon2022_ecm_chunks_j1,
    &jm_hmac_sha256_castellon2022_ecm_chunks_j2, &jm_hmac_sha256_castellon2022_ecm_chunks_j4,
    &jm_hmac_sha256_castellon2022_ecm_chunks_j8, &jm_hmac_sha256_castellon2022_ecm_chunks_j16,
};

const jm_table jm_castellon2022_table = {sizeof implementations / sizeof *implementations,
                                         implementations};
