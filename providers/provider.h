/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by all providers. Rules for all of them:
 *   - `constant_time` is false: it would be our claim, and we make none for other people's code.
 *   - A library's context changes while it computes, but `tag` takes a const key state. Where the
 *     context lies outside the state, the state only points to it; where it lies inside, the call
 *     restores it, or works on a copy. One state serves one thread at a time. */
#ifndef JM_PROVIDER_H
#define JM_PROVIDER_H

#include "common/secret.h"
#include "joulemark/kernel.h"

#define JM_EXPORT __attribute__((visibility("default")))
/* If this environment variable is set, a provider hides from its library the instructions that a
 * CPU may lack, so that the same library is measured as software alone. Only libraries that allow
 * it and have no variable for it are concerned. */
#define JM_SOFTWARE_ONLY "JOULEMARK_SOFTWARE_ONLY"
#define JM_COUNT(array) (sizeof(array) / sizeof *(array))

static inline bool jm_takes_key(const jm_implementation *self, size_t key_bytes) {
    return key_bytes >= self->key_bytes_min && key_bytes <= self->key_bytes_max;
}

static inline bool jm_takes_nonce(const jm_implementation *self, size_t nonce_bytes) {
    return nonce_bytes >= self->nonce_bytes_min && nonce_bytes <= self->nonce_bytes_max;
}

#endif
