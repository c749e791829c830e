/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 (FIPS 180-4, section 6.2) with the SHA extensions (Intel SDM vol. 2B, SHA256RNDS2,
 * SHA256MSG1, SHA256MSG2).
 *
 * Technique: two rounds per SHA256RNDS2; the message schedule is computed four words at a time
 * beside the rounds, whose latency bounds the time of a block (sha256_shani_rounds.h). One message;
 * a CPU that executes out of order begins a message before it has finished the last.
 * State: the two registers that SHA256RNDS2 takes, in the order of sha256.h; only `output` reorders
 *   words.
 * CPU: SHA-NI, SSE4.1, SSSE3.
 * Constant time: straight-line code, no table is indexed by data. Valgrind (3.19) does not run
 *   these instructions: tests/native/constant_time_sha.c checks this source with them emulated.
 * Best for: one message at a time, of any length, on CPUs with SHA extensions.
 */
#if defined(__x86_64__)
#include "sha256/sha256_shani_rounds.h"

#define NOTE "x86 SHA extensions, one message at a time"

JM_MD_DEFINE(sha256, shani, SHA256_SHANI_FEATURES, SHANI, NOTE, 64, 32, sha256_shani_compression)
JM_HMAC_DEFINE(sha256, shani, SHA256_SHANI_FEATURES, SHANI, NOTE, 64, 32, sha256_shani_compression,
               320)
JM_SHA224_VARIANT(shani, SHA256_SHANI_FEATURES, SHANI, sizeof(sha256_chaining), NOTE,
                  sha256_shani_compress)

#endif
