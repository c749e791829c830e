/* SPDX-License-Identifier: Apache-2.0
 * Our own MACs (but HMAC, see hash_random.c) and ciphers on random input: variants against the
 * portable variant, streams against one-shot, and the promises of kernel.h about keys and buffers.
 * `mac_random whole` takes every length and every split; otherwise the longer half of them is
 * thinned, and with sanitizers, where a byte costs ten times as much, all long lengths. */
#include "native_test.h"
#include "sanitized.h"

#define LONGEST 65552u
#define SPLIT_BYTES 300u
#define BLOCK 16u
#define MOST_BLOCKS 17u
#define MOST_BLOCK_BYTES 32u
#define CANARY 0x5a

/* Up to this length in bytes, every length and every split is tried. */
#define DENSE_BYTES 130u

static bool whole;
static uint64_t seed = 1;
static uint8_t message[LONGEST];
static uint8_t key[64];

/* A buffer for one output with guards before and after, at an odd address. */
typedef struct {
    uint8_t before[17];
    uint8_t bytes[JM_OUTPUT_BYTES_MAX + 16];
} guarded;

static void guard(guarded *output) {
    memset(output, CANARY, sizeof *output);
}

static void check_guard(const jm_implementation *self, const guarded *output) {
    for (size_t i = 0; i < sizeof output->before; i++)
        CHECK(output->before[i] == CANARY, self, "wrote %zu bytes before the output", i);
    for (size_t i = self->output_bytes; i < sizeof output->bytes; i++)
        CHECK(output->bytes[i] == CANARY, self, "wrote past the output, at %zu", i);
}

static void check_zero(const jm_implementation *self, const uint8_t *state, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) CHECK(state[i] == 0, self, "byte %zu was not wiped", i);
}

static void *key_state_of(const jm_implementation *self) {
    void *state = exact_state(self->mac->key_state_bytes);
    CHECK(self->mac->set_key(self, state, key, self->key_bytes) == JM_OK, self, "set_key");
    return state;
}

static void tag_guarded(const jm_implementation *self, const void *state, const uint8_t *from,
                        size_t bytes, guarded *tag) {
    guard(tag);
    CHECK(self->mac->tag(self, state, from, bytes, tag->bytes) == JM_OK, self, "tag");
    check_guard(self, tag);
}

static void agree_at(const jm_implementation *self, const void *state,
                     const jm_implementation *other, const void *other_state, size_t bytes) {
    guarded tag, expected;
    uint8_t *base;
    const uint8_t *copy = exact_copy(message, bytes, bytes % 16, &base);
    tag_guarded(self, state, copy, bytes, &tag);
    tag_guarded(other, other_state, bytes ? copy : NULL, bytes, &expected);
    CHECK(!memcmp(tag.bytes, expected.bytes, self->output_bytes), self,
          "differs from the portable variant at %zu bytes", bytes);
    free(base);
}

/* Of longer lengths, those beside the ends of blocks, and every 13th. */
static bool is_taken(size_t bytes) {
    return whole || bytes <= DENSE_BYTES || (bytes + 1) % BLOCK <= 2 || bytes % 13 == 0;
}

static void check_agreement(const jm_implementation *self) {
    const jm_implementation *other = portable_of(self);
    void *state = key_state_of(self), *other_state = key_state_of(other);
    for (size_t bytes = 0; bytes <= 1025; bytes++)
        if (is_taken(bytes)) agree_at(self, state, other, other_state, bytes);
    for (size_t bytes = LONGEST - 32; bytes <= LONGEST; bytes += whole ? 1 : SANITIZED ? 29 : 5)
        agree_at(self, state, other, other_state, bytes);
    free(state);
    free(other_state);
}

static void stream_split(const jm_implementation *self, const void *state, size_t first,
                         size_t step, const guarded *expected) {
    uint8_t *base;
    guarded tag;
    void *stream = exact_state(self->mac->stream_bytes);
    guard(&tag);
    CHECK(self->mac->stream_begin(self, stream, state) == JM_OK, self, "stream_begin");
    for (size_t at = 0, bytes = first; at < SPLIT_BYTES; bytes = step) {
        if (bytes > SPLIT_BYTES - at) bytes = SPLIT_BYTES - at;
        const uint8_t *part = exact_copy(message + at, bytes, at % 16, &base);
        CHECK(self->mac->stream_update(self, stream, part, bytes) == JM_OK, self, "stream_update");
        free(base);
        at += bytes;
    }
    CHECK(self->mac->stream_finish(self, stream, tag.bytes) == JM_OK, self, "stream_finish");
    check_guard(self, &tag);
    check_zero(self, stream, self->mac->stream_bytes);
    CHECK(!memcmp(tag.bytes, expected->bytes, self->output_bytes), self,
          "stream of %zu, then %zu bytes at a time, differs", first, step);
    free(stream);
}

static void check_streams(const jm_implementation *self) {
    void *state = key_state_of(self);
    guarded expected;
    tag_guarded(self, state, message, SPLIT_BYTES, &expected);
    for (size_t first = 0; first <= SPLIT_BYTES; first++)
        if (is_taken(first)) stream_split(self, state, first, SPLIT_BYTES, &expected);
    for (size_t step = 1; step <= 40; step++) stream_split(self, state, step, step, &expected);

    void *stream = exact_state(self->mac->stream_bytes);
    self->mac->stream_begin(self, stream, state);
    self->mac->stream_finish(self, stream, expected.bytes);
    guarded empty;
    tag_guarded(self, state, NULL, 0, &empty);
    CHECK(!memcmp(empty.bytes, expected.bytes, self->output_bytes), self, "empty stream differs");
    self->mac->stream_begin(self, stream, state);
    self->mac->stream_update(self, stream, message, 21);
    CHECK(self->mac->stream_finish(self, stream, NULL) == JM_OK, self, "abandoned stream");
    check_zero(self, stream, self->mac->stream_bytes);
    free(stream);
    free(state);
}

static void check_keys(const jm_implementation *self) {
    void *state = key_state_of(self), *copy = exact_state(self->mac->key_state_bytes);
    guarded tag, expected;
    tag_guarded(self, state, message, 77, &expected);
    CHECK(self->mac->copy_key(self, copy, state) == JM_OK, self, "copy_key");
    self->mac->wipe_key(self, state);
    check_zero(self, state, self->mac->key_state_bytes);
    tag_guarded(self, copy, message, 77, &tag);
    CHECK(!memcmp(tag.bytes, expected.bytes, self->output_bytes), self, "the copy's tag differs");
    for (size_t bytes = 0; bytes <= sizeof key; bytes++)
        if (bytes < self->key_bytes_min || bytes > self->key_bytes_max)
            CHECK(self->mac->set_key(self, state, key, bytes) == JM_ERR_KEY_BYTES, self,
                  "took a key of %zu bytes", bytes);
    free(state);
    free(copy);
}

/* A carry out of limb 1 in the partial reduction, which random messages and RFC 8439 never cause:
 * with r = 1 and s = 0 the tag is the sum of the blocks, here 2^128 - 1 + 7 * 2^128 = 2^131 - 1,
 * which is 2 * 5 - 1 modulo 2^130 - 5. */
static void check_poly1305_carry(const jm_implementation *self) {
    static const uint8_t key_of_one[32] = {1}, expected[16] = {9};
    uint8_t blocks[7 * BLOCK] = {0};
    guarded tag;
    void *state = exact_state(self->mac->key_state_bytes);
    memset(blocks, 0xff, BLOCK);
    self->mac->set_key(self, state, key_of_one, sizeof key_of_one);
    tag_guarded(self, state, blocks, sizeof blocks, &tag);
    CHECK(!memcmp(tag.bytes, expected, sizeof expected), self, "lost a carry");
    free(state);
}

/* Limbs at their limits, which random messages never reach: the largest and smallest r, blocks of
 * ones, and sums next to multiples of 2^130 - 5, at every length that a vector kernel divides in
 * another way. */
static void check_poly1305_extremes(const jm_implementation *self) {
    enum { MOST_BYTES = 1025, FILLS = 4 };
    static const uint8_t fill[FILLS] = {0xff, 0xfb, 0x00, 0x80};
    const jm_implementation *other = portable_of(self);
    static uint8_t text[MOST_BYTES];
    uint8_t pair[32];
    void *state = exact_state(self->mac->key_state_bytes);
    void *other_state = exact_state(other->mac->key_state_bytes);
    for (int r = 0; r < 4; r++) {
        memset(pair, r % 2 ? 0xff : 0, sizeof pair);
        if (r == 0) pair[0] = 1;
        if (r == 2) pair[0] = 2, memset(pair + 16, 0xff, 16);
        if (r == 3) memset(pair + 16, 0, 16);
        self->mac->set_key(self, state, pair, sizeof pair);
        other->mac->set_key(other, other_state, pair, sizeof pair);
        for (int i = 0; i < FILLS; i++)
            for (size_t bytes = 0; bytes <= MOST_BYTES; bytes++) {
                guarded tag, expected;
                if (SANITIZED && !is_taken(bytes)) continue;
                memset(text, 0xff, sizeof text);
                memset(text, fill[i], bytes / 2);
                tag_guarded(self, state, text, bytes, &tag);
                tag_guarded(other, other_state, text, bytes, &expected);
                CHECK(!memcmp(tag.bytes, expected.bytes, self->output_bytes), self,
                      "wrong with r %d, fill %d, %zu bytes", r, i, bytes);
            }
    }
    free(state);
    free(other_state);
}

/* Nonces of every accepted length, one after the other in one key state; other lengths are refused.
 */
static void check_nonces(const jm_implementation *self) {
    const jm_implementation *other = portable_of(self);
    void *state = exact_state(self->mac->key_state_bytes);
    void *other_state = exact_state(other->mac->key_state_bytes);
    uint8_t nonce[UINT8_MAX + 1];
    self->mac->set_key(self, state, key, self->key_bytes);
    other->mac->set_key(other, other_state, key, self->key_bytes);
    for (size_t bytes = 0; bytes <= sizeof nonce; bytes++) {
        guarded tag, expected;
        random_bytes(&seed, nonce, sizeof nonce);
        const bool taken = bytes >= self->nonce_bytes_min && bytes <= self->nonce_bytes_max;
        const jm_status status = self->mac->set_nonce(self, state, nonce, bytes);
        CHECK(status == (taken ? JM_OK : JM_ERR_NONCE_BYTES), self, "nonce of %zu bytes", bytes);
        if (!taken) continue;
        other->mac->set_nonce(other, other_state, nonce, bytes);
        tag_guarded(self, state, message, bytes, &tag);
        tag_guarded(other, other_state, message, bytes, &expected);
        CHECK(!memcmp(tag.bytes, expected.bytes, self->output_bytes), self,
              "wrong with a nonce of %zu bytes", bytes);
    }
    free(state);
    free(other_state);
}

/* UMAC changes its prime after 2^24 bytes, and there takes hashes two by two. */
static void check_umac_long(const jm_implementation *self) {
    const size_t turn = (size_t)1 << 24, ends[] = {0, 1, 1024, 1025, 3000};
    const jm_implementation *other = portable_of(self);
    void *state = key_state_of(self), *other_state = key_state_of(other);
    uint8_t *text = malloc(turn + 3000);
    CHECK(text, self, "no memory");
    for (size_t i = 0; i < turn + 3000; i++) text[i] = (uint8_t)(i * 7 ^ i >> 9);
    for (size_t i = SANITIZED && !whole ? 4 : 0; i < sizeof ends / sizeof *ends; i++) {
        guarded tag, expected;
        tag_guarded(self, state, text, turn + ends[i], &tag);
        tag_guarded(other, other_state, text, turn + ends[i], &expected);
        CHECK(!memcmp(tag.bytes, expected.bytes, self->output_bytes), self,
              "wrong with %zu bytes after 2^24", ends[i]);
    }
    free(text);
    free(state);
    free(other_state);
}

static void check_encrypt(const jm_implementation *self, const void *schedule,
                          const uint8_t *expected) {
    const size_t block = self->block_bytes;
    for (size_t blocks = 0; blocks <= MOST_BLOCKS; blocks++) {
        uint8_t *base, *out_base;
        uint8_t *in = exact_copy(message, blocks * block, blocks % 16, &base);
        uint8_t *out = exact_copy(message, blocks * block, 15 - blocks % 16, &out_base);
        self->cipher->encrypt(self, schedule, in, out, blocks);
        CHECK(!memcmp(in, message, blocks * block), self, "wrote to its input");
        CHECK(!memcmp(out, expected, blocks * block), self, "wrong for %zu blocks", blocks);
        self->cipher->encrypt(self, schedule, in, in, blocks);
        CHECK(!memcmp(in, expected, blocks * block), self, "wrong in place, %zu blocks", blocks);
        free(base);
        free(out_base);
    }
}

static void check_chain(const jm_implementation *self, const void *schedule) {
    const size_t block = self->block_bytes;
    for (size_t blocks = 0; blocks <= MOST_BLOCKS; blocks++) {
        uint8_t chain[MOST_BLOCK_BYTES], expected[MOST_BLOCK_BYTES], *base;
        const uint8_t *in = exact_copy(message, blocks * block, blocks % 16, &base);
        random_bytes(&seed, chain, sizeof chain);
        memcpy(expected, chain, sizeof chain);
        self->cipher->chain(self, schedule, chain, in, blocks);
        for (size_t i = 0; i < blocks; i++) {
            for (size_t j = 0; j < block; j++) expected[j] ^= in[block * i + j];
            self->cipher->encrypt(self, schedule, expected, expected, 1);
        }
        CHECK(!memcmp(chain, expected, block), self, "chain of %zu blocks is wrong", blocks);
        free(base);
    }
}

static void check_cipher(const jm_implementation *self) {
    const jm_implementation *other = portable_of(self);
    const size_t block = self->block_bytes;
    uint8_t expected[MOST_BLOCKS * MOST_BLOCK_BYTES];
    CHECK(block <= MOST_BLOCK_BYTES, self, "blocks longer than expected here");
    void *schedule = exact_state(other->cipher->schedule_bytes);
    other->cipher->set_key(other, schedule, key, other->key_bytes);
    for (size_t i = 0; i < MOST_BLOCKS; i++)
        other->cipher->encrypt(other, schedule, message + block * i, expected + block * i, 1);
    free(schedule);

    schedule = exact_state(self->cipher->schedule_bytes);
    CHECK(self->cipher->set_key(self, schedule, key, self->key_bytes) == JM_OK, self, "set_key");
    check_encrypt(self, schedule, expected);
    check_chain(self, schedule);
    self->cipher->wipe_key(self, schedule);
    check_zero(self, schedule, self->cipher->schedule_bytes);
    for (size_t bytes = 0; bytes <= sizeof key; bytes++)
        if (bytes < self->key_bytes_min || bytes > self->key_bytes_max)
            CHECK(self->cipher->set_key(self, schedule, key, bytes) == JM_ERR_KEY_BYTES, self,
                  "took a key of %zu bytes", bytes);
    free(schedule);
}

int main(int argc, char **argv) {
    whole = argc > 1 && !strcmp(argv[1], "whole");
    const jm_plugin *plugin = jm_builtin_plugin();
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *self = plugin->implementations[i];
        if (self->kind == JM_KIND_HASH || !strncmp(self->algorithm, "hmac-", 5)) continue;
        if (!can_run(self)) {
            printf("%s/%s: not run, this CPU lacks a feature\n", self->algorithm, self->variant);
            continue;
        }
        random_bytes(&seed, message, sizeof message);
        random_bytes(&seed, key, sizeof key);
        if (self->kind == JM_KIND_CIPHER) {
            check_cipher(self);
        } else {
            check_agreement(self);
            check_streams(self);
            check_keys(self);
            if (self->nonce_bytes_max) check_nonces(self);
            if (!strncmp(self->algorithm, "umac-", 5) && self != portable_of(self))
                check_umac_long(self);
            if (!strcmp(self->algorithm, "poly1305")) {
                check_poly1305_carry(self);
                check_poly1305_extremes(self);
            }
        }
        printf("%s/%s: passed\n", self->algorithm, self->variant);
    }
    return 0;
}
