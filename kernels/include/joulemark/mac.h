/* SPDX-License-Identifier: Apache-2.0
 *
 * Message authentication codes, for programs: one message, a stream, or a batch; made and checked.
 *
 *     const jm_mac *mac = jm_mac_find("hmac-sha256");
 *     jm_mac_key *key;
 *     uint8_t tag[JM_OUTPUT_BYTES_MAX];
 *     if (jm_mac_key_new(mac, secret, secret_bytes, &key) != JM_OK) ...
 *     jm_mac_tag(mac, key, message, message_bytes, tag);
 *     jm_mac_key_free(mac, key);
 *
 * Rules shared by all functions (a declaration repeats only its exceptions):
 *   - Sizes are in bytes. A message of zero bytes is valid and its pointer may then be NULL.
 *     Messages may exceed 4 GiB.
 *   - Pointers are not NULL, except where this is said. Inputs are not written. An output may not
 *     overlap an input, a key or a stream.
 *   - Functions return JM_OK, or a status that they name under "Errors"; jm_status_text puts a
 *     status into words. After an error the contents of outputs are unspecified and no secret is in
 *     them.
 *   - A jm_mac is constant and shared by all threads. A jm_mac_key is only read by the functions
 *     that take it as const: any number of threads may use one key at once, as long as none sets,
 *     wipes or frees it. A jm_mac_stream belongs to one thread at a time.
 *   - Time depends on lengths and counts, not on keys, messages or tags: no branch and no address
 *     follows from them. The exceptions look bytes up in tables, so that whoever shares the cache
 *     learns about keys and messages: "cmac-twofish128", "hmac-whirlpool", and the variants "mcu8"
 *     of MACs over AES. Only jm_mac_find_variable_time returns them.
 *   - Only the functions called _new allocate memory, and none prints.
 *   - When a function returns, nothing of a key, nor of any value computed from it but the output,
 *     is left on the stack, or in registers that a function may change: so far as
 *     jm_mac_wiping_doubt returns NULL for this build. Secrets stay in the keys
 *     and streams that the caller holds, and where the system keeps the registers of a thread that
 *     it interrupts: a signal handler's frame, memory that is swapped out, a core dump.
 *   - A key that was wiped and a stream that has ended hold no secret. Every function that takes
 *     either, except wipe, free and abandon, then returns JM_ERR_ENDED and writes no tag. A key or
 *     stream of another algorithm has the same effect, and so has one of a variant that keeps its
 *     states in another form, and memory that was never set, unless it holds the mark of a live key
 *     by chance. Wipe, free and abandon take the jm_mac that the key or stream was made with.
 *   - Messages, keys and tags are bytes without alignment; keys and streams in the caller's memory
 *     are aligned to JM_STATE_ALIGN (64). Where a key is set or copied, or a stream begun, other
 *     memory is refused with JM_ERR_ALIGNMENT, and nothing is written. */
#ifndef JOULEMARK_MAC_H
#define JOULEMARK_MAC_H

#include "joulemark/kernel.h"

/* The version of this header. */
#define JOULEMARK_VERSION "0.1.0"
#define JOULEMARK_VERSION_MAJOR 0
#define JOULEMARK_VERSION_MINOR 1
#define JOULEMARK_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* A way to compute one algorithm: what joulemark/kernel.h calls an implementation. */
typedef jm_implementation jm_mac;

/* A key made ready for one jm_mac (HMAC's midstates, CMAC's subkeys and round keys): secret. It
 * holds no pointers, but is bound to the machine it was set up on: do not store or send it. */
typedef struct jm_mac_key jm_mac_key;

/* A message that is absorbed piece by piece: secret. Its only pointer is to its key. */
typedef struct jm_mac_stream jm_mac_stream;

/* The version of the library that is linked or loaded, as JOULEMARK_VERSION is that of the header.
 */
JM_API const char *jm_version(void);

/* NULL if the build of this library measured the frames of all its functions and found that each is
 * overwritten whole; else why a secret may stay on the stack, in a text that lasts for ever. The
 * build prints the same, `pkg-config --variable=wiping joulemark` too. */
JM_API const char *jm_mac_wiping_doubt(void);

/* ---- Algorithms ---- */

/* The engine of an algorithm: it chooses, for each call, among the implementations that this CPU
 * runs. Algorithms with lanes for batches: "hmac-md5", "hmac-sha1", "hmac-sha256", "hmac-sha384",
 * "hmac-sha512", "hmac-sha3-256", "hmac-sha3-512", "cmac-aes128", "cmac-aes192", "cmac-aes256",
 * "cmac-rc6-128", "cmac-serpent128", "xcbc-aes128", "siphash-2-4" and "siphash-1-3" (64-bit tags),
 * "siphash-2-4-128". Algorithms that take the messages of a batch one by one: "blake2b-mac",
 * "blake2s-mac", "blake3-keyed", "kmac128", "kmac256", "ascon-mac", "ascon-prf", "chaskey-8",
 * "chaskey-12", "chaskey-lts", "cmac-shacal1", "cmac-shacal2", "pmac-aes128", and "hmac-<hash>" for
 * any other hash of the catalogue whose block holds its digest ("hmac-sm3"). NULL for any other.
 * The first call queries the CPU and has each implementation of the algorithm compute a known
 * answer (@TIME@); keep the result. An engine stands back for an implementation with one lane if an
 * answer is wrong, since then the compiler made wrong code. Not offered are algorithms whose key
 * authenticates one message (Poly1305) or messages of one length (CBC-MAC), those with nonces
 * (GMAC, VMAC), and HalfSipHash, whose key is too short.
 */
JM_API const jm_mac *jm_mac_find(const char *algorithm);

/* One named implementation of such an algorithm, for example "hmac-sha256", "shani". NULL if there
 * is none, this CPU cannot run it, or it does not give its known answer. Such a jm_mac uses that
 * implementation for batches too: without lanes it takes the messages of a batch one by one. */
JM_API const jm_mac *jm_mac_find_variant(const char *algorithm, const char *variant);

/* As jm_mac_find, where `variant` is NULL, or jm_mac_find_variant; but an algorithm or variant that
 * is not constant-time (see the rules above) is found too. For keys and messages that nobody who
 * shares the machine may not know. */
JM_API const jm_mac *jm_mac_find_variable_time(const char *algorithm, const char *variant);

JM_API const char *jm_mac_algorithm(const jm_mac *mac);
JM_API const char *jm_mac_variant(const jm_mac *mac);

/* The whole tag: 8 to JM_OUTPUT_BYTES_MAX (64). */
JM_API size_t jm_mac_tag_bytes(const jm_mac *mac);

/* The shortest truncated tag that jm_mac_verify accepts: for HMAC half the hash and at least 10
 * (RFC 2104, section 5), for CMAC 8 (SP 800-38B, appendix A.2), for XCBC 12 (RFC 3566), for Chaskey
 * 8 (ISO/IEC 29192-6), for others the whole tag. */
JM_API size_t jm_mac_tag_bytes_min(const jm_mac *mac);

/* Lengths of the secret: shortest and longest that are taken, and the one to choose. HMAC takes
 * any; shorter than the hash weakens it (RFC 2104, section 3). */
JM_API size_t jm_mac_key_bytes_min(const jm_mac *mac);
JM_API size_t jm_mac_key_bytes_max(const jm_mac *mac);
JM_API size_t jm_mac_key_bytes(const jm_mac *mac);

/* A sentence for a status, in English, without a full stop; never NULL. */
JM_API const char *jm_status_text(jm_status status);

/* ---- Keys ---- */

/* Allocates a key and sets it up; *key is the caller's, to be given to jm_mac_key_free, and NULL
 * after an error. `secret` may be NULL when secret_bytes is 0.
 * Errors: JM_ERR_KEY_BYTES, JM_ERR_MEMORY. */
JM_API jm_status jm_mac_key_new(const jm_mac *mac, const uint8_t *secret, size_t secret_bytes,
                                jm_mac_key **key);

/* Wipes and frees a key of jm_mac_key_new. `key` may be NULL. */
JM_API void jm_mac_key_free(const jm_mac *mac, jm_mac_key *key);

/* The same for a key in the caller's memory: jm_mac_key_state_bytes, aligned to JM_STATE_ALIGN. The
 * caller wipes it when it is no longer needed, and before it is set again. Errors:
 * JM_ERR_KEY_BYTES, JM_ERR_ALIGNMENT. Keys are copied by jm_mac_key_copy alone: memcpy would leave
 * a key in vector registers. */
JM_API size_t jm_mac_key_state_bytes(const jm_mac *mac);
JM_API jm_status jm_mac_key_set(const jm_mac *mac, jm_mac_key *key, const uint8_t *secret,
                                size_t secret_bytes);
JM_API jm_status jm_mac_key_copy(const jm_mac *mac, jm_mac_key *to, const jm_mac_key *from);
JM_API void jm_mac_key_wipe(const jm_mac *mac, jm_mac_key *key);

/* ---- One message ---- */

/* Writes jm_mac_tag_bytes to `tag`. */
JM_API jm_status jm_mac_tag(const jm_mac *mac, const jm_mac_key *key, const uint8_t *message,
                            size_t message_bytes, uint8_t *tag);

/* JM_OK if the first expected_bytes of the message's tag are those at `expected`.
 * Errors: JM_ERR_TAG if they are not; JM_ERR_TAG_BYTES, and nothing is compared, unless
 * jm_mac_tag_bytes_min <= expected_bytes <= jm_mac_tag_bytes. The time does not tell how many
 * bytes agree. */
JM_API jm_status jm_mac_verify(const jm_mac *mac, const jm_mac_key *key, const uint8_t *message,
                               size_t message_bytes, const uint8_t *expected,
                               size_t expected_bytes);

/* ---- A message in pieces ---- */

/* Allocates a stream and begins it. The key must outlive the stream. *stream is the caller's, to be
 * given to jm_mac_stream_free, and NULL after an error. Errors: JM_ERR_MEMORY. */
JM_API jm_status jm_mac_stream_new(const jm_mac *mac, const jm_mac_key *key,
                                   jm_mac_stream **stream);

/* Wipes and frees a stream of jm_mac_stream_new, finished or not. `stream` may be NULL. */
JM_API void jm_mac_stream_free(const jm_mac *mac, jm_mac_stream *stream);

/* The same for a stream in the caller's memory: jm_mac_stream_bytes, aligned to JM_STATE_ALIGN. A
 * stream that was begun is ended by exactly one call of finish, verify or abandon, which wipe it.
 * Then it may be begun again, also if jm_mac_stream_new made it. Errors: JM_ERR_ALIGNMENT. */
JM_API size_t jm_mac_stream_bytes(const jm_mac *mac);
JM_API jm_status jm_mac_stream_begin(const jm_mac *mac, jm_mac_stream *stream,
                                     const jm_mac_key *key);

/* Absorbs the next piece, of any length. */
JM_API jm_status jm_mac_stream_update(const jm_mac *mac, jm_mac_stream *stream,
                                      const uint8_t *message, size_t message_bytes);

/* As jm_mac_tag and jm_mac_verify, for the message that was absorbed. The stream has ended after
 * JM_ERR_TAG_BYTES too. */
JM_API jm_status jm_mac_stream_finish(const jm_mac *mac, jm_mac_stream *stream, uint8_t *tag);
JM_API jm_status jm_mac_stream_verify(const jm_mac *mac, jm_mac_stream *stream,
                                      const uint8_t *expected, size_t expected_bytes);
JM_API void jm_mac_stream_abandon(const jm_mac *mac, jm_mac_stream *stream);

/* ---- Many messages ---- */

/* The most stack that jm_mac_tag_batch and jm_mac_verify_batch take, for any batch. It matters
 * where threads have small stacks. */
#define JM_MAC_BATCH_STACK_BYTES (128u * 1024u)

/* Tags `count` (0 allowed; `messages` may then be NULL) messages in one call: the tags are those
 * that jm_mac_tag gives, in less time. A jm_mac_message (joulemark/kernel.h) holds a key and a
 * message, both of which may be shared, and the address of the whole tag; tags may not overlap.
 * Lengths may differ; equal lengths, and 32 messages or more, are fastest. After an error all tags
 * are unspecified. */
JM_API jm_status jm_mac_tag_batch(const jm_mac *mac, const jm_mac_message *messages, size_t count);

/* A message to be checked. */
typedef struct jm_mac_claim {
    const jm_mac_key *key;
    const uint8_t *message;
    size_t message_bytes;
    const uint8_t *expected; /* expected_bytes of the call */
} jm_mac_claim;

/* Checks `count` (0 allowed; pointers may then be NULL) messages in one call. authentic[i] becomes
 * true if message i's tag begins with the expected_bytes at claims[i].expected, else false.
 * JM_OK if all are authentic. Errors: JM_ERR_TAG if one or more are not; any other error
 * (JM_ERR_TAG_BYTES as for jm_mac_verify) makes all of authentic[] false. */
JM_API jm_status jm_mac_verify_batch(const jm_mac *mac, const jm_mac_claim *claims, size_t count,
                                     size_t expected_bytes, bool *authentic);

#ifdef __cplusplus
}
#endif
#endif
