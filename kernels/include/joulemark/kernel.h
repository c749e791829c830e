/* SPDX-License-Identifier: Apache-2.0
 *
 * The one interface between Joulemark and code that hashes, encrypts or authenticates.
 *
 * Every variant - our own kernel, an outside library, a user's plugin - exports one constant
 * `jm_implementation` for each algorithm it serves (a hash and the HMAC over it): its facts and
 * its functions. All else in its file is `static`.
 *
 * Rules shared by every function below (a declaration repeats only its exceptions):
 *   - Sizes are in bytes. A message of zero bytes is valid everywhere and its pointer may then be
 *     NULL. Messages may exceed 4 GiB: no function may narrow `size_t`. An outside library that
 *     cannot take some length refuses it with JM_ERR_MESSAGE_BYTES; no other code stands in for the
 *     library.
 *   - Inputs are not written. An output buffer may not overlap an input or a state, unless a
 *     declaration allows it. No buffer but a state has an alignment requirement.
 *   - State memory belongs to the caller: at least the stated number of bytes, aligned to
 *     JM_STATE_ALIGN. Our own kernels' states hold no pointers and may be copied byte for byte.
 *     A provider's state may own heap memory, so portable callers use `copy_key` and `wipe_key`.
 *   - Functions return JM_OK or one of the codes below. After an error the output buffer's
 *     contents are unspecified, no key material has been written to it, and a state being set up
 *     needs no wiping.
 *   - The functions of our own MACs leave no secret on the stack or in registers, and refuse a key
 *     state that was wiped or is another algorithm's, and a stream that has ended
 *     (joulemark/mac.h). The functions of our
 *     hashes and ciphers, which are parts of MACs, leave both to their caller.
 *   - `self` is the jm_implementation that holds the function, so that one function can serve many
 *     variants.
 *   - One state may be used by one thread at a time.
 */
#ifndef JOULEMARK_KERNEL_H
#define JOULEMARK_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks a declaration that the C library (libjoulemark.so) exports. */
#if defined(_WIN32) && defined(JM_BUILDING_LIBRARY)
#define JM_API __declspec(dllexport)
#elif defined(_WIN32)
#define JM_API
#else
#define JM_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define JM_ABI_VERSION 4u
/* Still loaded: interface 2 has no nonces, 3 has no `lacks`, and no member has moved since. */
#define JM_ABI_VERSION_MIN 2u
/* A build for a machine without an operating system (firmware/) defines JM_FREESTANDING: such a
 * machine has little memory, and no vectors or cache lines that need a larger alignment. */
#if defined(JM_FREESTANDING)
#define JM_STATE_ALIGN __BIGGEST_ALIGNMENT__
#else
#define JM_STATE_ALIGN 64u
#endif
#define JM_OUTPUT_BYTES_MAX 64u
/* Marks a member of a table that may be left out, which makes it 0 or NULL. Members that serve one
 * purpose, such as streams, are left out together. `joulemark new plugin` reads these marks. */
#define JM_OPTIONAL

typedef enum jm_status {
    JM_OK = 0,
    JM_ERR_KEY_BYTES = 1,     /* the key's length is not one this implementation takes */
    JM_ERR_LIBRARY = 2,       /* the outside library reported a failure */
    JM_ERR_MEMORY = 3,        /* an allocation failed */
    JM_ERR_MESSAGE_BYTES = 4, /* an outside library does not take messages of this length */
    JM_ERR_TAG = 5,           /* joulemark/mac.h: a message's tag is not the expected one */
    JM_ERR_TAG_BYTES = 6,     /* joulemark/mac.h: no tag of this length is accepted */
    JM_ERR_ENDED = 7,         /* the key or stream is wiped, not set or another algorithm's */
    JM_ERR_NONCE_BYTES = 8,   /* the nonce's length is not one this implementation takes */
    JM_ERR_ALIGNMENT = 9,     /* joulemark/mac.h: memory for a state is not aligned */
} jm_status;

/* Features of this CPU. kernels/common/cpu.c is the only file that queries the CPU. */
#define JM_CPU_SSSE3 (UINT32_C(1) << 0)
#define JM_CPU_SSE41 (UINT32_C(1) << 1)
#define JM_CPU_AESNI (UINT32_C(1) << 2)
#define JM_CPU_PCLMUL (UINT32_C(1) << 3)
#define JM_CPU_SHANI (UINT32_C(1) << 4)
#define JM_CPU_AVX2 (UINT32_C(1) << 5)
#define JM_CPU_BMI2 (UINT32_C(1) << 6)     /* and BMI1: no CPU has one without the other */
#define JM_CPU_AVX512 (UINT32_C(1) << 7)   /* F, BW, DQ and VL together */
#define JM_CPU_VAES (UINT32_C(1) << 8)     /* on 512-bit registers: needs AVX512 as well */
#define JM_CPU_GFNI (UINT32_C(1) << 9)     /* on 512-bit registers: needs AVX512 as well */
#define JM_CPU_IFMA (UINT32_C(1) << 10)    /* on 512-bit registers: needs AVX512 as well */
#define JM_CPU_VPCLMUL (UINT32_C(1) << 11) /* on 512-bit registers: needs AVX512 as well */
#define JM_CPU_FEATURE_COUNT 12u

/* Features that both the CPU and the operating system (saved registers) provide. The CPU is queried
 * once in a process. The value is 0 on architectures without a probe. Any thread may call this. */
JM_API uint32_t jm_cpu_features(void);

/* Upper-case name of feature number `index` (bit 1 << index), or NULL past the last. */
JM_API const char *jm_cpu_feature_name(unsigned index);

/* How the time of an implementation depends on secrets: keys, messages, tags. */
typedef enum jm_timing {
    JM_TIMING_UNKNOWN = 0,  /* no claim: nobody has checked it */
    JM_TIMING_CONSTANT = 1, /* claimed: no branch or address depends on secrets; checked */
    JM_TIMING_VARIABLE = 2, /* a branch or address depends on secrets, or table look-ups do */
} jm_timing;

typedef enum jm_kind { JM_KIND_HASH = 1, JM_KIND_MAC = 2, JM_KIND_CIPHER = 3 } jm_kind;

typedef struct jm_implementation jm_implementation;

/* A hash function: `state` holds hash.state_bytes. Without `init` it takes only whole messages. */
typedef struct jm_hash_functions {
    JM_OPTIONAL size_t state_bytes;
    JM_OPTIONAL jm_status (*init)(const jm_implementation *self, void *state);
    JM_OPTIONAL jm_status (*update)(const jm_implementation *self, void *state,
                                    const uint8_t *message, size_t message_bytes);
    /* Writes output_bytes to `digest` and wipes the state. */
    JM_OPTIONAL jm_status (*final)(const jm_implementation *self, void *state, uint8_t *digest);
    jm_status (*digest)(const jm_implementation *self, const uint8_t *message, size_t message_bytes,
                        uint8_t *digest);
} jm_hash_functions;

/* One message of a batch: the arguments of `tag`, as data. Messages of one batch may have any
 * lengths; their key states may be one or many, all set up by the same `self`; message and key
 * memory may be shared between them, tags may not overlap. */
typedef struct jm_mac_message {
    const void *key_state;
    const uint8_t *message;
    size_t message_bytes;
    uint8_t *tag; /* output_bytes are written */
} jm_mac_message;

/* A message authentication code. The key set-up (HMAC midstates, CMAC subkeys) is an explicit
 * state of key_state_bytes that the caller keeps, copies and wipes. */
typedef struct jm_mac_functions {
    size_t key_state_bytes;
    /* 0: this implementation offers no stream; the stream_ functions are NULL. */
    JM_OPTIONAL size_t stream_bytes;
    jm_status (*set_key)(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes);
    /* Makes `to` (uninitialised memory) an independent copy of `from`. */
    jm_status (*copy_key)(const jm_implementation *self, void *to, const void *from);
    /* Erases the key state and releases what it owns. Not to be called twice. */
    void (*wipe_key)(const jm_implementation *self, void *key_state);
    /* Writes output_bytes to `tag`; the key state stays usable. */
    jm_status (*tag)(const jm_implementation *self, const void *key_state, const uint8_t *message,
                     size_t message_bytes, uint8_t *tag);
    /* A stream is begun from a key state, fed any number of times, and finished once. The key
     * state must outlive it. `stream_finish` writes the tag, wipes the stream and releases what
     * it owns; passing tag == NULL abandons the stream and only wipes it. */
    JM_OPTIONAL jm_status (*stream_begin)(const jm_implementation *self, void *stream,
                                          const void *key_state);
    JM_OPTIONAL jm_status (*stream_update)(const jm_implementation *self, void *stream,
                                           const uint8_t *message, size_t message_bytes);
    JM_OPTIONAL jm_status (*stream_finish)(const jm_implementation *self, void *stream,
                                           uint8_t *tag);
    /* Tags `count` (0 allowed) messages in one call; the same tags as `tag` gives one by one. NULL:
     * this implementation takes one message at a time. After an error all tags are unspecified.
     * It allocates nothing, and order and lengths alone decide its branches. */
    JM_OPTIONAL jm_status (*tag_batch)(const jm_implementation *self,
                                       const jm_mac_message *messages, size_t count);
    /* For a MAC that needs another nonce for each message (nonce_bytes_max is not 0; otherwise this
     * member is not read): copies the nonce of the next message into the key state, where it stays
     * until the next call. After `set_key` the nonce is nonce_bytes zeros. The caller must not use
     * a nonce twice under one key. Such a MAC has no `tag_batch`. Since interface 3. */
    JM_OPTIONAL jm_status (*set_nonce)(const jm_implementation *self, void *key_state,
                                       const uint8_t *nonce, size_t nonce_bytes);
} jm_mac_functions;

/* A block cipher in the encryption direction, which is all that CMAC needs. */
typedef struct jm_cipher_functions {
    size_t schedule_bytes;
    jm_status (*set_key)(const jm_implementation *self, void *schedule, const uint8_t *key,
                         size_t key_bytes);
    void (*wipe_key)(const jm_implementation *self, void *schedule);
    /* Encrypts `blocks` independent blocks. `out` may equal `in`. */
    void (*encrypt)(const jm_implementation *self, const void *schedule, const uint8_t *in,
                    uint8_t *out, size_t blocks);
    /* CBC-MAC step: chain = E(chain ^ block) for each of `blocks` blocks in turn. */
    void (*chain)(const jm_implementation *self, const void *schedule, uint8_t *chain,
                  const uint8_t *in, size_t blocks);
} jm_cipher_functions;

struct jm_implementation {
    const char *algorithm; /* catalogue id, for example "hmac-sha256" */
    const char *variant;   /* technique, width, lanes: "portable", "shani", "openssl_reinit" */
    JM_OPTIONAL const char *note; /* one sentence for `joulemark show`, or NULL */
    jm_kind kind;
    /* JM_CPU_ bits without which this must not be called. */
    JM_OPTIONAL uint32_t cpu_features;
    uint32_t lanes; /* messages processed at once; 1 for all single-message code */
    /* A jm_timing. It was a bool, whose false and true have the same values. */
    JM_OPTIONAL uint8_t constant_time;
    /* Lengths of a nonce, and the length used when none is asked for; all 0 for an algorithm
     * without nonces. Since interface 3: these bytes were padding before, and so are 0 in tables of
     * interface 2. */
    JM_OPTIONAL uint8_t nonce_bytes_min, nonce_bytes_max, nonce_bytes;
    size_t block_bytes;               /* input block of the primitive */
    size_t output_bytes;              /* digest, tag or cipher block; at most JM_OUTPUT_BYTES_MAX */
    JM_OPTIONAL size_t key_bytes_min; /* 0 for hashes */
    JM_OPTIONAL size_t key_bytes_max; /* SIZE_MAX where the mode takes any length */
    JM_OPTIONAL size_t key_bytes;     /* the length used when none is asked for */
    /* Exactly one of hash, mac, cipher is not NULL. */
    JM_OPTIONAL const jm_hash_functions *hash;
    JM_OPTIONAL const jm_mac_functions *mac;
    JM_OPTIONAL const jm_cipher_functions *cipher;
    JM_OPTIONAL const void *over; /* what a mode is built on; private to the variant's own files */
    JM_OPTIONAL uint64_t live;    /* the mark of live states; private to the variant's own files */
};

/* An implementation that a provider has code for, and that the library loaded now does not offer:
 * it was left out when the library was built, came with a later version, or is gone. It is listed
 * as unavailable, and never called. */
typedef struct jm_lack {
    const char *algorithm, *variant;
    const char *reason; /* for people, without a capital at the start and a full stop */
} jm_lack;

/* A set of implementations: our own kernels, or a shared object that exports
 *     const jm_plugin *joulemark_plugin(void);
 * The pointers stay valid until the shared object is unloaded. */
typedef struct jm_plugin {
    uint32_t abi_version;                 /* JM_ABI_VERSION it was compiled against */
    const char *provider;                 /* "joulemark", "openssl", ... */
    const char *(*library_version)(void); /* of the library loaded now, not of its headers */
    const char *compiler;                 /* name and version that built this code */
    const char *flags;                    /* compiler flags that built this code */
    size_t count;
    const jm_implementation *const *implementations;
    /* Implementations that the loaded library lacks; none of them is in `implementations`. Since
     * interface 4. */
    JM_OPTIONAL size_t lack_count;
    JM_OPTIONAL const jm_lack *lacks;
} jm_plugin;

typedef const jm_plugin *(*jm_plugin_entry)(void);
#define JM_PLUGIN_ENTRY "joulemark_plugin"

/* A plugin whose key states change while a tag is computed, as the contexts of some libraries do,
 * exports `const int joulemark_keys_change`. A key of it serves one thread at a time. The states of
 * all other plugins are held to be constant. */
#define JM_KEYS_CHANGE_ENTRY "joulemark_keys_change"

/* Our own kernels (kernels/registry.c). */
JM_API const jm_plugin *jm_builtin_plugin(void);

#ifdef __cplusplus
}
#endif
#endif
