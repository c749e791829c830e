/* SPDX-License-Identifier: Apache-2.0
 * Runs messages through one implementation and little else, for tools that count instructions:
 *
 *     count_instructions PLUGIN ALGORITHM VARIANT SIZE_BYTES MESSAGES [perf]
 *     count_instructions --probe       exit code 0 if the CPU's counter can be read, else 2
 *
 * A tool counts the whole program; the caller runs it with N and with 2 N messages and subtracts,
 * so that loading, key set-up and first calls cancel. With `perf` the program itself counts the
 * loop, in user mode, and prints the number. Exit codes: 0 done, 2 cannot be done (a line on
 * standard error says why), 3 this CPU, as the program sees it, lacks features of the code. */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "joulemark/kernel.h"

enum { DONE = 0, REFUSED = 2, LACKS_FEATURES = 3 };

static int refuse(const char *why) {
    fprintf(stderr, "%s\n", why);
    return REFUSED;
}

static const jm_implementation *find(const jm_plugin *plugin, const char *algorithm,
                                     const char *variant) {
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *implementation = plugin->implementations[i];
        if (!strcmp(implementation->algorithm, algorithm) &&
            !strcmp(implementation->variant, variant))
            return implementation;
    }
    return NULL;
}

static int say_missing(uint32_t features) {
    for (unsigned i = 0; i < JM_CPU_FEATURE_COUNT; i++)
        if (features & (UINT32_C(1) << i)) fprintf(stderr, "%s ", jm_cpu_feature_name(i));
    fprintf(stderr, "\n");
    return LACKS_FEATURES;
}

static size_t state_bytes(const jm_implementation *self) {
    const size_t bytes = self->mac      ? self->mac->key_state_bytes
                         : self->cipher ? self->cipher->schedule_bytes
                                        : 0;
    return (bytes + JM_STATE_ALIGN) / JM_STATE_ALIGN * JM_STATE_ALIGN;
}

static jm_status set_key(const jm_implementation *self, void *state, const uint8_t *key) {
    if (self->mac) return self->mac->set_key(self, state, key, self->key_bytes);
    if (self->cipher) return self->cipher->set_key(self, state, key, self->key_bytes);
    return JM_OK;
}

static jm_status run(const jm_implementation *self, const void *state, const uint8_t *message,
                     uint8_t *output, size_t size_bytes, unsigned long messages) {
    jm_status status = JM_OK;
    for (unsigned long i = 0; i < messages; i++) {
        if (self->mac)
            status |= self->mac->tag(self, state, message, size_bytes, output);
        else if (self->hash)
            status |= self->hash->digest(self, message, size_bytes, output);
        else
            self->cipher->encrypt(self, state, message, output, size_bytes / self->block_bytes);
    }
    return status;
}

/* File descriptor of a counter; -1 where kernel or CPU counts no instructions in user mode. */
static int open_counter(void) {
    struct perf_event_attr wanted = {.type = PERF_TYPE_HARDWARE,
                                     .size = sizeof wanted,
                                     .config = PERF_COUNT_HW_INSTRUCTIONS,
                                     .disabled = 1,
                                     .exclude_kernel = 1,
                                     .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0);
}

int main(int count, char **words) {
    if (count == 2 && !strcmp(words[1], "--probe")) return open_counter() < 0 ? REFUSED : DONE;
    if (count < 6) return refuse("PLUGIN ALGORITHM VARIANT SIZE_BYTES MESSAGES [perf]");
    void *opened = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    if (!opened) return refuse(dlerror());
    jm_plugin_entry entry;
    *(void **)&entry = dlsym(opened, JM_PLUGIN_ENTRY);
    if (!entry) *(void **)&entry = dlsym(opened, "jm_builtin_plugin");
    if (!entry) return refuse("it does not export " JM_PLUGIN_ENTRY);
    const jm_plugin *plugin = entry();
    if (!plugin || plugin->abi_version < JM_ABI_VERSION_MIN || plugin->abi_version > JM_ABI_VERSION)
        return refuse("another JM_ABI_VERSION");
    const jm_implementation *self = find(plugin, words[2], words[3]);
    if (!self) return refuse("no such implementation");
    const uint32_t missing = self->cpu_features & ~jm_cpu_features();
    if (missing) return say_missing(missing);
    const size_t size_bytes = strtoul(words[4], NULL, 10);
    const unsigned long messages = strtoul(words[5], NULL, 10);
    const size_t output_bytes = size_bytes + JM_OUTPUT_BYTES_MAX;
    uint8_t *message = calloc(1, size_bytes + 1), *output = calloc(1, output_bytes);
    uint8_t *key = calloc(1, self->key_bytes + 1);
    void *state = aligned_alloc(JM_STATE_ALIGN, state_bytes(self) + JM_STATE_ALIGN);
    if (!message || !output || !key || !state) return refuse("not enough memory");
    for (size_t i = 0; i < size_bytes; i++) message[i] = (uint8_t)(i * 167 + 1);
    for (size_t i = 0; i < self->key_bytes; i++) key[i] = (uint8_t)(i + 1);
    const int counter = count > 6 ? open_counter() : -1;
    if (count > 6 && counter < 0) return refuse("instructions cannot be counted here");
    if (set_key(self, state, key) != JM_OK) return refuse("it does not take the key");
    if (counter >= 0) ioctl(counter, PERF_EVENT_IOC_ENABLE, 0);
    const jm_status status = run(self, state, message, output, size_bytes, messages);
    if (counter >= 0) ioctl(counter, PERF_EVENT_IOC_DISABLE, 0);
    if (status != JM_OK) return refuse("it does not take a message of this length");
    uint64_t instructions = 0;
    if (counter >= 0) {
        if (read(counter, &instructions, sizeof instructions) != sizeof instructions)
            return refuse("the counter cannot be read");
        printf("%llu\n", (unsigned long long)instructions);
    }
    return DONE;
}
