/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JM_KT128_LONGER_H
#define JM_KT128_LONGER_H

#include "joulemark/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The output bytes of eBACS's k12: all bytes of KT128's output that one permutation gives. This is
 * more than JM_OUTPUT_BYTES_MAX, so that no table lists an implementation with this output. */
#define JM_KT128_LONGER_BYTES 168u

/* The implementation `self` of KT128 with that output; NULL if `self` is not one of ours. */
const jm_implementation *jm_kt128_longer(const jm_implementation *self);

#ifdef __cplusplus
}
#endif
#endif
