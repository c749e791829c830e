/* SPDX-License-Identifier: Apache-2.0
 * Our SipHash-2-4 in variants that differ by a chain of dependent additions behind each tag:
 * `slowed_N` adds N of them, one core cycle each. A known slow-down, to see whether it is found. */
#include "siphash/siphash.h"

#define ADDS_MAX 128u
#define VARIANTS(X) X(0) X(1) X(4) X(16) X(33) X(37) X(71)

static inline void add_chain(unsigned adds) {
    uint64_t sum = 1, step = 3;
    for (unsigned i = 0; i < adds; i++) __asm__ volatile("add %1, %0" : "+r"(sum) : "r"(step));
}

static jm_mac_functions functions[ADDS_MAX];
static jm_implementation implementations[ADDS_MAX];
static const jm_implementation *table[ADDS_MAX];

#define DEFINE(n)                                                                                  \
    static jm_status tag_##n(const jm_implementation *self, const void *key_state,                 \
                             const uint8_t *message, size_t message_bytes, uint8_t *tag) {         \
        const jm_implementation *right = &jm_siphash_2_4_portable;                                 \
        (void)self;                                                                                \
        const jm_status status = right->mac->tag(right, key_state, message, message_bytes, tag);   \
        add_chain(n);                                                                              \
        return status;                                                                             \
    }
VARIANTS(DEFINE)

static size_t add_variant(size_t count, const char *name,
                          jm_status (*tag)(const jm_implementation *, const void *, const uint8_t *,
                                           size_t, uint8_t *)) {
    implementations[count] = jm_siphash_2_4_portable;
    functions[count] = *jm_siphash_2_4_portable.mac;
    functions[count].tag = tag;
    functions[count].tag_batch = 0;
    implementations[count].variant = name;
    implementations[count].constant_time = false;
    implementations[count].mac = &functions[count];
    table[count] = &implementations[count];
    return count + 1;
}

static jm_plugin plugin;

static const char *version(void) {
    return "1";
}

__attribute__((visibility("default"))) const jm_plugin *joulemark_plugin(void);
const jm_plugin *joulemark_plugin(void) {
    size_t count = 0;
#define ADD(n) count = add_variant(count, "slowed_" #n, tag_##n);
    VARIANTS(ADD)
    plugin = (jm_plugin){.abi_version = JM_ABI_VERSION,
                         .provider = "slowed",
                         .library_version = version,
                         .compiler = "cc",
                         .flags = "-O2",
                         .implementations = table,
                         .count = count};
    return &plugin;
}
