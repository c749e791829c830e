/* SPDX-License-Identifier: Apache-2.0
 * See scene.h. */
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STACK_BYTES = 256 * 1024, PAINT = 0xa5, BLOCK_BYTES_MAX = 256 };
enum { STEP_BYTES = 1024 };

static _Alignas(4096) uint8_t stack[STACK_BYTES];
static registers left;
static uint64_t seed = 77;
static bool quiet;

_Alignas(64) uint8_t message[LONGEST];
unsigned failures, calls;
const jm_mac *mac;
size_t secret_bytes;
uint8_t secret[KEYS][SECRET_BYTES_MAX];
jm_mac_key *key[KEYS];

void fill(uint8_t *to, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        to[i] = (uint8_t)(seed >> 24);
        if (!to[i]) to[i] = 0x5b; /* a word that ends in zeros counts as common (secrets.c) */
    }
}

void report(const char *use, size_t size, const char *what, const char *place, size_t at) {
    failures++;
    if (quiet) return;
    printf("%s/%s: %s of %zu: %s in %s %zu\n", mac->algorithm, mac->variant, use, size, what, place,
           at);
}

jm_status run(const void *function, const uint64_t argument[6]) {
    memset(stack, PAINT, sizeof stack);
    /* CPUID is asked once, since a virtual machine takes thousands of cycles to answer. */
    if (!left.width) left.width = vector_bytes();
    calls++;
    /* A frame of aligned vectors takes more of the stack the less the caller's end is aligned. */
    const size_t shift = calls % 8 * 16;
    return (jm_status)call_and_capture(function, argument, stack + sizeof stack - 256 + shift,
                                       &left);
}

/* Where the function's frames end: in steps over the paint, which is most of the stack, then in
 * bytes. */
static size_t lowest_touched(void) {
    static uint8_t paint[STEP_BYTES];
    size_t lowest = 0;
    memset(paint, PAINT, sizeof paint);
    while (!memcmp(stack + lowest, paint, sizeof paint)) lowest += sizeof paint;
    while (stack[lowest] == PAINT) lowest++;
    return lowest / 16 * 16;
}

void search(const char *use, size_t size) {
    const char *place;
    const size_t lowest = lowest_touched();
    find found = secrets_in_registers(&left, &place);
    if (found.name) report(use, size, found.name, place, found.at);
    found = secrets_in_memory(stack + lowest, sizeof stack - lowest);
    if (found.name)
        report(use, size, found.name,
               "the stack, bytes from its end:", sizeof stack - lowest - found.at);
}

jm_status call(const char *use, size_t size, const void *function, const uint64_t argument[6]) {
    const jm_status status = run(function, argument);
    search(use, size);
    return status;
}

bool leaves(const void *function, const uint64_t argument[6]) {
    const unsigned before = failures;
    quiet = true;
    run(function, argument);
    search("", 0);
    quiet = false;
    const bool found = failures != before;
    failures = before;
    return found;
}

/* Whether the memory can be read: a C library may have given freed pages back to the system, which
 * clears them. Only the system can tell without a fault, as when it is to read from there. */
static bool readable(uintptr_t at, size_t bytes) {
    int ends[2];
    if (pipe(ends)) return true;
    bool can = write(ends[1], (const void *)(at + bytes - 1), 1) == 1;
    for (size_t i = 0; can && i < bytes; i += STEP_BYTES)
        can = write(ends[1], (const void *)(at + i), 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return can;
}

void expect_none(const char *use, size_t size, uintptr_t at, size_t bytes) {
    if (!readable(at, bytes)) return;
    const find found = secrets_in_memory((const void *)at, bytes);
    if (found.name) report(use, size, found.name, "freed memory at", found.at);
}

void expect(const char *use, size_t size, jm_status status, jm_status expected) {
    if (status == expected) return;
    printf("%s/%s: %s of %zu: %s\n", mac->algorithm, mac->variant, use, size,
           jm_status_text(status));
    failures++;
}

/* ---- What is secret ---- */

/* The input of HMAC's outer hash: the digest of the padded key and the message. */
static void add_inner_digest(size_t which, size_t bytes) {
    static uint8_t text[BLOCK_BYTES_MAX + LONGEST];
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
    static _Alignas(64) uint8_t memory[8192]; /* zeros where the stream has nothing */
    jm_mac_stream *stream = (jm_mac_stream *)memory;
    if (jm_mac_stream_begin(mac, stream, key[which]) != JM_OK) abort();
    jm_mac_stream_update(mac, stream, message, bytes);
    secrets_add("an intermediate value", memory, jm_mac_stream_bytes(mac), 0);
    jm_mac_stream_abandon(mac, stream);
    add_inner_digest(which, bytes);
}

static void remove_public(void) {
    const uint64_t live = mac->live;
    const size_t block_bytes[] = {64, 128};
    const uintptr_t addresses[] = {AS(key[0]), AS(key[1]), AS(key[2])};
    secrets_remove(message, sizeof message);
    secrets_remove(&live, sizeof live);
    secrets_remove(block_bytes, sizeof block_bytes);
    secrets_remove(addresses, sizeof addresses);
}

void set_secrets(const size_t *lengths, size_t count) {
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
