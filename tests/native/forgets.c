/* SPDX-License-Identifier: Apache-2.0
 * Nothing is left behind (common/forget.h): each function of joulemark/mac.h is called on a painted
 * stack for each implementation that this CPU runs, and keys, key states and intermediate values
 * are searched for in the dead stack, in every register that a function may change, and in freed
 * memory. The stack that was touched must also end in zeros: else a function reached below what
 * its outer half overwrites. Last, wiped keys and streams that have ended are refused.
 *
 * Usage: forgets [ALGORITHM [VARIANT]] */
#include "forgets/capture.h"
#include "forgets/secrets.h"
#include "joulemark/mac.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 256 * 1024, PAINT = 0xa5, KEYS = 3, BATCH = 70, LONGEST = 8192, ENDED = 16 };
#define FUNCTION(f) ((const void *)(uintptr_t)(f))
#define ARGUMENTS(...) ((const uint64_t[6]){__VA_ARGS__})
#define AS(x) ((uint64_t)(uintptr_t)(x))

static _Alignas(4096) uint8_t stack[STACK_BYTES];
static _Alignas(64) uint8_t message[LONGEST];
static uint8_t secret[KEYS][200], tags[BATCH][JM_OUTPUT_BYTES_MAX], tag[JM_OUTPUT_BYTES_MAX];
static uint64_t seed = 77;
static unsigned failures, calls;

static const jm_mac *mac;
static size_t secret_bytes;
static jm_mac_key *key[KEYS];

static void fill(uint8_t *to, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        to[i] = (uint8_t)(seed >> 24);
    }
}

static void report(const char *use, size_t size, const char *what, const char *place, size_t at) {
    printf("%s/%s: %s of %zu: %s in %s %zu\n", mac->algorithm, mac->variant, use, size, what, place,
           at);
    failures++;
}

static bool allocates(const void *function) {
    return function == FUNCTION(jm_mac_key_new) || function == FUNCTION(jm_mac_key_free) ||
           function == FUNCTION(jm_mac_stream_new) || function == FUNCTION(jm_mac_stream_free);
}

static registers left;

static jm_status run(const void *function, const uint64_t argument[6]) {
    memset(stack, PAINT, sizeof stack);
    left.width = vector_bytes();
    calls++;
    return (jm_status)call_and_capture(function, argument, stack + sizeof stack - 64, &left);
}

/* `deep`: the deepest frame is one of the C library's, or of a function that saw no secret. */
static void search(const char *use, size_t size, bool deep) {
    const char *place;
    size_t lowest = 0;
    while (stack[lowest] == PAINT) lowest++;
    lowest = lowest / 16 * 16;
    find found = secrets_in_registers(&left, &place);
    if (found.name) report(use, size, found.name, place, found.at);
    found = secrets_in_memory(stack + lowest, sizeof stack - lowest);
    if (found.name) report(use, size, found.name, "the stack, bytes from its end:",
                           sizeof stack - lowest - found.at);
    if (deep) return;
    for (size_t at = 0; at < ENDED && lowest + ENDED < sizeof stack - 128; at++)
        if (stack[lowest + at] && stack[lowest + at] != PAINT) {
            report(use, size, "a frame", "the stack below what is overwritten, at",
                   sizeof stack - lowest);
            break;
        }
}

/* The call, and the search after it. */
static jm_status call(const char *use, size_t size, const void *function,
                      const uint64_t argument[6]) {
    const jm_status status = run(function, argument);
    search(use, size, allocates(function) || status == JM_ERR_TAG_BYTES);
    return status;
}

static void expect(const char *use, size_t size, jm_status status, jm_status expected) {
    if (status == expected) return;
    printf("%s/%s: %s of %zu: %s\n", mac->algorithm, mac->variant, use, size,
           jm_status_text(status));
    failures++;
}

/* ---- What is secret ---- */

/* What HMAC hashes outside: the digest of the padded key and the message. */
static void add_inner_digest(size_t which, size_t bytes) {
    static uint8_t text[128 + LONGEST];
    const jm_plugin *plugin = jm_builtin_plugin();
    if (strncmp(mac->algorithm, "hmac-", 5) || secret_bytes > mac->block_bytes) return;
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *hash = plugin->implementations[i];
        if (strcmp(hash->algorithm, mac->algorithm + 5) || strcmp(hash->variant, "portable"))
            continue;
        uint8_t digest[JM_OUTPUT_BYTES_MAX];
        memset(text, 0x36, mac->block_bytes);
        for (size_t at = 0; at < secret_bytes; at++) text[at] ^= secret[which][at];
        memcpy(text + mac->block_bytes, message, bytes);
        hash->hash->digest(hash, text, mac->block_bytes + bytes, digest);
        secrets_add("the inner digest", digest, hash->output_bytes, 0);
    }
}

/* A stream that has absorbed the message holds the intermediate value. */
static void add_intermediate(size_t which, size_t bytes) {
    static _Alignas(64) uint8_t memory[1024]; /* zeros where the stream has nothing */
    jm_mac_stream *stream = (jm_mac_stream *)memory;
    if (jm_mac_stream_begin(mac, stream, key[which]) != JM_OK) abort();
    jm_mac_stream_update(mac, stream, message, bytes);
    secrets_add("an intermediate value", memory, jm_mac_stream_bytes(mac), 0);
    jm_mac_stream_abandon(mac, stream);
    add_inner_digest(which, bytes);
}

static void remove_public(void) {
    const uint64_t live = UINT64_C(0x4a6f756c654b6579);
    const size_t block_bytes[] = {64, 128};
    const uintptr_t addresses[] = {AS(key[0]), AS(key[1]), AS(key[2])};
    secrets_remove(message, sizeof message);
    secrets_remove(&live, sizeof live);
    secrets_remove(block_bytes, sizeof block_bytes);
    secrets_remove(addresses, sizeof addresses);
}

/* Of messages of these lengths under all keys. */
static void set_secrets(const size_t *lengths, size_t count) {
    secrets_clear();
    for (size_t i = 0; i < KEYS; i++) {
        secrets_add("the key", secret[i], secret_bytes / 4 * 4, 0);
        secrets_add("the inner padded key", secret[i], secret_bytes / 4 * 4, 0x36363636);
        secrets_add("the outer padded key", secret[i], secret_bytes / 4 * 4, 0x5c5c5c5c);
        secrets_add("the key state", key[i], jm_mac_key_state_bytes(mac), 0);
        for (size_t j = 0; j < count; j++) add_intermediate(i, lengths[j]);
    }
    remove_public();
}

/* ---- Uses ---- */

static void use_keys(void) {
    static _Alignas(64) uint8_t state[4096];
    const size_t refused = jm_mac_key_bytes_max(mac) == SIZE_MAX ? 0 : secret_bytes + 1;
    set_secrets(NULL, 0);
    expect("set", secret_bytes,
           call("set", secret_bytes, FUNCTION(jm_mac_key_set),
                ARGUMENTS(AS(mac), AS(state), AS(secret[0]), secret_bytes)),
           JM_OK);
    expect("copy", 0, call("copy", 0, FUNCTION(jm_mac_key_copy),
                           ARGUMENTS(AS(mac), AS(state), AS(key[1]))), JM_OK);
    call("wipe", 0, FUNCTION(jm_mac_key_wipe), ARGUMENTS(AS(mac), AS(state)));
    for (size_t i = 0; i < jm_mac_key_state_bytes(mac); i++)
        if (state[i]) {
            report("wipe", 0, "a byte", "the key state at", i);
            break;
        }
    if (refused)
        expect("set", refused, call("set", refused, FUNCTION(jm_mac_key_set),
                                    ARGUMENTS(AS(mac), AS(state), AS(secret[0]), refused)),
               JM_ERR_KEY_BYTES);
    jm_mac_key *made;
    call("new", secret_bytes, FUNCTION(jm_mac_key_new),
         ARGUMENTS(AS(mac), AS(secret[0]), secret_bytes, AS(&made)));
    const uintptr_t freed = AS(made);
    call("free", 0, FUNCTION(jm_mac_key_free), ARGUMENTS(AS(mac), AS(made)));
    const find found = secrets_in_memory((const void *)freed, jm_mac_key_state_bytes(mac));
    if (found.name) report("free", 0, found.name, "freed memory at", found.at);
}

static void use_single(size_t bytes) {
    const size_t whole = jm_mac_tag_bytes(mac);
    set_secrets(&bytes, 1);
    expect("tag", bytes, call("tag", bytes, FUNCTION(jm_mac_tag),
                              ARGUMENTS(AS(mac), AS(key[0]), AS(message), bytes, AS(tag))), JM_OK);
    /* What verify computes is nobody's to know when the claim is wrong. */
    if (whole % 4 == 0) secrets_add("the right tag", tag, whole, 0);
    tag[whole - 1] ^= 1;
    static const jm_status expected[] = {JM_ERR_TAG, JM_ERR_TAG_BYTES};
    for (size_t wrong = 0; wrong < 2; wrong++) {
        const uint64_t given = wrong ? whole + 1 : whole;
        expect("verify", bytes, call("verify", bytes, FUNCTION(jm_mac_verify),
                                     ARGUMENTS(AS(mac), AS(key[0]), AS(message), bytes, AS(tag),
                                               given)), expected[wrong]);
    }
    tag[whole - 1] ^= 1;
    expect("verify", bytes, call("verify", bytes, FUNCTION(jm_mac_verify),
                                 ARGUMENTS(AS(mac), AS(key[0]), AS(message), bytes, AS(tag),
                                           whole)), JM_OK);
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

static void use_session(void) {
    static _Alignas(64) uint8_t state[4096], stream[1024];
    const size_t lengths[] = {40, 90};
    run(FUNCTION(session), ARGUMENTS(AS(state), AS(stream)));
    for (size_t i = 0; i < KEYS; i++)
        if (jm_mac_key_new(mac, secret[i], secret_bytes, &key[i]) != JM_OK) abort();
    set_secrets(lengths, 2);
    search("a session", 0, true);
}

/* In uneven pieces, which end in each of the ways there are. */
static void use_stream(size_t bytes) {
    const size_t whole = jm_mac_tag_bytes(mac), first = bytes / 3;
    const size_t lengths[] = {first, bytes};
    jm_mac_stream *stream;
    set_secrets(lengths, 2);
    for (int end = 0; end < 4; end++) {
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
            call("abandon", bytes, FUNCTION(jm_mac_stream_abandon),
                 ARGUMENTS(AS(mac), AS(stream)));
        else
            expect("stream verify", bytes,
                   call("stream verify", bytes, FUNCTION(jm_mac_stream_verify),
                        ARGUMENTS(AS(mac), AS(stream), AS(tag), end == 2 ? whole : 1)),
                   end == 2 ? JM_OK : JM_ERR_TAG_BYTES);
        const uintptr_t freed = AS(stream);
        call("stream free", bytes, FUNCTION(jm_mac_stream_free), ARGUMENTS(AS(mac), AS(stream)));
        const find found = secrets_in_memory((const void *)freed, jm_mac_stream_bytes(mac));
        if (found.name) report("stream free", bytes, found.name, "freed memory at", found.at);
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
    expect("batch", count, call(mixed ? "mixed batch" : "batch", count, FUNCTION(jm_mac_tag_batch),
                                ARGUMENTS(AS(mac), AS(batch), count)), JM_OK);
    for (size_t i = 0; i < count; i++)
        secrets_add("a right tag", tags[i], jm_mac_tag_bytes(mac) / 4 * 4, 0);
    tags[0][0] ^= 1;
    expect("verify batch", count,
           call("verify batch", count, FUNCTION(jm_mac_verify_batch),
                ARGUMENTS(AS(mac), AS(claim), count, jm_mac_tag_bytes(mac), AS(authentic))),
           JM_ERR_TAG);
}

/* Nothing that was wiped gives a tag. */
static void use_ended(void) {
    static _Alignas(64) uint8_t state[4096], stream[4096], other[4096];
    jm_mac_key *wiped = (jm_mac_key *)state;
    jm_mac_stream *ended = (jm_mac_stream *)stream;
    jm_mac_message batch[BATCH];
    uint8_t before[JM_OUTPUT_BYTES_MAX];
    fill(before, sizeof before);
    set_secrets(NULL, 0);
    jm_mac_key_copy(mac, wiped, key[0]);
    jm_mac_key_wipe(mac, wiped);
    memcpy(tag, before, sizeof tag);
    expect("tag under a wiped key", 16,
           call("tag", 16, FUNCTION(jm_mac_tag),
                ARGUMENTS(AS(mac), AS(wiped), AS(message), 16, AS(tag))), JM_ERR_ENDED);
    expect("verify under a wiped key", 16,
           jm_mac_verify(mac, wiped, message, 16, tag, jm_mac_tag_bytes(mac)), JM_ERR_ENDED);
    expect("copy of a wiped key", 0, jm_mac_key_copy(mac, (jm_mac_key *)other, wiped),
           JM_ERR_ENDED);
    expect("begin under a wiped key", 0, jm_mac_stream_begin(mac, ended, wiped), JM_ERR_ENDED);
    jm_mac_stream_begin(mac, ended, key[0]);
    jm_mac_stream_finish(mac, ended, tag);
    expect("finish after finish", 0, jm_mac_stream_finish(mac, ended, tag), JM_ERR_ENDED);
    expect("update after finish", 9, jm_mac_stream_update(mac, ended, message, 9), JM_ERR_ENDED);
    expect("verify after finish", 0,
           jm_mac_stream_verify(mac, ended, tag, jm_mac_tag_bytes(mac)), JM_ERR_ENDED);
    for (size_t dead = 0; dead < BATCH; dead += 23)
        for (size_t bytes = 20; bytes < 100; bytes += 60) {
            for (size_t i = 0; i < BATCH; i++) {
                memcpy(tags[i], before, sizeof *tags);
                batch[i] = (jm_mac_message){i == dead ? wiped : key[i % 2], message,
                                            bytes == 20 ? bytes : i, tags[i]};
            }
            expect("a batch with a wiped key", BATCH, jm_mac_tag_batch(mac, batch, BATCH),
                   JM_ERR_ENDED);
            uint8_t any = 0;
            for (size_t i = 0; i < jm_mac_tag_bytes(mac); i++) any |= tags[dead][i];
            if (any && memcmp(tags[dead], before, jm_mac_tag_bytes(mac)))
                report("a batch with a wiped key", BATCH, "a tag", "message", dead);
        }
}

static void use_all(const jm_mac *one, size_t key_bytes) {
    static const size_t sizes[] = {0, 16, 200, 4096};
    mac = one;
    secret_bytes = key_bytes;
    for (size_t i = 0; i < KEYS; i++) fill(secret[i], key_bytes);
    use_session();
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
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__) || !defined(__x86_64__)
    (void)argc, (void)argv, (void)use_all;
    puts("Not searched: this build's frames are not those of a release, or not of x86-64.");
    return 0;
#else
    const jm_plugin *plugin = jm_builtin_plugin();
    fill(message, sizeof message);
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *one = plugin->implementations[i];
        if (one->kind != JM_KIND_MAC || (one->cpu_features & ~jm_cpu_features())) continue;
        if (argc > 1 && strcmp(argv[1], one->algorithm)) continue;
        if (argc > 2 && strcmp(argv[2], one->variant)) continue;
        use_all(one, one->key_bytes);
        if (one->key_bytes_max == SIZE_MAX) use_all(one, 200); /* a key that is hashed first */
    }
    printf("%u calls searched, %u with something left or a wrong answer.\n", calls, failures);
    return failures ? 1 : calls == 0;
#endif
}
