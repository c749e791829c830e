/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JM_KT128_LONGER_H
#define JM_KT128_LONGER_H

#include "joulemark/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes of eBACS's k12: all that one permutation gives of KT128's output. They are more than
 * JM_OUTPUT_BYTES_MAX, so that no table has an implementation of it. */
#define JM_KT128_LONGER_BYTES 168u

/* The same implementation of KT128 with that output; NULL of anything that is not ours. */
const jm_implementation *jm_kt128_longer(const jm_implementation *self);

#ifdef __cplusplus
}
#endif
#endif
