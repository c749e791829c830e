/* SPDX-License-Identifier: Apache-2.0
 *
 * The shape of a primitive's table: every implementation that its folder provides on this
 * architecture. kernels/registry.c concatenates the tables. */
#ifndef JM_TABLE_H
#define JM_TABLE_H

#include "joulemark/kernel.h"

/* Within one algorithm the order is the preference of `auto`: the last implementation that the
 * CPU can run wins, so the portable one comes first and the fastest one last. */
typedef struct {
    size_t count;
    const jm_implementation *const *implementations;
} jm_table;

#endif
