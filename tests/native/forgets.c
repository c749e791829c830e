/* SPDX-License-Identifier: Apache-2.0
 * No secret is left behind (common/secret.h): each function of joulemark/mac.h is called on a
 * painted stack for each implementation that this CPU runs, and keys, key states, intermediate
 * values and secret tags are searched for in the dead stack, in every register that a function may
 * change, and in freed memory. Last, wiped keys and streams that have ended are refused.
 *
 * Usage: forgets [ALGORITHM [VARIANT]] */
#include "forgets/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 70 };

static uint8_t tags[BATCH][JM_OUTPUT_BYTES_MAX], tag[JM_OUTPUT_BYTES_MAX];

static void use_keys(void) {
    static _Alignas(64) uint8_t state[8192];
    const size_t refused = jm_mac_key_bytes_max(mac) == SIZE_MAX ? 0 : secret_bytes + 1;
    set_secrets(NULL, 0);
    expect("set", secret_bytes,
           call("set", secret_bytes, FUNCTION(jm_mac_key_set),
                ARGUMENTS(AS(mac), AS(state), AS(secret[0]), secret_bytes)),
           JM_OK);
    expect("copy", 0,
           call("copy", 0, FUNCTION(jm_mac_key_copy), ARGUMENTS(AS(mac), AS(state), AS(key[1]))),
           JM_OK);
    call("wipe", 0, FUNCTION(jm_mac_key_wipe), ARGUMENTS(AS(mac), AS(state)));
    for (size_t i = 0; i < jm_mac_key_state_bytes(mac); i++)
        if (state[i]) {
            report("wipe", 0, "a byte", "the key state at", i);
            break;
        }
    if (refused)
        expect("set", refused,
               call("set", refused, FUNCTION(jm_mac_key_set),
                    ARGUMENTS(AS(mac), AS(state), AS(secret[0]), refused)),
               JM_ERR_KEY_BYTES);
    jm_mac_key *made;
    call("new", secret_bytes, FUNCTION(jm_mac_key_new),
         ARGUMENTS(AS(mac), AS(secret[0]), secret_bytes, AS(&made)));
    const uintptr_t freed = AS(made);
    call("free", 0, FUNCTION(jm_mac_key_free), ARGUMENTS(AS(mac), AS(made)));
    expect_none("free", 0, freed, jm_mac_key_state_bytes(mac));
}

static void use_single(size_t bytes) {
    const size_t whole = jm_mac_tag_bytes(mac);
    set_secrets(&bytes, 1);
    expect("tag", bytes,
           call("tag", bytes, FUNCTION(jm_mac_tag),
                ARGUMENTS(AS(mac), AS(key[0]), AS(message), bytes, AS(tag))),
           JM_OK);
    /* If the claim is wrong, nobody may know the tag that verify computes. */
    if (whole % 4 == 0) secrets_add("the right tag", tag, whole, 0);
    tag[whole - 1] ^= 1;
    static const jm_status expected[] = {JM_ERR_TAG, JM_ERR_TAG_BYTES};
    for (size_t wrong = 0; wrong < 2; wrong++) {
        const uint64_t given = wrong ? whole + 1 : whole;
        expect("verify", bytes,
               call("verify", bytes, FUNCTION(jm_mac_verify),
                    ARGUMENTS(AS(mac), AS(key[0]), AS(message), bytes, AS(tag), given)),
               expected[wrong]);
    }
    tag[whole - 1] ^= 1;
    expect("verify", bytes,
           call("verify", bytes, FUNCTION(jm_mac_verify),
                ARGUMENTS(AS(mac), AS(key[0]), AS(message), bytes, AS(tag), whole)),
           JM_OK);
}

/* All functions called by their names, as a program does: where symbols are bound lazily, this is
 * the first call of each, and the linker stores the registers that the one before has left. */
static void session(jm_mac_key *own, jm_mac_stream *stream) {
    jm_mac_message batch[2] = {{own, message, 40, tags[0]}, {own, message, 90, tags[1]}};
    jm_mac_claim claim[2] = {{own, message, 40, tag}, {own, message, 90, tag}};
    bool authentic[2];
    jm_mac_key_set(mac, own, secret[0], secret_bytes);
    jm_mac_tag(mac, own, message, 40, tag);
    jm_mac_verify(mac, own, message, 40, tag, jm_mac_tag_bytes(mac));
    jm_mac_tag_batch(mac, batch, 2);
    jm_mac_verify_batch(mac, claim, 2, jm_mac_tag_bytes(mac), authentic);
    jm_mac_stream_begin(mac, stream, own);
    jm_mac_stream_update(mac, stream, message, 90);
    jm_mac_stream_finish(mac, stream, tag);
    jm_mac_stream_begin(mac, stream, own);
    jm_mac_stream_update(mac, stream, message, 40);
    jm_mac_stream_verify(mac, stream, tags[0], jm_mac_tag_bytes(mac));
    jm_mac_key_wipe(mac, own);
}

/* A key whose state has zeros where nothing was written: what was in freed memory is no secret. */
static jm_mac_key *new_key(const uint8_t *from) {
    const size_t bytes = (jm_mac_key_state_bytes(mac) + JM_STATE_ALIGN - 1) / JM_STATE_ALIGN;
    jm_mac_key *made = aligned_alloc(JM_STATE_ALIGN, bytes * JM_STATE_ALIGN);
    if (!made) abort();
    memset(made, 0, bytes * JM_STATE_ALIGN);
    if (jm_mac_key_set(mac, made, from, secret_bytes) != JM_OK) abort();
    return made;
}

static void use_session(void) {
    static _Alignas(64) uint8_t state[8192], stream[4096];
    const size_t lengths[] = {40, 90};
    run(FUNCTION(session), ARGUMENTS(AS(state), AS(stream)));
    for (size_t i = 0; i < KEYS; i++) key[i] = new_key(secret[i]);
    set_secrets(lengths, 2);
    search("a session", 0);
}

/* Tags in uneven pieces, and ends the stream in each possible way. */
static void use_stream(size_t bytes) {
    const size_t whole = jm_mac_tag_bytes(mac), first = bytes / 3;
    const size_t lengths[] = {first, bytes};
    jm_mac_stream *stream;
    set_secrets(lengths, 2);
    for (int end = 0; end < 5; end++) {
        call("begin", bytes, FUNCTION(jm_mac_stream_new),
             ARGUMENTS(AS(mac), AS(key[0]), AS(&stream)));
        call("update", first, FUNCTION(jm_mac_stream_update),
             ARGUMENTS(AS(mac), AS(stream), AS(message), first));
        call("update", bytes - first, FUNCTION(jm_mac_stream_update),
             ARGUMENTS(AS(mac), AS(stream), AS(message + first), bytes - first));
        if (end == 0)
            call("finish", bytes, FUNCTION(jm_mac_stream_finish),
                 ARGUMENTS(AS(mac), AS(stream), AS(tag)));
        else if (end == 1)
            call("abandon", bytes, FUNCTION(jm_mac_stream_abandon), ARGUMENTS(AS(mac), AS(stream)));
        else {
            static const jm_status expected[] = {JM_OK, JM_ERR_TAG_BYTES, JM_ERR_TAG};
            tag[0] ^= end == 4;
            expect("stream verify", bytes,
                   call("stream verify", bytes, FUNCTION(jm_mac_stream_verify),
                        ARGUMENTS(AS(mac), AS(stream), AS(tag), end == 3 ? 1 : whole)),
                   expected[end - 2]);
        }
        const uintptr_t freed = AS(stream);
        call("stream free", bytes, FUNCTION(jm_mac_stream_free), ARGUMENTS(AS(mac), AS(stream)));
        expect_none("stream free", bytes, freed, jm_mac_stream_bytes(mac));
    }
}

/* Lengths: equal, or mixed; the keys in turn, or one. */
static void use_batch(size_t count, size_t bytes, bool mixed, size_t keys) {
    static jm_mac_message batch[BATCH];
    static jm_mac_claim claim[BATCH];
    static bool authentic[BATCH];
    const size_t lengths[] = {bytes, mixed ? bytes / 2 : bytes, mixed ? 7 : bytes};
    set_secrets(lengths, mixed ? 3 : 1);
    for (size_t i = 0; i < count; i++) {
        batch[i] = (jm_mac_message){key[i % keys], message, lengths[i % 3], tags[i]};
        claim[i] = (jm_mac_claim){key[i % keys], message, lengths[i % 3], tags[i]};
    }
    expect("batch", count,
           call(mixed ? "mixed batch" : "batch", count, FUNCTION(jm_mac_tag_batch),
                ARGUMENTS(AS(mac), AS(batch), count)),
           JM_OK);
    for (size_t i = 0; i < count; i++)
        secrets_add("a right tag", tags[i], jm_mac_tag_bytes(mac) / 4 * 4, 0);
    tags[0][0] ^= 1;
    expect("verify batch", count,
           call("verify batch", count, FUNCTION(jm_mac_verify_batch),
                ARGUMENTS(AS(mac), AS(claim), count, jm_mac_tag_bytes(mac), AS(authentic))),
           JM_ERR_TAG);
}

/* The search finds secrets that are left on purpose, in each kind of place. This is assembly, since
 * a compiler may scatter the bytes of a local array so that they are no find. */
#if defined(__x86_64__)
#define LEAVE_ON_STACK "leaq -4096(%%rsp), %%rdi\n\tmovl $16, %%ecx\n\trep movsb"
#define LEAVE_IN_VECTOR "movdqu (%0), %%xmm15"
#define LEAVE_IN_INTEGER "movl (%0), %%r11d"
#define SCRATCH "rdi", "rcx", "memory"
#define LEAVE_FROM "+S"
#elif defined(__aarch64__)
#define LEAVE_ON_STACK                                                                             \
    "ldp x9, x10, [%0]\n\tsub x11, sp, #4096\n\tstp x9, x10, [x11]\n\tmov x9, xzr\n\tmov x10, xzr"
#define LEAVE_IN_VECTOR "ldr q31, [%0]"
#define LEAVE_IN_INTEGER "ldr w17, [%0]"
#define SCRATCH "x9", "x10", "x11", "memory"
#elif defined(__riscv)
#define LEAVE_ON_STACK                                                                             \
    "li t2, -2048\n\tadd t2, t2, sp\n\tld t0, 0(%0)\n\tld t1, 8(%0)\n\tsd t0, 0(t2)\n\t"           \
    "sd t1, 8(t2)\n\tli t0, 0\n\tli t1, 0"
#define LEAVE_IN_VECTOR "fld fa7, 0(%0)"
#define LEAVE_IN_INTEGER "lwu t6, 0(%0)"
#define SCRATCH "t0", "t1", "t2", "memory"
#elif defined(__s390x__)
#define LEAVE_ON_STACK "lay %%r1, -4096(%%r15)\n\tmvc 0(16, %%r1), 0(%0)"
#define LEAVE_IN_VECTOR "ld %%f7, 0(%0)"
#define LEAVE_IN_INTEGER "llgf %%r5, 0(%0)"
#define SCRATCH "r1", "memory"
#define LEAVE_FROM "+a" /* register 0 is no address */
#define ADDRESS "a"
#elif defined(__i386__)
#define LEAVE_ON_STACK "leal -4096(%%esp), %%edi\n\tmovl $16, %%ecx\n\trep movsb"
#define LEAVE_IN_VECTOR "movdqu (%0), %%xmm7"
#define LEAVE_IN_INTEGER "movl (%0), %%ecx"
#define SCRATCH "edi", "ecx", "memory"
#define LEAVE_FROM "+S"
#elif defined(__arm__)
#define LEAVE_ON_STACK                                                                             \
    "ldr r2, [%0]\n\tldr r3, [%0, #4]\n\tsub r12, sp, #2048\n\tstr r2, [r12]\n\t"                  \
    "str r3, [r12, #4]\n\tmov r2, #0\n\tmov r3, #0"
#define LEAVE_IN_VECTOR "vldr d7, [%0]"
#define LEAVE_IN_INTEGER "ldr r12, [%0]"
#define SCRATCH "r2", "r3", "r12", "memory"
#endif
#if !defined(LEAVE_FROM)
#define LEAVE_FROM "+r"
#endif
#if !defined(ADDRESS)
#define ADDRESS "r"
#endif
#if defined(JM_CAPTURED)
static uint64_t leave_on_stack(const uint8_t *from) {
    __asm__ volatile(LEAVE_ON_STACK : LEAVE_FROM(from) : : SCRATCH);
    return 0;
}
static uint64_t leave_in_vector(const uint8_t *from) {
    __asm__ volatile(LEAVE_IN_VECTOR : : ADDRESS(from) : "memory");
    return 0;
}
static uint64_t leave_in_integer(const uint8_t *from) {
    __asm__ volatile(LEAVE_IN_INTEGER : : ADDRESS(from) : "memory");
    return 0;
}
static void expect_leaks_found(void) {
    const void *leaks[] = {FUNCTION(leave_on_stack), FUNCTION(leave_in_vector),
                           FUNCTION(leave_in_integer)};
    set_secrets(NULL, 0);
    for (size_t i = 0; i < sizeof leaks / sizeof *leaks; i++)
        if (!leaves(leaks[i], ARGUMENTS(AS(secret[1]))))
            report("a planted leak", i, "nothing", "any place", 0);
}
#else
static void expect_leaks_found(void) {}
#endif

static void use_all(const jm_mac *made, size_t key_bytes) {
    static const size_t sizes[] = {0, 16, 200, 4096};
    mac = made;
    secret_bytes = key_bytes;
    for (size_t i = 0; i < KEYS; i++) fill(secret[i], key_bytes);
    use_session();
    expect_leaks_found();
    use_keys();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        use_single(sizes[i]);
        use_stream(sizes[i]);
    }
    for (size_t keys = 1; keys <= KEYS; keys += KEYS - 1)
        for (int mixed = 0; mixed < 2; mixed++) {
            use_batch(8, 16, mixed, keys);
            use_batch(BATCH, 200, mixed, keys);
            use_batch(33, 4096, mixed, keys);
        }
    use_ended();
    for (size_t i = 0; i < KEYS; i++) jm_mac_key_free(mac, key[i]);
}

int main(int argc, char **argv) {
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__) || !defined(JM_CAPTURED)
    (void)argc, (void)argv, (void)use_all;
    puts("Not searched: this build's frames are not those of a release, or the search is not "
         "written for this machine.");
    return 0;
#else
    const jm_plugin *plugin = jm_builtin_plugin();
    fill(message, sizeof message);
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *implementation = plugin->implementations[i];
        if (implementation->kind != JM_KIND_MAC ||
            (implementation->cpu_features & ~jm_cpu_features()))
            continue;
        if (argc > 1 && strcmp(argv[1], implementation->algorithm)) continue;
        if (argc > 2 && strcmp(argv[2], implementation->variant)) continue;
        use_all(implementation, implementation->key_bytes);
        if (implementation->key_bytes_max == SIZE_MAX)
            use_all(implementation, 200); /* a key that is hashed first */
    }
    printf("%u calls searched, %u with something left or a wrong answer.\n", calls, failures);
    return failures ? 1 : calls == 0;
#endif
}
