/* SPDX-License-Identifier: Apache-2.0
 * The compiler and the linker must not remove, merge or hoist a measured call: every window of
 * every kind makes exactly as many calls as messages, with the right arguments, in every mode. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cache_flush.h"
#include "clock/clock.h"
#include "loop.h"

static uint64_t calls, set_keys, wipes, wrong_arguments;
static size_t expected_bytes;

static void look_at(const uint8_t *message, size_t bytes) {
    calls++;
    if (bytes != expected_bytes) wrong_arguments++;
    if (bytes &&
        (message[0] != jm_message_byte(0) || message[bytes - 1] != jm_message_byte(bytes - 1)))
        wrong_arguments++;
}

static jm_status digest(const jm_implementation *self, const uint8_t *message, size_t bytes,
                        uint8_t *output) {
    look_at(message, bytes);
    memset(output, (int)calls, self->output_bytes);
    return JM_OK;
}

static jm_status set_key(const jm_implementation *self, void *state, const uint8_t *key,
                         size_t key_bytes) {
    (void)self;
    set_keys++;
    if (key_bytes != 16) return JM_ERR_KEY_BYTES;
    memcpy(state, key, 16);
    return JM_OK;
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    (void)self;
    memcpy(to, from, 16);
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *state) {
    (void)self;
    memset(state, 0, 16);
    wipes++;
}

static jm_status tag(const jm_implementation *self, const void *state, const uint8_t *message,
                     size_t bytes, uint8_t *output) {
    if (memcmp(state, "0123456789abcdef", 16) != 0) wrong_arguments++;
    return digest(self, message, bytes, output);
}

static void encrypt(const jm_implementation *self, const void *schedule, const uint8_t *in,
                    uint8_t *out, size_t blocks) {
    (void)schedule;
    look_at(in, blocks * self->block_bytes);
    memset(out, (int)calls, blocks * self->block_bytes);
}

static const jm_hash_functions hash_functions = {.digest = digest};
static const jm_mac_functions mac_functions = {.key_state_bytes = 16,
                                               .set_key = set_key,
                                               .copy_key = copy_key,
                                               .wipe_key = wipe_key,
                                               .tag = tag};
static const jm_cipher_functions cipher_functions = {
    .schedule_bytes = 16, .set_key = set_key, .wipe_key = wipe_key, .encrypt = encrypt};

static const jm_implementation implementations[] = {
    {.algorithm = "count",
     .variant = "hash",
     .kind = JM_KIND_HASH,
     .block_bytes = 16,
     .output_bytes = 16,
     .hash = &hash_functions},
    {.algorithm = "count",
     .variant = "mac",
     .kind = JM_KIND_MAC,
     .block_bytes = 16,
     .output_bytes = 16,
     .mac = &mac_functions},
    {.algorithm = "count",
     .variant = "cipher",
     .kind = JM_KIND_CIPHER,
     .block_bytes = 16,
     .output_bytes = 16,
     .cipher = &cipher_functions},
};

static int check_window(const jm_implementation *implementation, size_t message_bytes, bool latency,
                        bool cold, bool fresh_key) {
    const jm_loop_request request = {
        .implementation = implementation,
        .key = (const uint8_t *)"0123456789abcdef",
        .key_bytes = 16,
        .key_count = 1,
        .batch = 1,
        .message_bytes = message_bytes,
        .latency = latency,
        .cold = cold,
        .fresh_key = fresh_key && implementation->kind != JM_KIND_HASH,
    };
    jm_loop *loop;
    jm_sample samples[3];
    const uint8_t *output;
    size_t output_bytes;
    expected_bytes = message_bytes;
    if (jm_loop_open(&request, &loop) != JM_LOOP_OK) return 1;
    calls = set_keys = wipes = wrong_arguments = 0;
    const uint64_t warm_up = 7, settle = 3, messages = 1667;
    const uint64_t all = warm_up + 2 * settle + 3 * messages;
    jm_visit visit;
    const uint64_t placements[] = {0xfffff, 0, 0x54321};
    const jm_visit_request visiting = {warm_up, settle, messages, placements, 3};
    int wrong = jm_loop_visit(loop, &visiting, samples, &visit) != JM_LOOP_OK;
    wrong |= calls != all || wrong_arguments != 0;
    uint64_t windows_ns = 0;
    for (int i = 0; i < 3; i++) {
        wrong |= samples[i].messages != messages || samples[i].wall_ns == 0;
        wrong |= samples[i].wall_ns == JM_NO_COUNTER;
        wrong |= i && samples[i].chain_ticks_before != samples[i - 1].chain_ticks_after;
        windows_ns += samples[i].wall_ns;
    }
    wrong |= visit.wall_ns == JM_NO_COUNTER || visit.wall_ns < windows_ns;
    wrong |= set_keys != (request.fresh_key ? calls : 0) || wipes != set_keys;
    wrong |= jm_loop_output(loop, &output, &output_bytes) != JM_LOOP_OK;
    wrong |= output_bytes != (implementation->kind == JM_KIND_CIPHER ? message_bytes : 16);
    wrong |= output[0] != (uint8_t)calls;
    jm_loop_close(loop);
    if (wrong)
        printf("%s, %zu bytes, latency %d, cold %d, fresh key %d: %" PRIu64 " calls of %" PRIu64
               ", %" PRIu64 " with wrong arguments\n",
               implementation->variant, message_bytes, latency, cold, fresh_key, calls, all,
               wrong_arguments);
    return wrong;
}

int main(void) {
    static const size_t sizes[] = {0, 16, 48, 4096};
    int failures = 0;
    for (size_t i = 0; i < 3; i++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            if (sizes[s] == 0 && implementations[i].kind == JM_KIND_CIPHER) continue;
            for (int bits = 0; bits < 8; bits++) {
                if ((bits & 2) && !jm_can_flush()) continue;
                failures +=
                    check_window(&implementations[i], sizes[s], bits & 1, bits & 2, bits & 4);
            }
        }
    if (!failures) printf("loop: every call was made\n");
    return failures != 0;
}
