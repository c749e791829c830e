/* SPDX-License-Identifier: Apache-2.0
 * A MAC that does nothing: its cost is the cost of the loop, the call and the return. */
#include "loop.h"

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    (void)self, (void)key_state, (void)key, (void)key_bytes;
    return JM_OK;
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    (void)self, (void)to, (void)from;
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    (void)self, (void)key_state;
}

static jm_status tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                     size_t message_bytes, uint8_t *output) {
    (void)self, (void)key_state, (void)message, (void)message_bytes, (void)output;
    return JM_OK;
}

static const jm_mac_functions functions = {
    .set_key = set_key,
    .copy_key = copy_key,
    .wipe_key = wipe_key,
    .tag = tag,
};

const jm_implementation jm_loop_nothing = {
    .algorithm = "nothing",
    .variant = "loop",
    .note = "an empty call: the loop's own cost",
    .kind = JM_KIND_MAC,
    .lanes = 1,
    .block_bytes = 1,
    .output_bytes = 8,
    .key_bytes_max = SIZE_MAX,
    .mac = &functions,
};
