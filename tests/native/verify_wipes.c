/* SPDX-License-Identifier: Apache-2.0
 * joulemark/mac.h: checking a tag leaves no computed tag in memory, whether the expected tag is
 * right, wrong or of a refused length. The functions run on a stack that this program allocates and
 * searches afterwards for any eight bytes of a right tag. forgets.c, which needs the frames of a
 * release build, tests kernels in lanes. */
#include <pthread.h>

#include "joulemark/mac.h"
#include "native_test.h"
#include "over_hashes.h"

enum { STACK_BYTES = 1 << 18, ROOM_BYTES = 1 << 16 };
enum { CLAIMS = 200, MESSAGE_BYTES = 77, PART_BYTES = 8 };

static _Alignas(4096) uint8_t stack[STACK_BYTES];
static uint8_t content[CLAIMS + MESSAGE_BYTES];
static uint8_t tag[CLAIMS][JM_OUTPUT_BYTES_MAX];
static uint8_t wrong[CLAIMS][JM_OUTPUT_BYTES_MAX];
static jm_mac_claim claim[CLAIMS];
static bool authentic[CLAIMS];

typedef struct call call;
struct call {
    void (*function)(call *);
    const jm_mac *mac;
    jm_mac_key *key;
    jm_mac_stream *stream;
    size_t expected_bytes;
    jm_status expected_status, status;
};

/* Leaves the tag on the stack, to be found. */
static void call_tag(call *c) {
    static uint8_t kept[JM_OUTPUT_BYTES_MAX];
    c->status = jm_mac_tag(c->mac, c->key, content, MESSAGE_BYTES, kept);
    uint8_t left[JM_OUTPUT_BYTES_MAX];
    memcpy(left, kept, sizeof left);
    __asm__ volatile("" : : "r"(left) : "memory");
}
static void call_verify(call *c) {
    c->status = jm_mac_verify(c->mac, c->key, claim[0].message, MESSAGE_BYTES, claim[0].expected,
                              c->expected_bytes);
}
static void call_stream_verify(call *c) {
    jm_mac_stream_begin(c->mac, c->stream, c->key);
    jm_mac_stream_update(c->mac, c->stream, claim[0].message, MESSAGE_BYTES);
    c->status = jm_mac_stream_verify(c->mac, c->stream, claim[0].expected, c->expected_bytes);
}
static void call_verify_batch(call *c) {
    c->status = jm_mac_verify_batch(c->mac, claim, CLAIMS, c->expected_bytes, authentic);
}

/* Calls so far down that neither the thread's start nor its end overwrites the remains. */
static void *run_deep(void *argument) {
    volatile uint8_t room[ROOM_BYTES];
    call *c = argument;
    room[0] = room[ROOM_BYTES - 1] = 0;
    c->function(c);
    return room[0] ? c : NULL;
}

static void run_on_stack(void (*function)(call *), call *c) {
    pthread_t thread;
    pthread_attr_t attributes;
    memset(stack, 0, sizeof stack);
    c->function = function;
    CHECK(!pthread_attr_init(&attributes), c->mac, "attributes");
    CHECK(!pthread_attr_setstack(&attributes, stack, sizeof stack), c->mac, "stack");
    CHECK(!pthread_create(&thread, &attributes, run_deep, c), c->mac, "thread");
    CHECK(!pthread_join(thread, NULL), c->mac, "thread");
    pthread_attr_destroy(&attributes);
}

/* Not instrumented: AddressSanitizer may still forbid reads of a frame that has ended. */
__attribute__((no_sanitize_address)) static bool is_left(const uint8_t *part) {
    for (size_t at = 0; at + PART_BYTES <= STACK_BYTES; at++) {
        size_t same = 0;
        while (same < PART_BYTES && stack[at + same] == part[same]) same++;
        if (same == PART_BYTES) return true;
    }
    return false;
}

static bool any_is_left(const jm_mac *mac) {
    bool found = false;
    for (size_t i = 0; i < CLAIMS && !found; i += CLAIMS - 1)
        for (size_t at = 0; at < jm_mac_tag_bytes(mac) && !found; at += PART_BYTES)
            found = is_left(tag[i] + at);
    return found;
}

static void check(const char *name, void (*function)(call *), call *c) {
    run_on_stack(function, c);
    CHECK(c->status == c->expected_status, c->mac, "%s: %s", name, jm_status_text(c->status));
    CHECK(!any_is_left(c->mac), c->mac, "%s left a tag, or a part, on the stack (%s)", name,
          jm_status_text(c->status));
}

static void check_algorithm(const jm_mac *mac) {
    const uint8_t secret[64] = {9};
    call c = {.mac = mac};
    CHECK(jm_mac_key_new(mac, secret, jm_mac_key_bytes(mac), &c.key) == JM_OK, mac, "key");
    CHECK(jm_mac_stream_new(mac, c.key, &c.stream) == JM_OK, mac, "stream");
    jm_mac_stream_abandon(mac, c.stream);
    for (size_t i = 0; i < CLAIMS; i++) {
        jm_mac_tag(mac, c.key, content + i, MESSAGE_BYTES, tag[i]);
        for (size_t at = 0; at < JM_OUTPUT_BYTES_MAX; at++) wrong[i][at] = tag[i][at] ^ 1;
        claim[i] = (jm_mac_claim){c.key, content + i, MESSAGE_BYTES, wrong[i]};
    }
    run_on_stack(call_tag, &c);
    CHECK(any_is_left(mac), mac, "what was left on purpose was not found");
    for (unsigned kind = 0; kind < 3; kind++) {
        const size_t whole = jm_mac_tag_bytes(mac);
        c.expected_bytes = kind == 2 ? whole + 1 : whole;
        c.expected_status = kind == 2 ? JM_ERR_TAG_BYTES : kind ? JM_OK : JM_ERR_TAG;
        for (size_t i = 0; i < CLAIMS; i++) claim[i].expected = kind == 1 ? tag[i] : wrong[i];
        check("jm_mac_verify", call_verify, &c);
        check("jm_mac_stream_verify", call_stream_verify, &c);
        check("jm_mac_verify_batch", call_verify_batch, &c);
    }
    jm_mac_stream_free(mac, c.stream);
    jm_mac_key_free(mac, c.key);
}

int main(void) {
    const jm_plugin *plugin = jm_builtin_plugin();
    uint64_t seed = 5;
    random_bytes(&seed, content, sizeof content);
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *implementation = plugin->implementations[i];
        if (implementation->lanes == 1 && !is_left_out(implementation) &&
            jm_mac_find_variable_time(implementation->algorithm, implementation->variant))
            check_algorithm(implementation);
    }
    return 0;
}
