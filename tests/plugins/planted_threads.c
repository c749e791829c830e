/* SPDX-License-Identifier: Apache-2.0
 * Our portable HMAC-SHA256, each variant with something that all threads share, to show that the
 * check finds it. The variants named `right` share nothing, or share it behind a lock. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "sha256/sha256.h"

#define STATE_BYTES 1024u

enum shared {
    NOTHING,
    OF_THREAD,  /* a scratch of each thread */
    LOCKED,     /* one scratch behind a lock */
    KEY,        /* the key is copied to one scratch before each tag */
    OUTPUT,     /* the tag is written to one buffer first */
    LAST_KEY,   /* the key used last stays in one state, and is copied there if it was another */
    SETTING_UP, /* set_key works in one scratch */
    COPYING,    /* copy_key does */
    STREAM,     /* all streams keep the bytes that wait in one buffer while they are updated */
    FINISH,     /* a stream's end works in one scratch */
    BATCH,      /* a batch's key does */
    LENGTH,     /* the length of the message waits in one number */
    LONG,       /* as KEY, for messages of more than 4096 bytes alone */
    TAIL,       /* as KEY, for messages that leave seven bytes behind whole words alone */
    UNALIGNED,  /* as KEY, for messages that begin at no multiple of eight alone */
    FLAG_FIRST, /* the first call fills a table, and says so before it does */
    ENTRY,      /* the table counts as filled once its second entry is */
    FLAG_LAST,  /* the first call says so once the table is filled */
    ONCE,       /* the first call fills the table behind pthread_once */
    BLOCKED,    /* the first call fills the table while no signal may come, as fork() does */
};

static const struct fault {
    const char *name;
    enum shared shared;
} faults[] = {
    {"right", NOTHING},
    {"right_thread_local", OF_THREAD},
    {"right_locked", LOCKED},
    {"threads_key", KEY},
    {"threads_output", OUTPUT},
    {"threads_last_key", LAST_KEY},
    {"threads_set_up", SETTING_UP},
    {"threads_copy", COPYING},
    {"threads_stream", STREAM},
    {"threads_finish", FINISH},
    {"threads_batch", BATCH},
    {"threads_length", LENGTH},
    {"threads_long", LONG},
    {"threads_tail", TAIL},
    {"threads_unaligned", UNALIGNED},
    {"threads_flag_first", FLAG_FIRST},
    {"threads_entry", ENTRY},
    {"right_flag_last", FLAG_LAST},
    {"right_once", ONCE},
    {"right_blocked", BLOCKED},
};
#define FAULTS (sizeof faults / sizeof *faults)

static const jm_implementation *const base = &jm_hmac_sha256_portable;
static _Alignas(64) uint8_t scratch[STATE_BYTES];
static _Thread_local _Alignas(64) uint8_t own_scratch[STATE_BYTES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The places of a tag's bytes: a table that is filled when it is first needed. */
static volatile uint8_t places[32];
static volatile bool filled;

static void fill(void) {
    for (unsigned i = 0; i < sizeof places; i++) places[i] = (uint8_t)i;
}

static jm_status tag_by_table(enum shared shared, const void *key_state, const uint8_t *message,
                              size_t bytes, uint8_t *output) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    uint8_t plain[32];
    if (shared == FLAG_FIRST && !filled) {
        filled = true;
        fill();
    }
    if (shared == ENTRY && !places[1]) fill();
    if (shared == FLAG_LAST && !filled) {
        fill();
        filled = true;
    }
    if (shared == ONCE) pthread_once(&once, fill);
    if (shared == BLOCKED && !filled) {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        fill();
        filled = true;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    const jm_status status = base->mac->tag(base, key_state, message, bytes, plain);
    for (unsigned i = 0; i < sizeof plain; i++) output[i] = plain[places[i]];
    return status;
}

static enum shared shared_by(const jm_implementation *self) {
    return ((const struct fault *)self->over)->shared;
}

static jm_status set_key(const jm_implementation *self, void *state, const uint8_t *key,
                         size_t bytes) {
    if (shared_by(self) != SETTING_UP) return base->mac->set_key(base, state, key, bytes);
    const jm_status status = base->mac->set_key(base, scratch, key, bytes);
    memcpy(state, scratch, base->mac->key_state_bytes);
    return status;
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    const size_t bytes = base->mac->key_state_bytes;
    if (shared_by(self) != COPYING) return base->mac->copy_key(base, to, from);
    memcpy(scratch, from, bytes);
    memcpy(to, scratch, bytes);
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *state) {
    (void)self;
    base->mac->wipe_key(base, state);
}

static jm_status tag_in(void *state, const void *key_state, const uint8_t *message, size_t bytes,
                        uint8_t *tag) {
    memcpy(state, key_state, base->mac->key_state_bytes);
    return base->mac->tag(base, state, message, bytes, tag);
}

static jm_status tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                     size_t bytes, uint8_t *output) {
    static const void *last;
    static uint8_t whole[32];
    static size_t length;
    jm_status status;
    const enum shared shared = shared_by(self);
    const bool is_special = (shared == LONG && bytes > 4096) ||
                            (shared == TAIL && bytes % 8 == 7) ||
                            (shared == UNALIGNED && (uintptr_t)message % 8 != 0);
    if (is_special) return tag_in(scratch, key_state, message, bytes, output);
    switch (shared) {
    case OF_THREAD:
        return tag_in(own_scratch, key_state, message, bytes, output);
    case LOCKED:
        pthread_mutex_lock(&lock);
        status = tag_in(scratch, key_state, message, bytes, output);
        pthread_mutex_unlock(&lock);
        return status;
    case KEY:
        return tag_in(scratch, key_state, message, bytes, output);
    case OUTPUT:
        status = base->mac->tag(base, key_state, message, bytes, whole);
        memcpy(output, whole, sizeof whole);
        return status;
    case LAST_KEY:
        if (__atomic_load_n(&last, __ATOMIC_RELAXED) != key_state)
            memcpy(scratch, key_state, base->mac->key_state_bytes);
        __atomic_store_n(&last, key_state, __ATOMIC_RELAXED);
        return base->mac->tag(base, scratch, message, bytes, output);
    case FLAG_FIRST:
    case ENTRY:
    case FLAG_LAST:
    case ONCE:
    case BLOCKED:
        return tag_by_table(shared, key_state, message, bytes, output);
    case LENGTH:
        __atomic_store_n(&length, bytes, __ATOMIC_RELAXED);
        return base->mac->tag(base, key_state, message, __atomic_load_n(&length, __ATOMIC_RELAXED),
                              output);
    default:
        return base->mac->tag(base, key_state, message, bytes, output);
    }
}

static jm_status stream_begin(const jm_implementation *self, void *stream, const void *key_state) {
    (void)self;
    return base->mac->stream_begin(base, stream, key_state);
}

static jm_status stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                               size_t bytes) {
    if (shared_by(self) != STREAM) return base->mac->stream_update(base, stream, message, bytes);
    memcpy(scratch, stream, base->mac->stream_bytes);
    const jm_status status = base->mac->stream_update(base, scratch, message, bytes);
    memcpy(stream, scratch, base->mac->stream_bytes);
    return status;
}

static jm_status stream_finish(const jm_implementation *self, void *stream, uint8_t *output) {
    if (shared_by(self) != FINISH) return base->mac->stream_finish(base, stream, output);
    memcpy(scratch, stream, base->mac->stream_bytes);
    return base->mac->stream_finish(base, scratch, output);
}

static jm_status tag_batch(const jm_implementation *self, const jm_mac_message *m, size_t count) {
    jm_status status = JM_OK;
    for (size_t i = 0; i < count && status == JM_OK; i++)
        status = shared_by(self) == BATCH
                     ? tag_in(scratch, m[i].key_state, m[i].message, m[i].message_bytes, m[i].tag)
                     : tag(self, m[i].key_state, m[i].message, m[i].message_bytes, m[i].tag);
    return status;
}

static const char *version(void) {
    return "1.0";
}

__attribute__((visibility("default"))) const jm_plugin *joulemark_plugin(void);
const jm_plugin *joulemark_plugin(void) {
    static jm_mac_functions functions;
    static jm_implementation implementations[FAULTS];
    static const jm_implementation *list[FAULTS];
    static const jm_plugin plugin = {.abi_version = JM_ABI_VERSION,
                                     .provider = "threads",
                                     .library_version = version,
                                     .compiler = "test",
                                     .flags = "",
                                     .count = FAULTS,
                                     .implementations = list};
    functions = (jm_mac_functions){.key_state_bytes = base->mac->key_state_bytes,
                                   .stream_bytes = base->mac->stream_bytes,
                                   .set_key = set_key,
                                   .copy_key = copy_key,
                                   .wipe_key = wipe_key,
                                   .tag = tag,
                                   .stream_begin = stream_begin,
                                   .stream_update = stream_update,
                                   .stream_finish = stream_finish,
                                   .tag_batch = tag_batch};
    for (size_t i = 0; i < FAULTS; i++) {
        implementations[i] = *base;
        implementations[i].variant = faults[i].name;
        implementations[i].mac = &functions;
        implementations[i].constant_time = false;
        implementations[i].over = &faults[i];
        list[i] = &implementations[i];
    }
    return &plugin;
}
