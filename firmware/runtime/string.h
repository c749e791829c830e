/* SPDX-License-Identifier: Apache-2.0
 * The part of <string.h> that the kernels use, for targets that are linked without a C library. */
#ifndef JM_RUNTIME_STRING_H
#define JM_RUNTIME_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
int memcmp(const void *one, const void *other, size_t bytes);
size_t strlen(const char *text);
int strcmp(const char *one, const char *other);

#endif
