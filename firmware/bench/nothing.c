/* SPDX-License-Identifier: Apache-2.0
 * An implementation without code: a program with it has what every program has beside a kernel. */
#include "joulemark/kernel.h"

extern const jm_implementation jm_nothing;
const jm_implementation jm_nothing = {.algorithm = "", .variant = "", .kind = JM_KIND_HASH};
