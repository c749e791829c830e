/* SPDX-License-Identifier: Apache-2.0
 *
 * One loop, written once and inlined with constant arguments into a function for every kind of
 * work and order of messages, so that no choice is left inside the timed code.
 *
 * Every call goes through a function pointer read from a table the compiler cannot see, so no call
 * can be hoisted, merged or removed; tests/native/loop_survives.c counts the calls. Values that do
 * not change from message to message are held in locals; `joulemark doctor` measures the cost of
 * the loop alone and with an empty call in it. Unrolling was tried and made the empty call dearer:
 * two calls and their returns in one cache line get in each other's way.
 *
 * In latency windows the next message's address is message + (first 8 output bytes & zero). The
 * zero passes through an empty asm, so the compiler must do the load, the AND and the addition,
 * and the core cannot start on a message before the last output is in its store buffer.
 */
#include "windows.h"

#include "common/words.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef enum work { HASH, MAC, MAC_FRESH_KEY, MAC_NONCE, CIPHER, CIPHER_FRESH_KEY, NOTHING } work;

static jm_status mac_with_fresh_key(const jm_window *w, const uint8_t *message) {
    const jm_mac_functions *mac = w->self->mac;
    jm_status status = mac->set_key(w->self, w->fresh_state, w->key, w->key_bytes);
    if (status != JM_OK) return status;
    if (w->nonce) status = jm_next_nonce(w, w->fresh_state);
    status |= mac->tag(w->self, w->fresh_state, message, w->message_bytes, w->output);
    mac->wipe_key(w->self, w->fresh_state);
    return status;
}

static jm_status cipher_with_fresh_key(const jm_window *w, const uint8_t *message) {
    const jm_cipher_functions *cipher = w->self->cipher;
    jm_status status = cipher->set_key(w->self, w->fresh_state, w->key, w->key_bytes);
    if (status != JM_OK) return status;
    cipher->encrypt(w->self, w->fresh_state, message, w->output,
                    w->message_bytes / w->self->block_bytes);
    cipher->wipe_key(w->self, w->fresh_state);
    return JM_OK;
}

ALWAYS_INLINE unsigned loop(const jm_window *w, uint64_t messages, work kind, bool latency,
                            bool scattered) {
    const jm_implementation *const self = w->self;
    const jm_hash_functions hash = kind == HASH ? *self->hash : (jm_hash_functions){0};
    const bool one_mac = kind == MAC || kind == MAC_NONCE;
    const jm_mac_functions mac = one_mac ? *self->mac : (jm_mac_functions){0};
    const jm_cipher_functions cipher = kind == CIPHER ? *self->cipher : (jm_cipher_functions){0};
    const void *const key_state = w->key_state;
    const uint64_t *const offsets = w->offsets;
    const size_t message_bytes = w->message_bytes;
    const size_t blocks = kind == CIPHER ? message_bytes / self->block_bytes : 0;
    uint8_t *const output = w->output;
    uint64_t zero = 0;
    __asm__ volatile("" : "+r"(zero));
    unsigned status = 0;
    for (uint64_t i = 0; i < messages; i++) {
        const uint8_t *message = w->message;
        if (scattered) message += offsets[i];
        if (latency) message += load_le64(output) & zero;
        if (kind == HASH) status |= hash.digest(self, message, message_bytes, output);
        if (kind == MAC_NONCE) status |= jm_next_nonce(w, w->key_state);
        if (one_mac) status |= mac.tag(self, key_state, message, message_bytes, output);
        if (kind == CIPHER) cipher.encrypt(self, key_state, message, output, blocks);
        if (kind == MAC_FRESH_KEY) status |= mac_with_fresh_key(w, message);
        if (kind == CIPHER_FRESH_KEY) status |= cipher_with_fresh_key(w, message);
        if (kind == NOTHING) __asm__ volatile("" : : "r"(message), "r"(output) : "memory");
    }
    return status;
}

#define DEFINE_WINDOWS(name, kind)                                                                 \
    static unsigned name##_independent(const jm_window *w, uint64_t messages) {                    \
        return loop(w, messages, kind, false, false);                                              \
    }                                                                                              \
    static unsigned name##_dependent(const jm_window *w, uint64_t messages) {                      \
        return loop(w, messages, kind, true, false);                                               \
    }                                                                                              \
    static unsigned name##_scattered(const jm_window *w, uint64_t messages) {                      \
        return loop(w, messages, kind, false, true);                                               \
    }                                                                                              \
    static unsigned name##_scattered_dependent(const jm_window *w, uint64_t messages) {            \
        return loop(w, messages, kind, true, true);                                                \
    }                                                                                              \
    static const jm_window_function name##_windows[2][2] = {                                       \
        {name##_independent, name##_scattered},                                                    \
        {name##_dependent, name##_scattered_dependent},                                            \
    };

DEFINE_WINDOWS(hash, HASH)
DEFINE_WINDOWS(mac, MAC)
DEFINE_WINDOWS(mac_fresh, MAC_FRESH_KEY)
DEFINE_WINDOWS(mac_nonce, MAC_NONCE)
DEFINE_WINDOWS(cipher, CIPHER)
DEFINE_WINDOWS(cipher_fresh, CIPHER_FRESH_KEY)

unsigned jm_window_without_call(const jm_window *w, uint64_t messages) {
    return loop(w, messages, NOTHING, false, false);
}

jm_window_function jm_window_for(const jm_implementation *self, bool fresh_key, bool latency,
                                 bool scattered) {
    const jm_kind kind = self->kind;
    if (kind == JM_KIND_MAC && self->nonce_bytes_max && !fresh_key)
        return mac_nonce_windows[latency][scattered];
    if (kind == JM_KIND_HASH) return hash_windows[latency][scattered];
    if (kind == JM_KIND_MAC)
        return (fresh_key ? mac_fresh_windows : mac_windows)[latency][scattered];
    return (fresh_key ? cipher_fresh_windows : cipher_windows)[latency][scattered];
}
