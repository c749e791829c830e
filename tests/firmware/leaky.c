/* SPDX-License-Identifier: Apache-2.0
 *
 * A MAC that breaks the rules for kernels: its set-up leaves the key on the stack; its tag takes
 * longer for each bit of the key's first byte, and leaves that byte in a register. Its streams
 * leave the key on the stack too, and neither stream nor key is wiped. */
#include "joulemark/kernel.h"

#include <string.h>

enum { KEY_BYTES = 16 };

#if defined(__AVR__)
#define LEAVE(byte) __asm__ volatile("mov r18, %0" : : "r"(byte) : "r18")
#define KEEPS_REGISTERS
#else
#define LEAVE(byte) __asm__ volatile("mov r2, %0" : : "r"((uint32_t)(byte)) : "r2")
#define KEEPS_REGISTERS __attribute__((zero_call_used_regs("skip")))
#endif

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    volatile uint8_t copy[KEY_BYTES];
    (void)self;
    for (size_t i = 0; i < KEY_BYTES; i++) copy[i] = key[i];
    memcpy(key_state, (const uint8_t *)copy, key_bytes);
    return JM_OK;
}

KEEPS_REGISTERS static jm_status make_tag(const jm_implementation *self, const void *key_state,
                                          const uint8_t *message, size_t message_bytes,
                                          uint8_t *tag) {
    const uint8_t first = *(const uint8_t *)key_state;
    (void)self, (void)message, (void)message_bytes;
    memcpy(tag, key_state, KEY_BYTES);
    for (uint8_t bits = first; bits; bits >>= 1)
        if (bits & 1) __asm__ volatile("nop\n\tnop");
    LEAVE(first);
    return JM_OK;
}

static jm_status begin(const jm_implementation *self, void *stream, const void *key_state) {
    return set_key(self, stream, key_state, KEY_BYTES);
}

static jm_status update(const jm_implementation *self, void *stream, const uint8_t *message,
                        size_t message_bytes) {
    (void)self, (void)stream, (void)message, (void)message_bytes;
    return JM_OK;
}

static jm_status finish(const jm_implementation *self, void *stream, uint8_t *tag) {
    (void)self;
    memcpy(tag, stream, KEY_BYTES);
    return JM_OK;
}

static void keep(const jm_implementation *self, void *key_state) {
    (void)self, (void)key_state;
}

static const jm_mac_functions functions = {
    .key_state_bytes = KEY_BYTES,
    .stream_bytes = KEY_BYTES,
    .set_key = set_key,
    .wipe_key = keep,
    .tag = make_tag,
    .stream_begin = begin,
    .stream_update = update,
    .stream_finish = finish,
};
extern const jm_implementation jm_leaky_planted;
const jm_implementation jm_leaky_planted = {
    .algorithm = "leaky",
    .variant = "planted",
    .kind = JM_KIND_MAC,
    .constant_time = true,
    .output_bytes = KEY_BYTES,
    .key_bytes = KEY_BYTES,
    .mac = &functions,
};
