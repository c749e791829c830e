/* SPDX-License-Identifier: Apache-2.0
 * Whether the program is built with GCC's AddressSanitizer, by which a byte costs ten times as
 * much. */
#ifndef JM_SANITIZED_H
#define JM_SANITIZED_H

#include <stdbool.h>

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED true
#else
#define SANITIZED false
#endif

#endif
