/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-1 (FIPS 180-4, section 6.1) with the SHA extensions (Intel SDM vol. 2B, SHA1RNDS4,
 * SHA1NEXTE, SHA1MSG1, SHA1MSG2).
 *
 * Technique: four rounds per SHA1RNDS4; the message schedule is computed four words at a time
 *   beside the rounds, whose latency bounds the time of a block (sha1_shani_rounds.h). One message;
 *   a CPU that executes out of order begins a message before it has finished the last.
 * State: two registers, in the order of sha1.h; only `output` reorders them.
 * CPU: SHA-NI, SSE4.1, SSSE3.
 * Constant time: straight-line code, no table is indexed by data. Valgrind (3.19) does not run
 *   these instructions: tests/native/constant_time_sha.c checks this source with them emulated.
 * Best for: one message at a time, of any length, on CPUs with SHA extensions.
 */
#if defined(__x86_64__)
#include "sha1/sha1_shani_rounds.h"

#define NOTE "x86 SHA extensions, one message at a time"

JM_MD_DEFINE(sha1, shani, SHA1_SHANI_FEATURES, SHANI, NOTE, 64, 20, sha1_shani_compression)
JM_HMAC_DEFINE(sha1, shani, SHA1_SHANI_FEATURES, SHANI, NOTE, 64, 20, sha1_shani_compression, 128)

#endif
