/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JM_CACHE_FLUSH_H
#define JM_CACHE_FLUSH_H

#include <stdbool.h>
#include <stddef.h>

/* Whether jm_flush can evict on this architecture. */
bool jm_can_flush(void);

/* Evicts every cache line of the range from all cache levels and waits until that is done. */
void jm_flush(const void *from, size_t bytes);

#endif
