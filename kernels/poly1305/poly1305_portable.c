/* SPDX-License-Identifier: Apache-2.0
 *
 * Poly1305 (RFC 8439, section 2.5): the message as a polynomial over GF(2^130 - 5), evaluated at
 * r, plus s modulo 2^128.
 * Technique: limbs of 64 bits and products of 64 x 64 bits. Clamping makes r1 a multiple of 4, so
 *   r1 2^128 = (r1 / 4) 2^130 = 5 (r1 / 4) modulo p needs no shift and the product of one block
 *   is four wide multiplications and two narrow ones.
 * State layout: a key is r and s and JM_LIVE; a stream adds the accumulator h0 + h1 2^64 + h2 2^128
 * and the incomplete block. CPU features: none, but a compiler with 128-bit integers. Constant
 * time: as far as the CPU's multiplication is; branches depend on lengths alone. Checked by
 * tests/native/constant_time.c. Functions have an outer and an inner half (common/forget.h). Best
 * for: short messages where each comes with a fresh key. */
#include "poly1305/poly1305.h"

#if defined(__SIZEOF_INT128__)
#include "common/forget.h"
#include "common/load_partial.h"
#include "common/secret.h"

__extension__ typedef unsigned __int128 uint128;

typedef struct {
    uint64_t r0, r1; /* clamped: r0 and r1 < 2^60, r1 a multiple of 4 */
    uint64_t s0, s1;
    uint64_t live; /* JM_LIVE */
} poly_key;

/* Registers that are saved or spilled. */
enum { STACK_BYTES = 320 };

typedef struct {
    uint64_t h0, h1, h2;
} accumulator;

typedef struct {
    accumulator h;
    poly_key key;
    uint8_t pending[JM_POLY1305_BLOCK_BYTES]; /* pending_bytes of it, always below 16 */
    size_t pending_bytes;
} poly_stream;

/* h = (h + m0 + m1 2^64 + top 2^128) r mod p, not fully reduced.
 * Before: h2 <= 4, top <= 1.
 * After:  h2 <= 4; h0 and h1 are any 64-bit numbers in both. */
static inline void absorb(accumulator *h, const poly_key *key, uint64_t m0, uint64_t m1,
                          uint64_t top) {
    const uint64_t r0 = key->r0, r1 = key->r1;
    const uint64_t r1_over_p = r1 + (r1 >> 2); /* 5 r1 / 4 < 1.25 * 2^60 */

    uint128 sum = (uint128)h->h0 + m0;
    const uint64_t a0 = (uint64_t)sum;
    sum = (uint128)h->h1 + m1 + (uint64_t)(sum >> 64);
    const uint64_t a1 = (uint64_t)sum;
    const uint64_t a2 = h->h2 + top + (uint64_t)(sum >> 64); /* <= 6 */

    const uint128 d0 = (uint128)a0 * r0 + (uint128)a1 * r1_over_p;            /* < 2.25 * 2^124 */
    const uint128 d1 = (uint128)a0 * r1 + (uint128)a1 * r0 + a2 * r1_over_p + /* a2 * .. < 2^63 */
                       (uint64_t)(d0 >> 64);                                  /* < 2^126 */
    const uint64_t d2 = a2 * r0 + (uint64_t)(d1 >> 64);                       /* < 10 * 2^60 + 1 */

    /* The part above 2^130 comes back five times: 4 (d2 / 4) + d2 / 4 < 12.5 * 2^60 + 2. */
    sum = (uint128)(uint64_t)d0 + ((d2 & ~UINT64_C(3)) + (d2 >> 2));
    h->h0 = (uint64_t)sum;
    sum = (uint128)(uint64_t)d1 + (uint64_t)(sum >> 64);
    h->h1 = (uint64_t)sum;
    h->h2 = (d2 & 3) + (uint64_t)(sum >> 64);
}

static inline void absorb_blocks(accumulator *h, const poly_key *key, const uint8_t *in,
                                 size_t blocks) {
    accumulator a = *h;
    const poly_key k = *key;
    for (; blocks; blocks--, in += JM_POLY1305_BLOCK_BYTES)
        absorb(&a, &k, load_le64(in), load_le64(in + 8), 1);
    *h = a;
}

/* Absorbs the last `bytes` (0 to 15) and writes the tag. As h2 <= 4, h < 5 * 2^128 < 2 p, so h
 * modulo p is h or h - p; the latter is h + 5 without bit 130, and applies if that bit is set. */
static inline void finish(accumulator *h, const poly_key *key, const uint8_t *rest, size_t bytes,
                          uint8_t *tag) {
    if (bytes) {
        uint64_t word[2];
        load_le128_partial(rest, bytes, 1, word);
        absorb(h, key, word[0], word[1], 0);
    }
    uint128 sum = (uint128)h->h0 + 5;
    const uint64_t g0 = (uint64_t)sum;
    sum = (uint128)h->h1 + (uint64_t)(sum >> 64);
    const uint64_t g1 = (uint64_t)sum;
    const uint64_t g2 = h->h2 + (uint64_t)(sum >> 64); /* <= 5 */
    const uint64_t take_g = UINT64_C(0) - (g2 >> 2);   /* all ones or 0 */

    sum = (uint128)(h->h0 ^ ((h->h0 ^ g0) & take_g)) + key->s0;
    store_le64(tag, (uint64_t)sum);
    store_le64(tag + 8, (h->h1 ^ ((h->h1 ^ g1) & take_g)) + key->s1 + (uint64_t)(sum >> 64));
}

JM_APART jm_status load_key(poly_key *state, const uint8_t *key, size_t key_bytes) {
    if (key_bytes != JM_POLY1305_KEY_BYTES) return JM_ERR_KEY_BYTES;
    state->r0 = load_le64(key) & UINT64_C(0x0ffffffc0fffffff);
    state->r1 = load_le64(key + 8) & UINT64_C(0x0ffffffc0ffffffc);
    state->s0 = load_le64(key + 16);
    state->s1 = load_le64(key + 24);
    state->live = JM_LIVE;
    return JM_OK;
}

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    (void)self;
    const jm_status status = load_key(key_state, key, key_bytes);
    return JM_FORGET(status, STACK_BYTES);
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    (void)self;
    if (((const poly_key *)from)->live != JM_LIVE) return JM_ERR_ENDED;
    jm_copy_secret(to, from, sizeof(poly_key));
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    (void)self;
    jm_wipe(key_state, sizeof(poly_key));
}

JM_APART jm_status tag_inner(const poly_key *key, const uint8_t *message, size_t message_bytes,
                             uint8_t *tag) {
    if (key->live != JM_LIVE) return JM_ERR_ENDED;
    const size_t rest = message_bytes % JM_POLY1305_BLOCK_BYTES;
    accumulator h = {0, 0, 0};
    if (message_bytes != rest) {
        absorb_blocks(&h, key, message, message_bytes / JM_POLY1305_BLOCK_BYTES);
        message += message_bytes - rest; /* here, because NULL may not take even an offset of 0 */
    }
    finish(&h, key, message, rest, tag);
    return JM_OK;
}

static jm_status tag_message(const jm_implementation *self, const void *key_state,
                             const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    (void)self;
    const jm_status status = tag_inner(key_state, message, message_bytes, tag);
    return JM_FORGET(status, STACK_BYTES);
}

JM_APART jm_status begin_inner(poly_stream *state, const poly_key *key) {
    if (key->live != JM_LIVE) return JM_ERR_ENDED;
    *state = (poly_stream){.key = *key};
    return JM_OK;
}

static jm_status stream_begin(const jm_implementation *self, void *stream, const void *key_state) {
    (void)self;
    const jm_status status = begin_inner(stream, key_state);
    return JM_FORGET(status, STACK_BYTES);
}

JM_APART jm_status update_inner(poly_stream *state, const uint8_t *message, size_t message_bytes) {
    if (state->key.live != JM_LIVE) return JM_ERR_ENDED;
    if (state->pending_bytes) {
        const size_t room = JM_POLY1305_BLOCK_BYTES - state->pending_bytes;
        const size_t taken = message_bytes < room ? message_bytes : room;
        if (taken) memcpy(state->pending + state->pending_bytes, message, taken);
        state->pending_bytes += taken;
        if (state->pending_bytes < JM_POLY1305_BLOCK_BYTES) return JM_OK;
        absorb_blocks(&state->h, &state->key, state->pending, 1);
        message += taken;
        message_bytes -= taken;
    }
    const size_t blocks = message_bytes / JM_POLY1305_BLOCK_BYTES;
    absorb_blocks(&state->h, &state->key, message, blocks);
    state->pending_bytes = message_bytes % JM_POLY1305_BLOCK_BYTES;
    if (state->pending_bytes)
        memcpy(state->pending, message + blocks * JM_POLY1305_BLOCK_BYTES, state->pending_bytes);
    return JM_OK;
}

static jm_status stream_update(const jm_implementation *self, void *stream, const uint8_t *message,
                               size_t message_bytes) {
    (void)self;
    const jm_status status = update_inner(stream, message, message_bytes);
    return JM_FORGET(status, STACK_BYTES);
}

JM_APART jm_status finish_inner(poly_stream *state, uint8_t *tag) {
    if (state->key.live != JM_LIVE) return JM_ERR_ENDED;
    finish(&state->h, &state->key, state->pending, state->pending_bytes, tag);
    return JM_OK;
}

static jm_status stream_finish(const jm_implementation *self, void *stream, uint8_t *tag) {
    (void)self;
    jm_status status = JM_OK;
    if (tag) status = finish_inner(stream, tag);
    jm_wipe(stream, sizeof(poly_stream));
    return JM_FORGET(status, STACK_BYTES);
}

static const jm_mac_functions functions = {
    .key_state_bytes = sizeof(poly_key),
    .stream_bytes = sizeof(poly_stream),
    .set_key = set_key,
    .copy_key = copy_key,
    .wipe_key = wipe_key,
    .tag = tag_message,
    .stream_begin = stream_begin,
    .stream_update = stream_update,
    .stream_finish = stream_finish,
};

const jm_implementation jm_poly1305_portable = {
    .algorithm = "poly1305",
    .variant = "portable",
    .note = "64-bit limbs in plain C, one block at a time.",
    .kind = JM_KIND_MAC,
    .lanes = 1,
    .constant_time = true,
    .block_bytes = JM_POLY1305_BLOCK_BYTES,
    .output_bytes = JM_POLY1305_TAG_BYTES,
    .key_bytes_min = JM_POLY1305_KEY_BYTES,
    .key_bytes_max = JM_POLY1305_KEY_BYTES,
    .key_bytes = JM_POLY1305_KEY_BYTES,
    .mac = &functions,
};
#else
typedef int jm_poly1305_portable_needs_int128;
#endif
