/* SPDX-License-Identifier: Apache-2.0
 * A plugin with one fault, chosen by -DFAULT=n when it is compiled; otherwise our own SipHash.
 * Used to show that a fault costs only the figure of the implementation. With -DSLOWED_BY=k each
 * tag waits for k additions, one after the other: about k core cycles. With -DVARIANT="name" the
 * variant has another name, so that several can be measured together. With -DSECOND=1 the plugin
 * also has the variant `second`, and with -DSECOND=2 `second` needs features that no CPU has. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "siphash/siphash.h"

#ifndef SLOWED_BY
#define SLOWED_BY 0
#endif
#ifndef VARIANT
#define VARIANT "faulty"
#endif
#ifndef SECOND
#define SECOND 0
#endif

enum fault {
    NONE,
    CRASHES_WHEN_LOADED,
    CRASHES_WHEN_CALLED,
    CRASHES_ON_64_BYTES,
    HANGS_ON_64_BYTES,
    WRONG_ALWAYS,
    WRONG_AFTER_A_WHILE,
    WRITES_PAST_THE_TAG,
    WRITES_INTO_THE_MESSAGE,
    OLD_INTERFACE,
    REFUSES_KEYS,
    TALKS_AND_EXITS,
    LEAVES_A_PROCESS,
    TAKES_SHORT_MESSAGES,
    TAKES_BATCHES,
    WRONG_IN_BATCHES,
    WRONG_IN_LATER_BATCHES,
    WRONG_BESIDE_WHAT_IS_TIMED,
    MULTIPLIES_ONLY,
};

static jm_implementation implementation;
static unsigned long tags;
/* In a row, of one length and of one size. In the first thread only timing asks for many of them;
 * the check of threads may make thousands in its own, as long as another process has the CPU. */
static unsigned long alike, batches_alike;
#define TIMED_ALIKE 300 /* few, since a calibration that is disturbed settles for few messages */
static int timed;

/* The barrier keeps the compiler from folding the additions into one, and from knowing the step:
 * some cores (Intel's Golden Cove and later) add small constants at no cost. */
static uint64_t after_additions(uint64_t from) {
    uint64_t step = 1;
    for (int i = 0; i < SLOWED_BY; i++) {
        __asm__ volatile("" : "+r"(from), "+r"(step));
        from += step;
    }
    return from - SLOWED_BY;
}

/* 32 multiplications, each of which waits for the one before, and hardly another instruction: any
 * core that runs instructions out of order works on several such tags at once, even where a second
 * thread holds half of it. */
static jm_status multiplied_tag(const uint8_t *message, uint8_t *tag) {
    uint64_t product;
    memcpy(&product, message, sizeof product);
    for (int i = 0; i < 32; i++) product *= product | 1;
    memcpy(tag, &product, sizeof product);
    return JM_OK;
}

static int in_first_thread(void) {
    static _Thread_local int known; /* 0: not yet */
    if (!known) known = syscall(SYS_gettid) == getpid() ? 1 : -1;
    return known > 0;
}

static jm_status faulty_tag(const jm_implementation *self, const void *key_state,
                            const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    const jm_implementation *right = &jm_siphash_2_4_portable;
    (void)self;
    static size_t last_bytes;
    if (FAULT == MULTIPLIES_ONLY) return multiplied_tag(message, tag);
    tags++;
    if (in_first_thread()) {
        alike = message_bytes == last_bytes ? alike + 1 : 0;
        last_bytes = message_bytes;
    }
    if (FAULT == CRASHES_WHEN_CALLED) raise(SIGSEGV);
    if (FAULT == CRASHES_ON_64_BYTES && message_bytes == 64 && tags > 1000) raise(SIGSEGV);
    if (FAULT == HANGS_ON_64_BYTES && message_bytes == 64 && tags > 1000)
        for (;;) pause();
    if (FAULT == TALKS_AND_EXITS && tags > 1000) {
        static const char words[] = "{\"sample\": \"not yours\"}\nlicence expired\n";
        if (write(STDOUT_FILENO, words, sizeof words - 1) < 0) abort();
        _exit(3);
    }
    if (FAULT == TAKES_SHORT_MESSAGES && message_bytes > 2000) return JM_ERR_MESSAGE_BYTES;
    if (FAULT == REFUSES_KEYS) return JM_ERR_LIBRARY;
    jm_status status = right->mac->tag(right, key_state, message, message_bytes, tag);
    tag[0] = (uint8_t)after_additions(tag[0]);
    if (FAULT == WRONG_ALWAYS || (FAULT == WRONG_AFTER_A_WHILE && alike > TIMED_ALIKE)) tag[3] ^= 1;
    timed |= alike > TIMED_ALIKE;
    if (FAULT == WRONG_BESIDE_WHAT_IS_TIMED && timed && message_bytes % 16) tag[3] ^= 1;
    if (FAULT == WRITES_PAST_THE_TAG && message_bytes == 64) tag[8] = 0;
    if (FAULT == WRITES_INTO_THE_MESSAGE && message_bytes == 64)
        ((uint8_t *)(uintptr_t)message)[5]++;
    return status;
}

static jm_status faulty_tag_batch(const jm_implementation *self, const jm_mac_message *messages,
                                  size_t count) {
    static size_t last_count;
    jm_status status = JM_OK;
    if (in_first_thread()) {
        batches_alike = count == last_count ? batches_alike + 1 : 0;
        last_count = count;
    }
    for (size_t i = 0; i < count; i++)
        status |= faulty_tag(self, messages[i].key_state, messages[i].message,
                             messages[i].message_bytes, messages[i].tag);
    if (FAULT == WRONG_IN_BATCHES && count > 8) messages[8].tag[0] ^= 1;
    if (FAULT == WRONG_IN_LATER_BATCHES && batches_alike > 50 && count == 16)
        messages[count / 2].tag[0] ^= 1;
    return status;
}

static const char *version(void) {
    return "1.0";
}

__attribute__((visibility("default"))) const jm_plugin *joulemark_plugin(void);
const jm_plugin *joulemark_plugin(void) {
    static jm_mac_functions functions;
    static jm_implementation second;
    static const jm_implementation *list[] = {&implementation, &second};
    static jm_plugin plugin = {.provider = "faulty",
                               .library_version = version,
                               .compiler = "test",
                               .flags = "",
                               .count = SECOND ? 2 : 1,
                               .implementations = list};
    if (FAULT == CRASHES_WHEN_LOADED) abort();
    if (FAULT == LEAVES_A_PROCESS && fork() == 0) {
        FILE *const left = fopen(getenv("JOULEMARK_TEST_LEFT"), "a");
        if (!left || fprintf(left, "%ld\n", (long)getpid()) < 0 || fclose(left)) abort();
        for (;;) pause();
    }
    plugin.abi_version = FAULT == OLD_INTERFACE ? JM_ABI_VERSION + 1 : JM_ABI_VERSION;
    functions = *jm_siphash_2_4_portable.mac;
    functions.tag = faulty_tag;
    if (FAULT == TAKES_BATCHES || FAULT == WRONG_IN_BATCHES || FAULT == WRONG_IN_LATER_BATCHES)
        functions.tag_batch = faulty_tag_batch;
    implementation = jm_siphash_2_4_portable;
    implementation.variant = VARIANT;
    implementation.mac = &functions;
    second = implementation;
    second.variant = "second";
    if (SECOND == 2) second.cpu_features = ~UINT64_C(0);
    return &plugin;
}
