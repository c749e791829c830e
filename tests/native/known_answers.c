/* SPDX-License-Identifier: Apache-2.0
 * Known answers: an implementation that is wrong in one way only is found, and joulemark/mac.h does
 * not offer it. The functions of joulemark/mac.h are compiled here again, over a plugin in which
 * the test plants wrong implementations. */
#include "joulemark/kernel.h"

static const jm_plugin *planted_plugin(void);
#define jm_builtin_plugin planted_plugin
#include "mac/mac.c"
#undef jm_builtin_plugin

#include <stdio.h>

enum { MOST = 16 };
static jm_implementation planted[MOST];
static jm_mac_functions functions[MOST];
static const jm_implementation *shown[MOST];
static jm_plugin plugin;
static int failures;

static const jm_plugin *planted_plugin(void) {
    return &plugin;
}

static void expect(bool holds, const char *what) {
    if (holds) return;
    printf("not so: %s\n", what);
    failures++;
}

/* A copy of HMAC-SHA1 under another name, with its own functions. */
static size_t plant(const char *variant, const char *of) {
    const jm_plugin *ours = jm_builtin_plugin();
    const size_t at = plugin.count++;
    for (size_t i = 0; i < ours->count; i++) {
        const jm_implementation *implementation = ours->implementations[i];
        if (strcmp(implementation->algorithm, "hmac-sha1") || strcmp(implementation->variant, of))
            continue;
        planted[at] = *implementation;
        functions[at] = *implementation->mac;
    }
    planted[at].variant = variant;
    planted[at].mac = &functions[at];
    shown[at] = &planted[at];
    plugin.implementations = shown;
    return at;
}

static const jm_mac_functions *right(void) {
    return &functions[0];
}

static jm_status wrong_tag(const jm_implementation *self, const void *key, const uint8_t *message,
                           size_t bytes, uint8_t *tag) {
    const jm_status status = right()->tag(self, key, message, bytes, tag);
    if (bytes > 64) tag[19] ^= 1; /* short messages stay right */
    return status;
}

static jm_status wrong_finish(const jm_implementation *self, void *stream, uint8_t *tag) {
    const jm_status status = right()->stream_finish(self, stream, tag);
    if (tag) tag[0] ^= 0x80;
    return status;
}

/* Right but for one lane of many. */
static jm_status wrong_batch(const jm_implementation *self, const jm_mac_message *messages,
                             size_t count) {
    for (size_t i = 0; i < count; i++)
        right()->tag(self, messages[i].key_state, messages[i].message, messages[i].message_bytes,
                     messages[i].tag);
    messages[count - 1].tag[7] ^= 4;
    return JM_OK;
}

int main(void) {
    const size_t portable = plant("portable", "portable");
    const size_t tag = plant("wrong_tag", "portable");
    const size_t stream = plant("wrong_stream", "portable");
    const size_t batch = plant("wrong_batch", "portable");
    functions[tag].tag = wrong_tag;
    functions[stream].stream_finish = wrong_finish;
    functions[batch].tag_batch = wrong_batch;
    planted[batch].lanes = 8;
    expect(jm_gives_known_answer(&planted[portable]), "a copy is right");
    expect(!jm_gives_known_answer(&planted[tag]), "a wrong tag is found");
    expect(!jm_gives_known_answer(&planted[stream]), "a wrong stream is found");
    expect(!jm_gives_known_answer(&planted[batch]), "a wrong lane is found");

    expect(!jm_mac_find("hmac-sha1"), "an algorithm without an engine is not offered");
    const size_t engine = plant("engine", "portable");
    planted[engine].lanes = 8; /* it would choose the wrong lanes */
    expect(jm_mac_find("hmac-sha1") == &planted[portable],
           "beside a wrong variant a right one with a single lane takes the engine's place");
    expect(jm_mac_find_variant("hmac-sha1", "portable") == &planted[portable], "right: offered");
    expect(!jm_mac_find_variant("hmac-sha1", "wrong_tag"), "a wrong tag is not offered");
    expect(!jm_mac_find_variant("hmac-sha1", "wrong_stream"), "nor a wrong stream");
    expect(!jm_mac_find_variant("hmac-sha1", "wrong_batch"), "nor a wrong lane");
    planted[tag].cpu_features = planted[stream].cpu_features = planted[batch].cpu_features =
        UINT32_C(1) << (JM_CPU_FEATURE_COUNT - 1);
    if (!(jm_cpu_features() & planted[tag].cpu_features))
        expect(jm_mac_find("hmac-sha1") == &planted[engine],
               "what needs another CPU takes no engine's place");
    planted[portable].algorithm = "hmac-unknown";
    expect(!jm_gives_known_answer(&planted[portable]), "no algorithm without an answer is right");
    return failures != 0;
}
