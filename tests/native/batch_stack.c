/* SPDX-License-Identifier: Apache-2.0
 * The largest stack of a batch: every implementation that this CPU runs tags and checks batches of
 * equal and of mixed lengths on a thread whose stack was painted before, and the bytes that lost
 * their paint must fit into JM_MAC_BATCH_STACK_BYTES (joulemark/mac.h). */
#include <pthread.h>
#include <sys/mman.h>

#include "joulemark/mac.h"
#include "native_test.h"

enum { MESSAGES = 300, LONGEST = 24 * 1024, STACK = 1 << 20, PAINT = 0xa5 };

static uint8_t text[LONGEST];

/* Lengths: all equal and short, all equal and long, mixed. */
static size_t length_of(int pattern, size_t index) {
    if (pattern == 0) return 100;
    return pattern == 1 ? LONGEST : index * 97 % 2000;
}

static void *run(void *argument) {
    const jm_mac *mac = argument;
    static uint8_t tags[MESSAGES][JM_OUTPUT_BYTES_MAX];
    static jm_mac_message messages[MESSAGES];
    static jm_mac_claim claims[MESSAGES];
    static bool authentic[MESSAGES];
    const uint8_t secret[64] = {1};
    jm_mac_key *key;
    CHECK(jm_mac_key_new(mac, secret, jm_mac_key_bytes(mac), &key) == JM_OK, mac, "key");
    for (int pattern = 0; pattern < 3; pattern++) {
        const size_t long_ones = mac->mac->tag_batch ? 64 : 1; /* else each is tagged alone */
        const size_t count = pattern == 1 ? long_ones : MESSAGES;
        for (size_t i = 0; i < count; i++) {
            const size_t bytes = length_of(pattern, i);
            messages[i] = (jm_mac_message){key, text, bytes, tags[i]};
            claims[i] = (jm_mac_claim){key, text, bytes, tags[i]};
        }
        CHECK(jm_mac_tag_batch(mac, messages, count) == JM_OK, mac, "tag");
        CHECK(jm_mac_verify_batch(mac, claims, count, jm_mac_tag_bytes(mac), authentic) == JM_OK,
              mac, "verify");
    }
    jm_mac_key_free(mac, key);
    return NULL;
}

/* Stack bytes that `run` touched, those of the thread's start among them. */
static size_t stack_of(const jm_mac *mac) {
    uint8_t *stack =
        mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK(stack != MAP_FAILED, mac, "no memory");
    memset(stack, PAINT, STACK);
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, STACK);
    CHECK(!pthread_create(&thread, &attributes, run, (void *)mac), mac, "no thread");
    pthread_join(thread, NULL);
    size_t untouched = 0;
    while (stack[untouched] == PAINT) untouched++;
    pthread_attr_destroy(&attributes);
    munmap(stack, STACK);
    return STACK - untouched;
}

int main(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__OPTIMIZE_SIZE__) || !defined(__OPTIMIZE__)
    puts("Not measured: this build's frames are not those of a release.");
    return 0;
#endif
    const jm_plugin *plugin = jm_builtin_plugin();
    const uint32_t features = jm_cpu_features();
    size_t most = 0;
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *implementation = plugin->implementations[i];
        const jm_mac *mac =
            jm_mac_find_variable_time(implementation->algorithm, implementation->variant);
        if (!mac || (implementation->cpu_features & ~features)) continue;
        const size_t used = stack_of(mac);
        CHECK(used <= JM_MAC_BATCH_STACK_BYTES, implementation, "%zu bytes of stack", used);
        if (used > most) most = used;
    }
    printf("At most %zu bytes of stack, of %u.\n", most, JM_MAC_BATCH_STACK_BYTES);
    return 0;
}
