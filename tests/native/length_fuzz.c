/* SPDX-License-Identifier: Apache-2.0
 * Random messages cut into random chunks through the streams of random implementations, against
 * the portable one-shot. Every buffer is exactly as long as declared, so that AddressSanitizer
 * and valgrind see a single byte too many. Usage: length_fuzz [seconds [seed]] */
#include <time.h>

#include "native_test.h"

#define LONGEST 5000u
#define LONGEST_KEY 300u

static uint64_t seed;

static size_t below(size_t limit) {
    return (size_t)(random_word(&seed) >> 32) % limit;
}

/* 0 to LONGEST: half of them short, and a quarter next to a multiple of 64. */
static size_t random_length(void) {
    switch (below(4)) {
    case 0:
        return below(LONGEST + 1);
    case 1:
        return 64 * below(LONGEST / 64) + below(3);
    default:
        return below(150);
    }
}

/* Length of the next piece of what remains: often nothing, one byte or all of it. */
static size_t random_chunk(size_t remaining) {
    switch (below(5)) {
    case 0:
        return 0;
    case 1:
        return remaining < 1 ? remaining : 1;
    case 2:
        return remaining;
    default:
        return below(remaining + 1);
    }
}

typedef jm_status (*absorb)(const jm_implementation *self, void *state, const uint8_t *message,
                            size_t message_bytes);

static void feed(const jm_implementation *self, absorb update, void *state, const uint8_t *message,
                 size_t bytes) {
    for (size_t at = 0; at < bytes || below(3) == 0;) {
        uint8_t *base;
        const size_t piece = random_chunk(bytes - at);
        const uint8_t *copy = exact_copy(message + at, piece, below(64), &base);
        CHECK(update(self, state, copy, piece) == JM_OK, self, "update of %zu bytes", piece);
        free(base);
        at += piece;
    }
}

static void hash_case(const jm_implementation *self, const uint8_t *message, size_t bytes) {
    const jm_implementation *other = portable_of(self);
    uint8_t expected[JM_OUTPUT_BYTES_MAX];
    uint8_t *digest = exact_state(self->output_bytes);
    void *state = exact_state(self->hash->state_bytes);
    other->hash->digest(other, message, bytes, expected);
    self->hash->digest(self, message, bytes, digest);
    CHECK(!memcmp(digest, expected, self->output_bytes), self, "one-shot of %zu bytes", bytes);
    self->hash->init(self, state);
    feed(self, self->hash->update, state, message, bytes);
    self->hash->final(self, state, digest);
    CHECK(!memcmp(digest, expected, self->output_bytes), self, "stream of %zu bytes", bytes);
    free(state);
    free(digest);
}

static void mac_case(const jm_implementation *self, const uint8_t *message, size_t bytes) {
    const jm_implementation *other = portable_of(self);
    uint8_t random_key[LONGEST_KEY], expected[JM_OUTPUT_BYTES_MAX], *key_base;
    uint8_t *tag = exact_state(self->output_bytes);
    const size_t longest = self->key_bytes_max < LONGEST_KEY ? self->key_bytes_max : LONGEST_KEY;
    const size_t key_bytes = self->key_bytes_min + below(longest - self->key_bytes_min + 1);
    random_bytes(&seed, random_key, key_bytes);
    const uint8_t *key = exact_copy(random_key, key_bytes, below(64), &key_base);

    void *state = exact_state(self->mac->key_state_bytes);
    void *stream = exact_state(self->mac->stream_bytes);
    void *other_state = exact_state(other->mac->key_state_bytes);
    CHECK(other->mac->set_key(other, other_state, key, key_bytes) == JM_OK, other, "set_key");
    CHECK(self->mac->set_key(self, state, key, key_bytes) == JM_OK, self, "set_key");
    other->mac->tag(other, other_state, message, bytes, expected);
    self->mac->tag(self, state, message, bytes, tag);
    CHECK(!memcmp(tag, expected, self->output_bytes), self, "one-shot of %zu bytes", bytes);
    if (self->mac->stream_bytes) {
        self->mac->stream_begin(self, stream, state);
        feed(self, self->mac->stream_update, stream, message, bytes);
        self->mac->stream_finish(self, stream, tag);
        CHECK(!memcmp(tag, expected, self->output_bytes), self, "stream of %zu bytes", bytes);
    }
    self->mac->wipe_key(self, state);
    other->mac->wipe_key(other, other_state);
    free(state);
    free(stream);
    free(other_state);
    free(tag);
    free(key_base);
}

int main(int argc, char **argv) {
    const double seconds = argc > 1 ? atof(argv[1]) : 2;
    const uint64_t first_seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    const jm_plugin *plugin = jm_builtin_plugin();
    static uint8_t random_message[LONGEST];
    const clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
    uint64_t cases = 0;
    /* The generator takes any seed but 0, so 0 is mapped; the same seed repeats the same cases. */
    seed = first_seed * 2 + 1;
    do {
        const jm_implementation *self = plugin->implementations[below(plugin->count)];
        if (self->kind == JM_KIND_CIPHER || !can_run(self)) continue;
        uint8_t *base;
        const size_t bytes = random_length();
        random_bytes(&seed, random_message, bytes);
        const uint8_t *message = exact_copy(random_message, bytes, below(64), &base);
        if (self->kind == JM_KIND_HASH) hash_case(self, message, bytes);
        if (self->kind == JM_KIND_MAC) mac_case(self, message, bytes);
        free(base);
        cases++;
    } while (clock() < end);
    printf("%llu cases agreed, seed %llu\n", (unsigned long long)cases,
           (unsigned long long)first_seed);
    return 0;
}
