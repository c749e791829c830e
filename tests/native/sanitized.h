/* SPDX-License-Identifier: Apache-2.0
 * Whether GCC's AddressSanitizer is in the program, so that each byte costs ten times as much. */
#ifndef JM_SANITIZED_H
#define JM_SANITIZED_H

#include <stdbool.h>

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED true
#else
#define SANITIZED false
#endif

#endif
