/* SPDX-License-Identifier: Apache-2.0
 * A plugin whose library offers one implementation and lacks the others: each variant is named
 * after the step at which it refuses, or after the way in which its first call ends.
 * `providers/offered.h` must tell all of them apart without harm to the process that loads the
 * plugin. */
#define JM_TRIAL_LIMIT_S 1u
#include "../../providers/offered.h"
#include "siphash/siphash.h"

static bool is(const jm_implementation *self, const char *variant) {
    return strcmp(self->variant, variant) == 0;
}

#define RIGHT (jm_siphash_2_4_portable.mac)

static jm_status set_key(const jm_implementation *self, void *state, const uint8_t *key,
                         size_t bytes) {
    if (is(self, "no_key")) return JM_ERR_LIBRARY;
    return RIGHT->set_key(&jm_siphash_2_4_portable, state, key, bytes);
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    if (is(self, "no_copy")) return JM_ERR_LIBRARY;
    return RIGHT->copy_key(&jm_siphash_2_4_portable, to, from);
}

static void wipe_key(const jm_implementation *self, void *state) {
    (void)self;
    RIGHT->wipe_key(&jm_siphash_2_4_portable, state);
}

static jm_status set_nonce(const jm_implementation *self, void *state, const uint8_t *nonce,
                           size_t bytes) {
    (void)self, (void)state, (void)nonce, (void)bytes;
    return JM_ERR_LIBRARY;
}

/* A function that a library declares, and does not have. */
static jm_status (*volatile nowhere)(void);

static jm_status tag(const jm_implementation *self, const void *state, const uint8_t *message,
                     size_t bytes, uint8_t *output) {
    if (is(self, "crashes")) return nowhere();
    if (is(self, "aborts")) abort();
    if (is(self, "exits")) _exit(0);
    if (is(self, "hangs"))
        for (;;) pause();
    if (is(self, "no_message")) return JM_ERR_LIBRARY;
    return RIGHT->tag(&jm_siphash_2_4_portable, state, message, bytes, output);
}

static jm_status tag_batch(const jm_implementation *self, const jm_mac_message *messages,
                           size_t count) {
    jm_status status = is(self, "no_batch") ? JM_ERR_LIBRARY : JM_OK;
    for (size_t i = 0; i < count && status == JM_OK; i++)
        status = tag(self, messages[i].key_state, messages[i].message, messages[i].message_bytes,
                     messages[i].tag);
    return status;
}

static jm_status stream_begin(const jm_implementation *self, void *stream, const void *state) {
    if (is(self, "no_stream")) return JM_ERR_LIBRARY;
    return RIGHT->stream_begin(&jm_siphash_2_4_portable, stream, state);
}

static jm_status stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                               size_t bytes) {
    (void)self;
    return RIGHT->stream_update(&jm_siphash_2_4_portable, stream, message, bytes);
}

static jm_status stream_finish(const jm_implementation *self, void *stream, uint8_t *output) {
    (void)self;
    return RIGHT->stream_finish(&jm_siphash_2_4_portable, stream, output);
}

static const char *version(void) {
    return "0.9";
}

__attribute__((visibility("default"))) const jm_plugin *joulemark_plugin(void);
const jm_plugin *joulemark_plugin(void) {
    static const char *const variants[] = {"no_key",    "no_copy",  "no_nonce", "no_message",
                                           "no_stream", "no_batch", "crashes",  "aborts",
                                           "hangs",     "exits",    "offered"};
    static jm_mac_functions functions, with_nonce;
    static jm_implementation tables[JM_COUNT(variants)];
    static jm_plugin plugin = {.abi_version = JM_ABI_VERSION,
                               .provider = "lacking",
                               .library_version = version,
                               .compiler = "test",
                               .flags = ""};
    const jm_implementation *all[JM_COUNT(variants)];
    functions = (jm_mac_functions){
        RIGHT->key_state_bytes, RIGHT->stream_bytes, set_key,       copy_key,  wipe_key, tag,
        stream_begin,           stream_update,       stream_finish, tag_batch, NULL};
    with_nonce = functions;
    with_nonce.tag_batch = NULL;
    with_nonce.set_nonce = set_nonce;
    for (size_t i = 0; i < JM_COUNT(variants); i++) {
        tables[i] = jm_siphash_2_4_portable;
        tables[i].variant = variants[i];
        tables[i].mac = &functions;
        all[i] = &tables[i];
        if (!is(all[i], "no_nonce")) continue;
        tables[i].nonce_bytes_min = tables[i].nonce_bytes_max = tables[i].nonce_bytes = 8;
        tables[i].mac = &with_nonce;
    }
    jm_gather(&plugin, all, JM_COUNT(all), NULL);
    return &plugin;
}
